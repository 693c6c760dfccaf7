#include "parallel/rules.h"

#include <string>

#include "base/error.h"

namespace moesim {
namespace {

/// The divisors of n, ascending: "1, 2, 4, 8".
std::string divisors(std::int64_t n) {
  std::string low, high;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low += (low.empty() ? "" : ", ") + std::to_string(d);
    if (d * d != n) high = ", " + std::to_string(n / d) + high;
  }
  return low + high;
}

/// `size` is named as the user writes it, `quantity` is what it must divide.
void must_divide(const char* size, std::int64_t found, const std::string& quantity, std::int64_t n) {
  if (n % found == 0) return;
  throw InputError(std::string(size) + ": found " + std::to_string(found) + ", allowed is a divisor of " + quantity + " " +
                   std::to_string(n) + ": " + divisors(n));
}

/// Tensor parallelism cuts every mixer by heads and every dense unit by columns.
struct PartRules {
  const ParallelSizes& sizes;

  static std::int64_t qkv_columns(const Gqa& a) { return ((a.output_gate ? 2 : 1) * a.heads + 2 * a.kv_heads) * a.head_dim; }
  void tp(const std::string& quantity, std::int64_t n) const { must_divide("tp", sizes.tp, quantity, n); }

  void operator()(const Gqa& part) const {
    tp("the attention heads", part.heads);
    // Beyond the number of key/value heads, ranks hold copies of them: Megatron gathers q, k and v, and each rank keeps its part.
    if (sizes.tp > part.kv_heads && sizes.tp % part.kv_heads == 0) tp("the columns of queries, keys and values", qkv_columns(part));
    else tp("the key/value heads", part.kv_heads);
  }
  void operator()(const Mla& part) const { tp("the attention heads", part.heads); }
  void operator()(const CompressedAttention& part) const { tp("the attention heads", part.heads); }
  void operator()(const DeltaNet& part) const {
    tp("the key heads of the delta net", part.key_heads);
    tp("the value heads of the delta net", part.value_heads);
  }
  void operator()(const Lightning& part) const { tp("the lightning attention heads", part.heads); }
  void operator()(const Mamba& part) const { tp("the inner width of Mamba", part.inner); }
  void operator()(const Mamba2& part) const {
    tp("the heads of Mamba-2", part.heads);
    tp("the groups of Mamba-2", part.groups);
  }
  void operator()(const DenseMlp& part) const { tp("ffn_hidden_size", part.ffn_hidden_size); }
  void operator()(const MoeMlp& part) const {
    must_divide("ep", sizes.ep, "num_experts", part.num_experts);
    must_divide("etp", sizes.etp, "moe_ffn_hidden_size", part.moe_ffn_hidden_size);
    if (part.shared_expert_ffn_hidden_size > 0) tp("the shared experts' ffn_hidden_size", part.shared_expert_ffn_hidden_size);
  }
};

void check_parts(const ModelSpec& model, const ParallelSizes& sizes) {
  for (const LayerKind& kind : model.kinds)
    for (const Part& part : kind.parts) std::visit(PartRules{sizes}, part);
}

void check_experts(const ModelSpec& model, const ParallelSizes& sizes, const LayoutUse& use) {
  if (!model.moe()) {
    if (sizes.ep > 1) throw InputError("ep: found " + std::to_string(sizes.ep) + ", allowed is 1: the model has no experts");
    return;
  }
  if (use.training && sizes.tp > 1 && !use.sequence_parallel)
    throw InputError("tp: found " + std::to_string(sizes.tp) +
                     " without sequence parallelism, allowed is 1: training a MoE model with tp > 1 needs sequence_parallel");
}

/// Context parallelism gives each rank two slices of the sequence (one early, one late, for equal causal work); sequence parallelism
/// cuts a rank's part once more by tp.
void check_sequence(const ParallelSizes& sizes, const LayoutUse& use) {
  if (use.seq_length == 0) return;
  const auto fail = [&](const std::string& rule, std::int64_t product) {
    throw InputError("seq_length: found " + std::to_string(use.seq_length) + ", allowed is a multiple of " + rule + " = " +
                     std::to_string(product));
  };
  if (sizes.cp > 1 && use.seq_length % (2 * sizes.cp) != 0) fail("2 * cp = 2 * " + std::to_string(sizes.cp), 2 * sizes.cp);
  if (use.sequence_parallel && use.seq_length % (sizes.cp * sizes.tp) != 0)
    fail("cp * tp = " + std::to_string(sizes.cp) + " * " + std::to_string(sizes.tp), sizes.cp * sizes.tp);
}

}  // namespace

void check_model_fits_layout(const ModelSpec& model, const ParallelLayout& layout, const LayoutUse& use) {
  check_experts(model, layout.sizes(), use);
  check_parts(model, layout.sizes());
  check_sequence(layout.sizes(), use);
}

}  // namespace moesim
