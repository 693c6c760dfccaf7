// One kernel (or a fixed handful launched together): what it computes, its shape on one rank, its number format and pass.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.h"
#include "base/units.h"

namespace moesim {

enum class OpKind : std::uint8_t {
  gemm, grouped_gemm, attention, memory_bound, router, permute, cast, optimizer, embedding, cross_entropy,
};
constexpr std::size_t kOpKinds = 10;
std::string_view name(OpKind);

enum class Pass : std::uint8_t { forward, dgrad, wgrad };

struct Op {
  OpKind kind{};
  Pass pass = Pass::forward;
  DType dtype = DType::bf16;
  std::string_view label;                      // "qkv", "fc1": a literal

  // gemm: C[m,n] = A[m,k] B[k,n]; wgrad adds into an fp32 C. grouped_gemm: m rows in all, over `groups` matrices k x n, so
  // C[m,n] = A[m,k] B_group[k,n]; its wgrad reduces over the rows instead and adds A^T[k,m] C[m,n] into `groups` fp32 matrices k x n.
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t groups = 1;
  std::int64_t busiest = 0;                    // grouped_gemm: rows of the matrix that has most; the others share the rest alike. 0 = all do

  // attention: `groups` sequences of `seq` queries and keys, causal; sliding window, 0 = full (a chunked layer is more, shorter
  // sequences). The backward kernel is one op of pass dgrad.
  std::int64_t seq = 0, heads = 0, kv_heads = 0, qk_dim = 0, v_dim = 0, window = 0;

  Bytes traffic{0};                            // kinds other than gemm, grouped_gemm and attention: bytes read + written
  std::uint32_t kernels = 1;                   // launches
  bool recompute = false;                      // runs forward work again during backward
  bool graphed = false;                        // launched with the CUDA graph that it is in
  bool operator==(const Op&) const = default;
};

/// Matrices of a grouped_gemm that have rows, of `groups` at most.
std::int64_t touched(const Op&);
/// Multiply-adds x 2 that the kernel performs (causal half for attention); 0 for memory-bound kinds.
Flops flops(const Op&);
/// Bytes that must cross HBM once: operands read, results written (bf16 from narrower operands; read and written where accumulated).
Bytes traffic(const Op&);

}  // namespace moesim
