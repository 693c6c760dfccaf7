// One rank's MoE layer as a whole (route, permute, two grouped GEMMs with the gated activation between them, unpermute), from the tokens
// that each of its experts gets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "cost/cost_model.h"
#include "cost/residual_surface.h"
#include "hw/measured.h"
#include "hw/profile.h"

namespace moesim {

/// Widths of one expert: three matrices hidden x inter.
struct MoeShape {
  std::int64_t hidden = 1, inter = 1;
};

/// What the layer's time depends on in the counts of its experts. Means over draws are loads too.
struct MoeLoad {
  static constexpr std::int64_t kTile = 128;   // rows of a tile
  double rows = 0;       // pairs of token and expert on this rank
  double touched = 0;    // experts with any
  double tiles = 0;      // tiles that they fill, each expert its own
  double hottest = 0;    // rows of the most loaded expert
};
MoeLoad moe_load(std::span<const std::int64_t> counts);

/// Constants of one library's kernel on one device in one format, all > 0.
enum class MoeConstant : std::uint8_t {
  fixed,        // s, of all its kernels
  memory,       // share of peak bandwidth at which weights are read
  compute,      // share of peak FLOP/s
  activation,   // share of peak bandwidth at which the rows move: 2 hidden + 3 inter elements of bf16 each
  reread,       // share of an expert's weights that each tile beyond its first reads again
  token,        // reads of each token of the group, hidden elements of bf16, as a share of peak bandwidth
  wave,         // waves of tiles that wait for the last one, of each GEMM
};
constexpr std::size_t kMoeConstants = 7;
using MoeConstants = std::array<double, kMoeConstants>;

/// seconds = fixed + (weights^4 + arithmetic^4)^(1/4) + rows + tokens, where weights = (touched + reread (tiles - touched)) * bytes of an
/// expert, arithmetic = full tiles and the last wave: the two overlap all but where they are alike.
class MoeLayerForm {
 public:
  /// Throws InputError if the machine has no peak in this format.
  MoeLayerForm(const HwProfile&, DType, const MoeConstants&);

  /// `tokens`: of the whole expert-parallel group, routed on every rank. > 0 and finite.
  double seconds(MoeShape, const MoeLoad&, double tokens) const;

  /// And d log(seconds) / d log(constant).
  struct Slopes {
    double seconds = 0;
    MoeConstants slope{};
  };
  Slopes slopes(MoeShape, const MoeLoad&, double tokens) const;

 private:
  struct Parts;
  Parts parts(MoeShape, const MoeLoad&, double tokens) const;

  MoeConstants constants_;
  double bandwidth_, peak_, sms_, weight_bytes_;   // bytes of a weight, with its scales
};

/// Where a layer lies on the surface of ratios: rows an expert, experts, widths, tokens, hottest expert over the mean.
std::array<double, 6> moe_place(MoeShape, const MoeLoad&, double tokens);

/// A form and what timings say beyond it.
class MoeLayerCurve {
 public:
  static constexpr std::size_t kSizes = 6;       // of a case in MeasuredForm: hidden, inter, tokens, and hundredths of rows, touched, hottest
  static constexpr double kHundredths = 100;
  /// `own`: timed on this device. Throws InputError if the machine has no peak in this format.
  MoeLayerCurve(const MeasuredForm&, const HwProfile&, DType, bool own);

  /// Time of the actual counts of this rank's experts. Provenance: interpolated near timings (within a factor of two in all), else
  /// extrapolated; analytic without any.
  Cost cost(MoeShape, std::span<const std::int64_t> counts, std::int64_t tokens) const;

  const MoeLayerForm& form() const { return form_; }
  /// measured / form, expected at this load.
  double ratio(MoeShape, const MoeLoad&, double tokens) const;

 private:
  MoeLayerForm form_;
  ResidualSurface ratios_;
  bool own_;
};

}  // namespace moesim
