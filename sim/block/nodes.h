// Internal to block: a node list under construction, and the linear layer with its tensor-parallel transfers.
#pragma once

#include <string_view>

#include "block/layer.h"

namespace moesim {

constexpr std::int64_t kHalf = 2;  // bytes of a bf16 element

/// Key/value heads that a rank attends with: with more ranks than heads, several ranks hold the same one.
inline std::int64_t local_kv_heads(const Gqa& a, std::int64_t tp) { return tp > a.kv_heads ? 1 : a.kv_heads / tp; }

class NodeBuilder {
 public:
  explicit NodeBuilder(const LayerSettings& s) : settings_(s) {}

  const LayerSettings& settings() const { return settings_; }
  const ParallelSizes& parallel() const { return settings_.parallel; }
  bool gathers_sequence() const { return parallel().tp > 1 && settings_.sequence_parallel; }

  void add(Op);
  void add(ExpertKernel);
  void add(const Node& n) { out_.push_back(n); }
  /// Kernels that stream `bytes` through memory.
  void stream(OpKind, std::string_view label, Pass, std::int64_t bytes, std::uint32_t kernels = 1);
  /// Nothing in a group of one.
  void exchange(CollectiveOp, GroupKind, std::int64_t bytes);
  /// The same in the TP group, with tp_overlap beside the kernels up to join(), which adds nothing if nothing runs beside them.
  void exchange_behind(CollectiveOp, std::int64_t bytes);
  void join();
  void host(Time per_unit, std::int64_t units);

  /// Runs `lower` with what it adds in one CUDA graph, if `on`: the host launches that, and does none of the work inside. Graphs do not nest.
  template <class F>
  void graphed(bool on, F lower) {
    if (!on || graphed_) return lower();
    host(settings_.stack->host_per_graph.value, 1);
    graphed_ = true;
    lower();
    graphed_ = false;
  }

  /// Runs `forward` again as recomputation, if the granularity is selective and `module` is chosen.
  template <class F>
  void repeat(bool Recompute::*module, F forward) {
    if (!selective(settings_, module)) return;
    host(settings_.stack->host_per_recompute_module.value, 1);
    recomputed(forward);
  }
  /// Runs `forward` with its kernels marked as recomputation.
  template <class F>
  void recomputed(F forward) {
    const bool before = recompute_;
    recompute_ = true;
    forward();
    recompute_ = before;
  }
  static bool selective(const LayerSettings& s, bool Recompute::*module) {
    return s.recompute.granularity == RecomputeGranularity::selective && s.recompute.*module;
  }

  NodeList take() { return std::move(out_); }

 private:
  const LayerSettings& settings_;
  NodeList out_;
  bool recompute_ = false, behind_ = false, graphed_ = false;
};

enum class Split : std::uint8_t { none, column, row };

/// Y[tokens, out] = X[tokens, in] W[in, out]. `in` and `out` are unsharded; TP splits `out` (column) or `in` (row).
/// With sequence parallelism a column layer gathers its input, and again for the weight gradient; a row layer scatters its output.
/// Backward of a column layer with tp_overlap: that gather goes on behind the input gradient, and the input gradient is scattered (or
/// reduced) behind the weight gradient.
struct Linear {
  std::string_view label;
  std::int64_t tokens = 0;  // rows of the product on this rank, after the gather
  std::int64_t in = 0, out = 0;
  Split split = Split::none;
  bool quantised = true;          // runs in the compute format of the scenario, else bf16
  std::int64_t gather_width = 0;  // elements a token that the gather moves, 0 = in

  std::int64_t local_in(std::int64_t tp) const { return split == Split::row ? in / tp : in; }
  std::int64_t local_out(std::int64_t tp) const { return split == Split::column ? out / tp : out; }
};

void linear_forward(NodeBuilder&, const Linear&);
void linear_backward(NodeBuilder&, const Linear&);

/// Norm over `tokens` vectors of `width`.
void norm_forward(NodeBuilder&, std::string_view label, std::int64_t tokens, std::int64_t width);
void norm_backward(NodeBuilder&, std::string_view label, std::int64_t tokens, std::int64_t width, std::uint32_t kernels = 2);

/// Activation between fc1 and fc2: bytes a token for `ffn` outputs.
constexpr std::int64_t activation_forward_bytes(bool gated, std::int64_t ffn) { return (gated ? 6 : 4) * ffn; }
constexpr std::int64_t activation_backward_bytes(bool gated, std::int64_t ffn) { return (gated ? 10 : 6) * ffn; }

/// Bytes an element that quantisation to a narrow format reads and writes: amax, cast and transposed copy.
constexpr std::int64_t kCastBytes = 6;
inline bool narrow(DType t) { return bits(t) < 16; }

}  // namespace moesim
