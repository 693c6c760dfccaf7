#include "cost/cost_model.h"

#include <algorithm>

#include "base/error.h"

namespace moesim {

namespace {

constexpr double kNarrowHead = 64, kFullHead = 128;

double d(std::int64_t x) { return static_cast<double>(x); }

// Head size with queries, keys and values weighted as in the FLOPs of the pass: forward multiplies two matrices, backward five.
double mean_head_dim(const Op& op) {
  return op.pass == Pass::forward ? d(op.qk_dim + op.v_dim) / 2 : d(3 * op.qk_dim + 2 * op.v_dim) / 5;
}

// Attention rate for a head size over that of kFullHead. Below kNarrowHead the softmax, not the matrix products, takes the time:
// as many exponentials for fewer FLOPs.
double head_factor(double head_dim, double narrow) {
  if (head_dim >= kFullHead) return 1;
  if (head_dim <= kNarrowHead) return narrow * head_dim / kNarrowHead;
  return narrow + (1 - narrow) * (head_dim - kNarrowHead) / (kFullHead - kNarrowHead);
}

}  // namespace

std::string_view name(Provenance p) {
  constexpr std::array<std::string_view, kProvenances> names{"measured", "interpolated", "extrapolated", "analytic"};
  return names[static_cast<std::size_t>(p)];
}

CostModel::CostModel(const HwProfile& hw, Clocks clocks)
    : machine_(hw.name),
      compute_(hw.compute),
      bandwidth_(hw.gpu.memory_bandwidth.value.count()),
      attention_factor_(clocks == Clocks::burst ? 1 : hw.compute.attention.sustained.value) {
  const auto& share = clocks == Clocks::burst ? hw.compute.gemm.burst : hw.compute.gemm.sustained;
  for (const auto& [type, peak] : hw.gpu.peak)
    if (const auto found = share.find(type); found != share.end())
      rate_[static_cast<std::size_t>(type)] = peak.value.count() * found->second.value;
}

double CostModel::rate(DType type) const {
  const std::optional<double>& rate = rate_[static_cast<std::size_t>(type)];
  if (rate) return *rate;
  std::string allowed;
  for (const DType t : {DType::fp32, DType::bf16, DType::fp8, DType::fp4})
    if (rate_[static_cast<std::size_t>(t)]) allowed += (allowed.empty() ? "" : ", ") + std::string(moesim::name(t));
  throw InputError(machine_ + ": found a GEMM in " + std::string(moesim::name(type)) + ", allowed on this machine is " + allowed);
}

double CostModel::memory_seconds(const Op& op, double share) const { return d(traffic(op).count()) / (share * bandwidth_); }

// `reduction` is the length over which each output element sums.
double CostModel::matrix_seconds(const Op& op, double flops, double reduction) const {
  const double half = compute_.gemm.half_k.value;
  const double shape = flops == 0 ? 1 : 1 + half / reduction + half / (2 * d(op.n));
  return flops * shape / rate(op.dtype);
}

double CostModel::gemm_seconds(const Op& op) const {
  return std::max(matrix_seconds(op, flops(op).count(), d(op.k)), memory_seconds(op, compute_.gemm.memory.value));
}

// Every matrix with rows pads them to whole tiles: half a tile on average.
double CostModel::grouped_gemm_seconds(const Op& op) const {
  const double touched = d(std::min(op.groups, op.m));
  const double rows = d(op.m) + touched * d(compute_.grouped_gemm.tile_rows.value) / 2;
  const double reduction = op.pass == Pass::wgrad ? rows / std::max(touched, 1.0) : d(op.k);
  const double arithmetic = matrix_seconds(op, 2 * rows * d(op.n) * d(op.k), reduction) / compute_.grouped_gemm.factor.value;
  return std::max(arithmetic, memory_seconds(op, compute_.gemm.memory.value));
}

double CostModel::attention_seconds(const Op& op) const {
  const AttentionProfile& a = compute_.attention;
  const double span = d(op.window == 0 ? op.seq : std::min(op.seq, op.window));
  const double peak = (op.pass == Pass::forward ? a.forward : a.backward).value.count() * attention_factor_;
  const double rate = peak * head_factor(mean_head_dim(op), a.narrow_head_factor.value);
  const double arithmetic = flops(op).count() * (1 + a.half_seq.value / span) / rate;
  return std::max(arithmetic, memory_seconds(op, compute_.gemm.memory.value));
}

Cost CostModel::cost(const Op& op) const {
  double busy = 0;
  Time fixed = compute_.memory_fixed.value;
  switch (op.kind) {
    case OpKind::gemm: busy = gemm_seconds(op), fixed = compute_.gemm.fixed.value; break;
    case OpKind::grouped_gemm: busy = grouped_gemm_seconds(op), fixed = compute_.gemm.fixed.value; break;
    case OpKind::attention: busy = attention_seconds(op); break;
    case OpKind::permute: busy = memory_seconds(op, compute_.permute.value); break;
    case OpKind::memory_bound:
    case OpKind::router:
    case OpKind::cast:
    case OpKind::optimizer:
    case OpKind::embedding:
    case OpKind::cross_entropy: busy = memory_seconds(op, compute_.memory_bound.value); break;
  }
  const Time time = time_from_seconds(busy + seconds(fixed) * op.kernels);
  return {std::max(time, kPicosecond), Provenance::analytic};
}

}  // namespace moesim
