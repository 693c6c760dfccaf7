#include "cost/closed_form.h"

#include <algorithm>

#include "base/error.h"

namespace moesim {
namespace {

constexpr double kNarrowHead = 64, kFullHead = 128;
constexpr double kTileQueries = 128, kTileRows = 128;

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

double memory_seconds(const KernelNumbers& c, const Op& op, double share) { return d(traffic(op).count()) / (share * c.bandwidth); }

// Streams of hundreds of megabytes come nearer to the peak than shorter ones: with the share `memory_large`, and what the first bytes lose
// against it comes to a constant.
double stream_seconds(const KernelNumbers& c, const Op& op) {
  const double bytes = d(traffic(op).count());
  const double lost = bytes == 0 ? 0 : (1 / c.memory_bound - 1 / c.memory_large) * bytes * c.memory_half / (bytes + c.memory_half);
  return (bytes / c.memory_large + lost) / c.bandwidth;
}

// `reduction` is the length over which each output element sums.
double matrix_seconds(const KernelNumbers& c, const Op& op, double flops, double reduction) {
  const std::optional<double>& rate = c.gemm_rate[static_cast<std::size_t>(op.dtype)];
  if (!rate) throw InternalError("a GEMM in a format that has no rate");
  const double shape = flops == 0 ? 1 : 1 + c.half_k / reduction + c.half_k / (2 * d(op.n));
  return flops * shape / *rate;
}

// Weight gradients read and add to fp32 results when their sums are complete: half of what that moves beyond a bf16 result hides behind
// other tiles, half does not. SimuMax's timings of B200 and A100 give 0.6 and 0.5; shorter reductions feel it more.
constexpr double kExposedAccumulation = 0.5;
constexpr double kAccumulationBytes = 6;

double accumulation_seconds(const KernelNumbers& c, const Op& op, double results) { return op.pass == Pass::wgrad ? accumulation_seconds(c) * results : 0; }

double gemm_seconds(const KernelNumbers& c, const Op& op) {
  return matrix_seconds(c, op, flops(op).count(), d(op.k)) + accumulation_seconds(c, op, d(op.m) * d(op.n));
}

// Every matrix with rows pads them to whole tiles: half a tile on average.
double grouped_gemm_seconds(const KernelNumbers& c, const Op& op) {
  const double matrices = d(touched(op)), rows = d(op.m) + matrices * kTileRows / 2;
  const double reduction = op.pass == Pass::wgrad ? rows / std::max(matrices, 1.0) : d(op.k);
  return matrix_seconds(c, op, 2 * rows * d(op.n) * d(op.k), reduction) / c.grouped_factor + accumulation_seconds(c, op, matrices * d(op.n) * d(op.k));
}

double attention_seconds(const KernelNumbers& c, const Op& op) {
  const double span = d(op.window == 0 ? op.seq : std::min(op.seq, op.window));
  const bool forward = op.pass == Pass::forward;
  const double tiles = d(op.groups) * d(op.heads) * d(op.seq) / kTileQueries / c.sms;   // of an SM
  const double filling = 1 + (forward ? c.forward_half_tiles : c.backward_half_tiles) / tiles;
  const double rate = (forward ? c.attention_forward : c.attention_backward) * head_factor(mean_head_dim(op), c.narrow_head_factor);
  return flops(op).count() * (1 + c.half_seq / span) * filling / rate;
}

}  // namespace

double accumulation_seconds(const KernelNumbers& c) { return kExposedAccumulation * kAccumulationBytes / (c.gemm_memory * c.bandwidth); }

KernelNumbers kernel_numbers(const HwProfile& hw, Clocks clocks) {
  const ComputeProfile& p = hw.compute;
  const double held = clocks == Clocks::burst ? 1 : p.attention.sustained.value;
  KernelNumbers out;
  const auto set = [&hw](auto& rates, const std::map<DType, Sourced<double>>& share) {
    for (const auto& [type, peak] : hw.gpu.peak)
      if (const auto found = share.find(type); found != share.end()) rates[static_cast<std::size_t>(type)] = peak.value.count() * found->second.value;
  };
  set(out.gemm_rate, p.gemm.burst);
  if (clocks == Clocks::sustained) set(out.gemm_held, p.gemm.sustained);
  out.bandwidth = hw.gpu.memory_bandwidth.value.count();
  out.gemm_memory = p.gemm.memory.value, out.memory_bound = p.memory_bound.value, out.permute = p.permute.value;
  out.memory_large = p.memory_large ? std::max(p.memory_large->value, out.memory_bound) : out.memory_bound;
  out.memory_half = p.memory_half ? d(p.memory_half->value.count()) : 0;
  out.gemm_fixed = seconds(p.gemm.fixed.value), out.memory_fixed = seconds(p.memory_fixed.value);
  out.half_k = p.gemm.half_k.value, out.grouped_factor = p.grouped_gemm.factor.value;
  out.attention_forward = p.attention.forward.value.count() * held, out.attention_backward = p.attention.backward.value.count() * held;
  out.sms = d(hw.gpu.sms.value);
  out.forward_half_tiles = p.attention.forward_half_tiles.value, out.backward_half_tiles = p.attention.backward_half_tiles.value;
  out.half_seq = p.attention.half_seq.value, out.narrow_head_factor = p.attention.narrow_head_factor.value;
  return out;
}

double held_seconds(const KernelNumbers& c, const Op& op) {
  const std::optional<double>& rate = c.gemm_held[static_cast<std::size_t>(op.dtype)];
  if (!rate || (op.kind != OpKind::gemm && op.kind != OpKind::grouped_gemm)) return 0;
  const double results = op.kind == OpKind::gemm ? d(op.m) * d(op.n) : d(touched(op)) * d(op.n) * d(op.k);
  return flops(op).count() / *rate + accumulation_seconds(c, op, results);
}

Roofline roofline(const KernelNumbers& c, const Op& op) {
  const double gemm_fixed = c.gemm_fixed * op.kernels, fixed = c.memory_fixed * op.kernels;
  switch (op.kind) {
    case OpKind::gemm: return {gemm_seconds(c, op), memory_seconds(c, op, c.gemm_memory), held_seconds(c, op), gemm_fixed};
    case OpKind::grouped_gemm: return {grouped_gemm_seconds(c, op), memory_seconds(c, op, c.gemm_memory), held_seconds(c, op), gemm_fixed};
    case OpKind::attention: return {attention_seconds(c, op), memory_seconds(c, op, c.gemm_memory), 0, fixed};
    case OpKind::permute: return {0, memory_seconds(c, op, c.permute), 0, fixed};
    case OpKind::memory_bound:
    case OpKind::router:
    case OpKind::cast:
    case OpKind::optimizer:
    case OpKind::embedding:
    case OpKind::cross_entropy: break;
  }
  return {0, stream_seconds(c, op), 0, fixed};
}

double Roofline::seconds() const { return std::max(std::max(arithmetic, memory) + fixed, held); }

double closed_form_seconds(const KernelNumbers& c, const Op& op) { return roofline(c, op).seconds(); }


}  // namespace moesim
