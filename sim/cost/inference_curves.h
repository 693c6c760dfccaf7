// Kernels of inference engines that no Op of training stands for, as timed on a machine's device or borrowed from another.
#pragma once

#include <cstdint>
#include <optional>

#include "cost/closed_form.h"
#include "cost/decode_attention.h"
#include "cost/quantize.h"

namespace moesim {

/// Grouped-query attention over cached keys and values, or over a cached latent (MLA) in its absorbed form.
enum class Cache : std::uint8_t { keys_values, latent };
/// Of a cache in bf16 or fp8; nothing where the machine's curves have none.
std::optional<DecodeCurve> decode_curve(const HwProfile&, Cache, DType kv);

/// The largest magnitude of a matrix, and the cast to fp8 with its scale.
enum class QuantizeStep : std::uint8_t { scale, cast };
std::optional<QuantizeCurve> quantize_curve(const HwProfile&, QuantizeStep, Clocks);

}  // namespace moesim
