#include "model/op.h"

#include <algorithm>
#include <array>

namespace moesim {

namespace {

constexpr double kFp32Accumulate = 8;  // bytes an element of a weight gradient: read and written in fp32

constexpr double kMostBytes = 2e18;          // of one operand: three of them still are a number, and no kernel of that size ends

Bytes whole(double bytes) { return Bytes{static_cast<std::int64_t>(std::min(bytes, kMostBytes))}; }

Bytes elements(double count, DType t) { return whole(count * static_cast<double>(bits(t)) / 8); }

double d(std::int64_t x) { return static_cast<double>(x); }

// GEMM results leave in bf16 whatever narrow format went in.
DType output_type(DType in) { return in == DType::fp32 ? DType::fp32 : DType::bf16; }

Bytes gemm_traffic(const Op& op) {
  const Bytes in = elements(d(op.m) * d(op.k) + d(op.k) * d(op.n), op.dtype);
  const double out = d(op.m) * d(op.n);
  if (op.pass == Pass::wgrad) return in + whole(out * kFp32Accumulate);
  return in + elements(out, output_type(op.dtype));
}

Bytes grouped_traffic(const Op& op) {
  const double rows_in = d(op.m) * d(op.k), rows_out = d(op.m) * d(op.n), weights = d(touched(op)) * d(op.k) * d(op.n);
  if (op.pass == Pass::wgrad)
    return elements(rows_in + rows_out, op.dtype) + whole(weights * kFp32Accumulate);
  return elements(rows_in + weights, op.dtype) + elements(rows_out, output_type(op.dtype));
}

// Pairs of query and key that causal attention over one sequence looks at.
double causal_pairs(double seq, double window) {
  const double w = window == 0 ? seq : std::min(window, seq);
  return seq * w - w * w / 2;
}

// Forward: Q K^T and P V. Backward repeats Q K^T and adds dP, dV, dQ, dK.
Flops attention_flops(const Op& op) {
  const double pairs = d(op.groups) * d(op.heads) * causal_pairs(d(op.seq), d(op.window));
  switch (op.pass) {
    case Pass::forward:
      return Flops{2 * pairs * d(op.qk_dim + op.v_dim)};
    case Pass::dgrad:
      return Flops{2 * pairs * d(3 * op.qk_dim + 2 * op.v_dim)};
    case Pass::wgrad:
      return Flops{0};
  }
  return Flops{0};
}

Bytes attention_traffic(const Op& op) {
  const double tokens = d(op.groups) * d(op.seq);
  const double inputs = tokens * d(op.heads * op.qk_dim + op.kv_heads * (op.qk_dim + op.v_dim));
  const double output = tokens * d(op.heads * op.v_dim);
  switch (op.pass) {
    case Pass::forward:
      return elements(inputs + output, op.dtype);
    case Pass::dgrad:
      return elements(2 * inputs + 2 * output, op.dtype);
    case Pass::wgrad:
      return Bytes{0};
  }
  return Bytes{0};
}

}  // namespace

std::int64_t touched(const Op& op) { return std::min(op.groups, op.m); }

std::string_view name(OpKind kind) {
  constexpr std::array<std::string_view, kOpKinds> names{"gemm",    "grouped_gemm", "attention", "memory_bound", "router",
                                                         "permute", "cast",         "optimizer", "embedding",    "cross_entropy"};
  return names[static_cast<std::size_t>(kind)];
}

Flops flops(const Op& op) {
  switch (op.kind) {
    case OpKind::gemm:
    case OpKind::grouped_gemm:
      return Flops{2 * d(op.m) * d(op.n) * d(op.k)};
    case OpKind::attention:
      return attention_flops(op);
    default:
      return Flops{0};
  }
}

Bytes traffic(const Op& op) {
  switch (op.kind) {
    case OpKind::gemm:
      return gemm_traffic(op);
    case OpKind::grouped_gemm:
      return grouped_traffic(op);
    case OpKind::attention:
      return attention_traffic(op);
    default:
      return op.traffic;
  }
}

}  // namespace moesim
