// Attention of one new token a sequence over cached keys and values, and over a cached latent (MLA).
#pragma once

#include <array>
#include <cstdint>

#include "base/dtype.h"
#include "cost/cost.h"
#include "cost/residual_surface.h"
#include "hw/profile.h"

namespace moesim {

/// Grouped-query attention, or with `latent` > 0 latent attention in its absorbed form: all heads share one cached vector of `latent` + `rope`
/// elements, multiply their queries with all of it and sum up its first `latent`. A window is a shorter kv_len.
struct DecodeCase {
  std::int64_t batch = 1, kv_len = 1;     // sequences; tokens in the cache, the new one among them
  std::int64_t heads = 1, kv_heads = 1;   // of this rank
  std::int64_t head_dim = 128;
  std::int64_t latent = 0, rope = 0;
  DType kv = DType::bf16;                 // of the cache
};

/// Constants of one library's kernel on one device over one cache format, all > 0.
enum class DecodeConstant : std::uint8_t {
  fixed,      // s
  memory,     // share of peak bandwidth at which the cache streams
  compute,    // share of the bf16 peak
  rows,       // share of peak bandwidth for queries and results
  split,      // parts into which a sequence of one KV head is cut, so that few sequences fill the GPU
  sequence,   // s for each sequence, KV head and tile of heads
};
constexpr std::size_t kDecodeConstants = 6;
using DecodeConstants = std::array<double, kDecodeConstants>;
inline constexpr DecodeConstants kUsualDecodeConstants{8e-6, 0.85, 0.5, 0.2, 32, 1e-8};

/// seconds = fixed + sqrt(cache^2 + arithmetic^2) (1 + SMs / (split units)) + rows + units * sequence, units = batch * KV heads * tiles of heads:
/// tensor cores pad the query heads of a KV head to 64, and those of a latent to 128 where they work in pairs (machines that compute fp4).
class DecodeForm {
 public:
  /// Throws InputError if the machine has no bf16 peak.
  DecodeForm(const HwProfile&, const DecodeConstants&);

  /// > 0 and finite.
  double seconds(const DecodeCase&) const;
  /// And d log(seconds) / d log(constant).
  struct Slopes {
    double seconds = 0;
    DecodeConstants slope{};
  };
  Slopes slopes(const DecodeCase&) const;

 private:
  struct Parts;
  Parts parts(const DecodeCase&) const;

  DecodeConstants constants_;
  double bandwidth_, peak_, sms_, latent_tile_;
};

class DecodeCurve {
 public:
  static constexpr std::size_t kSizes = 7;   // of a case in MeasuredForm: batch, kv_len, heads, kv_heads, head_dim, latent, rope
  /// The form on `here`, times the ratios. `own`: timed on this device. Throws InputError if `here` has no bf16 peak.
  DecodeCurve(const MeasuredForm&, const HwProfile& here, bool own);
  /// Interpolated within a factor of two of a timed cache, else extrapolated.
  KernelSeconds at(const DecodeCase&) const;

 private:
  DecodeForm form_;
  ResidualSurface ratios_;
  bool own_;
};

}  // namespace moesim
