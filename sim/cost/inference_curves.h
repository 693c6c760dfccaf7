// Kernels of inference engines that no Op of training stands for, as timed on a machine's device or borrowed from another.
#pragma once

#include <cstdint>
#include <optional>

#include "cost/closed_form.h"
#include "cost/decode_attention.h"
#include "cost/moe_layer.h"
#include "cost/quantize.h"

namespace moesim {

/// Grouped-query attention over cached keys and values, or over a cached latent (MLA) in its absorbed form.
enum class Cache : std::uint8_t { keys_values, latent };
/// Of a cache in bf16 or fp8; nothing where the machine's curves have none.
std::optional<DecodeCurve> decode_curve(const HwProfile&, Cache, DType kv);

/// The largest magnitude of a matrix, and the cast to fp8 with its scale.
enum class QuantizeStep : std::uint8_t { scale, cast };
std::optional<QuantizeCurve> quantize_curve(const HwProfile&, QuantizeStep, Clocks);

/// A rank's MoE layer by the kernels of an engine: bf16, fp8 with a scale a tensor or a block, nvfp4. `curves` are those of load_moe_curves.
enum class MoeFormat : std::uint8_t { bf16, fp8, fp8_block, nvfp4 };
std::optional<MoeLayerCurve> moe_layer_curve(const HwProfile&, const MeasuredCurves& curves, MoeFormat);

}  // namespace moesim
