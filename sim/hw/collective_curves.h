// Measured times of collectives over sizes: hw_profiles/measured/collectives/NAME.json, written by `moesim validate kernels --write`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/units.h"

namespace moesim {

/// Of one operation among one number of GPUs.
struct CollectiveCurve {
  enum class Known : std::uint8_t { measured, interpolated, extrapolated };   // itself; between measured numbers of GPUs; from other curves
  struct Pick {                                // what NCCL runs from a size on
    double from = 0;
    std::string_view algorithm, protocol;      // "ring", "nvls", "pairwise"; "LL", "LL128", "Simple"
  };
  std::string op;
  std::int64_t gpus = 2;
  Known known = Known::measured;
  std::vector<double> timed;                   // sizes that were timed, ascending; empty unless measured
  std::vector<double> off;                     // those of them whose timings the curve is outside of: single ones that their neighbours contradict
  double timed_from = 0, timed_to = 0;         // the sizes between which it rests on timings: its own, or those of the operation
  std::vector<double> seconds;                 // at each of `bytes` of the file; never falls
  std::vector<Pick> picks;                     // ascending; may be empty
};

struct CollectiveCurves {
  std::vector<std::string> sources;            // with commit, licence and date
  Bandwidth per_gpu{0};                        // of the fabric they were measured on, one direction
  std::int64_t domain = 0;                     // GPUs of each scale-up domain of a group over several
  std::vector<double> bytes;                   // sizes of the curves
  std::vector<CollectiveCurve> curves;         // by operation, then GPUs

  struct Time {
    double seconds = 0;
    CollectiveCurve::Known known{};
    bool timed = false;                        // a size that was timed, and the curve agrees
    bool inside = true;                        // between those that were timed
    const CollectiveCurve::Pick* pick = nullptr;
  };
  /// Over a fabric of `per_gpu` bytes a second all sizes count by the ratio, as L + S / B does. Nothing for an operation or a number of GPUs
  /// outside the curves. Never falls with bytes nor rises with bandwidth. Below its first size a curve is flat.
  std::optional<Time> time(std::string_view op, std::int64_t gpus, double bytes, double per_gpu) const;
};

/// Throws InputError: malformed, or a curve that falls.
CollectiveCurves read_collective_curves(const Document&);

}  // namespace moesim
