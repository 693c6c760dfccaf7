// Causal attention of whole sequences: constants of a form and a surface of ratios over it, as timings give them (calibration/prefill_fit.h).
#pragma once

#include <array>
#include <cstdint>

#include "cost/cost.h"
#include "cost/residual_surface.h"
#include "hw/measured.h"
#include "model/op.h"

namespace moesim {

struct PrefillCase {
  double batch = 1;   // sequences
  std::int64_t seq = 1, heads = 1, kv_heads = 1, qk_dim = 128, v_dim = 128;
};

/// A window cuts a sequence into overlapping ones of its length, as many as look at as many pairs.
PrefillCase prefill_case(const Op& attention);

/// What one library's kernel on one device in one format takes, as multiples of the closed form's constants, all > 0.
enum class PrefillConstant : std::uint8_t {
  fixed,     // time of a kernel
  compute,   // rate
  memory,    // bandwidth for queries, keys, values and results
  half_seq,  // length at which the causal edge halves the rate
  fill,      // tiles of 128 queries an SM with which the rate is half
  narrow,    // time of softmax in heads of 64, for half the FLOPs: narrower ones take more of it for them, wider ones less
};
constexpr std::size_t kPrefillConstants = 6;
using PrefillConstants = std::array<double, kPrefillConstants>;

/// seconds = fixed + sqrt(arithmetic^2 + memory^2), arithmetic = FLOPs (1 + softmax) (1 + half_seq / seq) (1 + fill SMs / tiles) / rate.
class PrefillForm {
 public:
  PrefillForm(const KernelNumbers&, const PrefillConstants&);
  struct Slopes {
    double seconds = 0;
    PrefillConstants slope{};   // d log(seconds) / d log(constant)
  };
  Slopes slopes(const PrefillCase&) const;
  double seconds(const PrefillCase& c) const { return slopes(c).seconds; }

 private:
  PrefillConstants at_;   // in s, FLOP / s, bytes / s, tokens, tiles
  double sms_;
};

class PrefillCurve {
 public:
  static constexpr std::size_t kSizes = 6;   // of a case in MeasuredForm: batch, seq, heads, kv_heads, qk_dim, v_dim
  /// The form at the numbers and clocks of `here`, times the ratios. `own`: timed on this device.
  PrefillCurve(const MeasuredForm&, const KernelNumbers& here, bool own);
  /// Interpolated within a factor of two of a timed length, or as far in other sizes.
  KernelSeconds at(const PrefillCase&) const;

 private:
  PrefillForm form_;
  ResidualSurface ratios_;
  bool own_;
};

}  // namespace moesim
