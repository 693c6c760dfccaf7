// Timed causal attention of whole sequences -> constants of a form and a surface of ratios over it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cost/residual_surface.h"
#include "hw/profile.h"

namespace moesim {

struct PrefillCase {
  std::int64_t batch = 1, seq = 1, heads = 1, kv_heads = 1, qk_dim = 128, v_dim = 128;
};

/// Constants of one library's kernel on one device in one format, all > 0.
enum class PrefillConstant : std::uint8_t {
  fixed,     // s
  compute,   // share of the bf16 peak, whatever the format
  memory,    // share of peak bandwidth for queries, keys, values and results
  half_seq,  // length at which the causal edge halves the rate
  fill,      // how many SMs a tile of 128 queries of one head keeps busy
  narrow,    // share of softmax in heads of 128: narrower ones take as many exponentials for fewer FLOPs
};
constexpr std::size_t kPrefillConstants = 6;
using PrefillConstants = std::array<double, kPrefillConstants>;

/// seconds = fixed + sqrt(arithmetic^2 + memory^2), arithmetic = FLOPs (1 + half_seq / seq) (1 + SMs / (fill tiles)) / rate.
class PrefillForm {
 public:
  /// Throws InputError if the machine has no bf16 peak.
  PrefillForm(const HwProfile&, const PrefillConstants&);
  struct Slopes {
    double seconds = 0;
    PrefillConstants slope{};   // d log(seconds) / d log(constant)
  };
  Slopes slopes(const PrefillCase&) const;
  double seconds(const PrefillCase& c) const { return slopes(c).seconds; }

 private:
  PrefillConstants constants_;
  double bandwidth_, peak_, sms_;
};

class PrefillCurve {
 public:
  PrefillCurve(PrefillForm form, ResidualSurface ratios) : form_(form), ratios_(std::move(ratios)) {}
  double seconds(const PrefillCase&) const;

 private:
  PrefillForm form_;
  ResidualSurface ratios_;
};

struct PrefillTiming {
  PrefillCase op;
  double seconds = 0;
};

/// Throws InputError without timings.
PrefillCurve fit_prefill(const HwProfile&, std::span<const PrefillTiming>);

}  // namespace moesim
