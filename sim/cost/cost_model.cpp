#include "cost/cost_model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cost/gemm_curve.h"
#include "cost/prefill_attention.h"

namespace moesim {
namespace {

constexpr std::array kFormats{DType::fp32, DType::bf16, DType::fp8, DType::fp4};

/// What a file of curves rounds when it is written.
bool same(double a, double b) { return std::abs(a - b) <= 1e-3 * std::max(a, b); }

bool same_gemm(const KernelNumbers& a, const KernelNumbers& b, DType t) {
  const auto i = static_cast<std::size_t>(t);
  return a.gemm_rate[i] && b.gemm_rate[i] && same(*a.gemm_rate[i], *b.gemm_rate[i]) && same(a.bandwidth, b.bandwidth) &&
         same(a.gemm_memory, b.gemm_memory) && same(a.gemm_fixed, b.gemm_fixed) && same(a.half_k, b.half_k);
}

bool same_attention(const KernelNumbers& a, const KernelNumbers& b) {
  return same(a.attention_forward, b.attention_forward) && same(a.half_seq, b.half_seq) && same(a.narrow_head_factor, b.narrow_head_factor) &&
         same(a.bandwidth, b.bandwidth) && same(a.gemm_memory, b.gemm_memory) && same(a.memory_fixed, b.memory_fixed) && same(a.forward_half_tiles, b.forward_half_tiles);
}

bool is_multiplication(OpKind k) { return k == OpKind::gemm || k == OpKind::grouped_gemm; }

}  // namespace

std::string_view name(Provenance p) {
  constexpr std::array<std::string_view, kProvenances> names{"measured", "interpolated", "extrapolated", "analytic"};
  return names[static_cast<std::size_t>(p)];
}

struct CostModel::Carried {
  std::array<std::optional<GemmCurve>, kDTypes> forward, weight_gradient;   // input gradients are forward GEMMs of other sizes
  std::optional<PrefillCurve> attention, latent;

  Carried(const HwProfile& hw, const KernelNumbers& here, const MeasuredCurves& c, Kernels kernels) {
    const KernelNumbers burst = kernel_numbers(hw, Clocks::burst);
    const bool device = c.gpu == hw.gpu.name;
    for (const DType t : kFormats) {
      const auto i = static_cast<std::size_t>(t);
      const MeasuredGemm* timed = c.gemm(t == DType::fp8 ? std::string_view(hw.measured.fp8) : t == DType::fp4 ? "nvfp4" : moesim::name(t));
      if (!timed || !here.gemm_rate[i]) continue;
      Op op;
      op.kind = OpKind::gemm, op.dtype = t;
      forward[i].emplace(*timed, c.closed_form, here, op, device && same_gemm(burst, c.closed_form, t));
      op.pass = Pass::wgrad;
      weight_gradient[i].emplace(*timed, c.closed_form, here, op, false);
    }
    const bool own = device && same_attention(burst, c.closed_form), training = kernels == Kernels::training;
    if (const MeasuredForm* f = c.form(training ? "training" : "prefill")) attention.emplace(*f, here, own);
    if (const MeasuredForm* f = training ? nullptr : c.form("latent_prefill")) latent.emplace(*f, here, own);
  }

  const GemmCurve* gemm(const Op& op) const {
    const auto& curve = (op.pass == Pass::wgrad ? weight_gradient : forward)[static_cast<std::size_t>(op.dtype)];
    return curve ? &*curve : nullptr;
  }

  const PrefillCurve* of(const Op& op) const {
    if (op.pass != Pass::forward) return nullptr;
    const auto& curve = op.qk_dim == op.v_dim ? attention : latent;
    return curve ? &*curve : nullptr;
  }
};

namespace {

/// Every matrix with rows is a multiplication of its own, one after the other: what libraries gain by running some at a time they lose
/// between them (TransformerEngine on B200 takes 0.94 of this in the median, forward and backward).
KernelSeconds grouped(const GemmCurve& curve, const Op& op) {
  const auto one = [&](std::int64_t rows) { return curve.at(op.pass == Pass::wgrad ? GemmShape{op.k, op.n, rows} : GemmShape{rows, op.n, op.k}).seconds; };
  const std::int64_t matrices = std::max<std::int64_t>(touched(op), 1), rows = std::max(op.m, matrices);
  const std::int64_t most = op.busiest == 0 ? 0 : std::clamp(op.busiest, ceil_div(rows, matrices), rows - (matrices - 1));
  const std::int64_t others = most == 0 ? matrices : matrices - 1;
  double out = most == 0 ? 0 : one(most);
  if (others > 0) {
    const std::int64_t share = (rows - most) / others, larger = (rows - most) % others;
    if (larger < others) out += static_cast<double>(others - larger) * one(share);
    if (larger > 0) out += static_cast<double>(larger) * one(share + 1);
  }
  return {out, Provenance::extrapolated};
}

}  // namespace

CostModel::CostModel(const HwProfile& hw, Clocks clocks, Kernels kernels) : machine_(hw.name), numbers_(kernel_numbers(hw, clocks)) {
  if (hw.measured.curves && kernels != Kernels::closed_form) curves_ = std::make_shared<const Carried>(hw, numbers_, *hw.measured.curves, kernels);
}

void CostModel::refuse(DType type) const {
  std::string allowed;
  for (const DType t : kFormats)
    if (numbers_.gemm_rate[static_cast<std::size_t>(t)]) allowed += (allowed.empty() ? "" : ", ") + std::string(moesim::name(t));
  throw InputError(machine_ + ": found a GEMM in " + std::string(moesim::name(type)) + ", allowed on this machine is " + allowed);
}

KernelSeconds CostModel::kernel_seconds(const Op& op) const {
  if (is_multiplication(op.kind) && !numbers_.gemm_rate[static_cast<std::size_t>(op.dtype)]) refuse(op.dtype);
  const KernelSeconds burst = burst_seconds(op);
  const double held = held_seconds(numbers_, op);
  return held > burst.seconds ? KernelSeconds{held, std::max(burst.provenance, Provenance::extrapolated)} : burst;   // from a burst to a long load
}

KernelSeconds CostModel::burst_seconds(const Op& op) const {
  if (curves_ && op.kind == OpKind::gemm)
    if (const GemmCurve* curve = curves_->gemm(op)) {
      KernelSeconds out = curve->at({op.m, op.n, op.k});
      out.seconds += numbers_.gemm_fixed * (op.kernels - 1);
      if (op.pass == Pass::dgrad) out.provenance = Provenance::extrapolated;   // not timed in that layout
      return out;
    }
  if (curves_ && op.kind == OpKind::grouped_gemm)
    if (const GemmCurve* curve = curves_->gemm(op)) {
      KernelSeconds out = grouped(*curve, op);
      out.seconds /= numbers_.grouped_factor;
      return out;
    }
  if (curves_ && op.kind == OpKind::attention)
    if (const PrefillCurve* curve = curves_->of(op)) {
      KernelSeconds out = curve->at(prefill_case(op));
      out.seconds += numbers_.memory_fixed * (op.kernels - 1);
      return out;
    }
  return {closed_form_seconds(numbers_, op), Provenance::analytic};
}

double CostModel::stretch(const Op& op, Beside b) const { return moesim::stretch(numbers_, op, b); }

Cost CostModel::cost(const Op& op) const {
  const KernelSeconds s = kernel_seconds(op);
  return {std::max(time_from_seconds(s.seconds), kPicosecond), s.provenance};
}

}  // namespace moesim
