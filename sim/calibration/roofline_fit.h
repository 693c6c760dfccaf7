// The model to beat: a roofline of three constants.
#pragma once

#include <optional>
#include <span>

#include "calibration/kernel_tables.h"

namespace moesim {

/// fixed + max(flops / flop_rate, bytes / byte_rate).
struct ThreeConstants {
  double fixed = 0, flop_rate = 0, byte_rate = 0;   // s, FLOP/s, bytes/s
  double seconds(const TimedRow& r) const;
};

/// The constants with the least mean |log(predicted / measured)| over the rows that are seen, by steps along one constant at a time; from the
/// peaks of the rows, or from `start` where that is near. None for rows without work.
std::optional<ThreeConstants> fit_three_constants(std::span<const TimedRow>, const Seen& seen, const std::optional<ThreeConstants>& start = {});

}  // namespace moesim
