// Tables of collectives -> curves that a machine's profile can name (`hw/collective_curves.h`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/csv.h"
#include "calibration/curve_table.h"
#include "hw/collective_curves.h"

namespace moesim {

/// Every operation of the kind at each of its numbers of GPUs, also those that were not timed, at four sizes an octave; times rise with sizes.
/// Nothing if the kind ships no curves, or the table has no row of the device.
std::optional<CollectiveCurves> fit_collectives(const CurveTable&, const CsvTable&, std::string_view device, const HwProfile&);

/// The file, one line a curve.
std::string to_text(const CollectiveCurves&);

}  // namespace moesim
