#include "cost/inference_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace moesim {
namespace {

const MeasuredForm* form(const HwProfile& hw, const std::string& use) { return hw.measured.curves ? hw.measured.curves->form(use) : nullptr; }

/// Timed on this device, whose memory is as it was then.
bool own(const HwProfile& hw, const MeasuredCurves& curves) {
  const double now = hw.gpu.memory_bandwidth.value.count(), then = curves.closed_form.bandwidth;
  return curves.gpu == hw.gpu.name && std::abs(now - then) <= 1e-3 * std::max(now, then);
}

}  // namespace

std::optional<DecodeCurve> decode_curve(const HwProfile& hw, Cache cache, DType kv) {
  const std::string kind = cache == Cache::latent ? "latent_decode" : "decode";
  const MeasuredForm* f = kv == DType::bf16 ? form(hw, kind) : kv == DType::fp8 ? form(hw, kind + "_fp8") : nullptr;
  if (!f) return std::nullopt;
  return DecodeCurve(*f, hw, own(hw, *hw.measured.curves));
}

std::optional<QuantizeCurve> quantize_curve(const HwProfile& hw, QuantizeStep step, Clocks clocks) {
  const MeasuredForm* f = form(hw, step == QuantizeStep::scale ? "scale" : "cast");
  if (!f) return std::nullopt;
  return QuantizeCurve(*f, kernel_numbers(hw, clocks), own(hw, *hw.measured.curves));
}

std::optional<MoeLayerCurve> moe_layer_curve(const HwProfile& hw, const MeasuredCurves& curves, MoeFormat format) {
  constexpr std::array<std::string_view, 4> kUses{"moe_bf16", "moe_fp8", "moe_fp8_block", "moe_nvfp4"};
  constexpr std::array kTypes{DType::bf16, DType::fp8, DType::fp8, DType::fp4};
  const auto i = static_cast<std::size_t>(format);
  const MeasuredForm* f = curves.form(kUses[i]);
  if (!f || !hw.gpu.peak.contains(kTypes[i])) return std::nullopt;
  return MoeLayerCurve(*f, hw, kTypes[i], own(hw, curves));
}

}  // namespace moesim
