// Sources and checks of the inventory: README.md.
#include "block/inventory.h"

#include <algorithm>

#include "block/parts.h"

namespace moesim {

namespace {

using R = Recompute;

constexpr std::string_view kNormOutput = "norm output";

/// Adds tensors in the shapes that occur.
class List {
 public:
  explicit List(const LayerSettings& s)
      : s_(s), h_(s.model->hidden_size), tp_(s.parallel.tp), narrow_(moesim::narrow(s.precision.compute)) {}

  std::int64_t h() const { return h_; }
  std::int64_t tp() const { return tp_; }
  bool narrow() const { return narrow_; }
  const LayerSettings& settings() const { return s_; }
  /// Bytes of `n` elements that only matrix products read: kept in the compute format if that is narrower than bf16.
  std::int64_t operand(std::int64_t n) const { return narrow_ ? n * bits(s_.precision.compute) / 8 : kHalf * n; }

  /// Tensors with one row a token of the micro-batch, `bytes` on this rank.
  void tokens(std::string_view name, std::int64_t bytes, std::vector<bool R::*> dropped_by = {}) {
    put({name, bytes * s_.tokens(), false, std::move(dropped_by)});
  }
  /// As tokens(), for activations that sequence parallelism splits.
  void split(std::string_view name, std::int64_t bytes, std::vector<bool R::*> dropped_by = {}) {
    put({name, bytes * s_.split_tokens(), false, std::move(dropped_by)});
  }
  void copies(std::string_view name, std::int64_t bytes, std::vector<bool R::*> dropped_by = {}) {
    put({name, bytes, true, std::move(dropped_by)});
  }
  Inventory take() { return std::move(out_); }

 private:
  void put(InventoryTensor t) {
    if (t.bytes != 0) out_.push_back(std::move(t));
  }
  const LayerSettings& s_;
  std::int64_t h_, tp_;
  bool narrow_;
  Inventory out_;
};

/// What the attention core keeps between its products: statistics of rows with a fused kernel, else probabilities, dropout mask and
/// what is left of them: 5 bytes a score (Korthikanti et al., arXiv 2205.05198, section 4.1).
void scores(List& l, std::int64_t heads, std::int64_t window) {
  const std::int64_t length = l.settings().seq_length, keys = window != 0 ? std::min(window, length) : length;
  if (l.settings().stack->fused_attention) l.tokens("softmax statistics", 4 * heads, {&R::core_attn});
  else l.tokens("attention probabilities", 5 * heads * keys, {&R::core_attn});
}

void add(List& l, const Gqa& a) {
  const std::int64_t q = a.heads / l.tp() * a.head_dim, kv = local_kv_heads(a, l.tp()) * a.head_dim;
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  if (a.qk_norm) l.tokens("q, k before their norms", kHalf * (q + kv));
  l.tokens("q, k, v after rotary", kHalf * (q + 2 * kv));
  scores(l, a.heads / l.tp(), a.window);
  l.tokens("attention output", kHalf * q);
  if (a.output_gate) {
    l.tokens("output gate", kHalf * q);
    l.tokens("gated attention output", kHalf * q);
  }
}

void add(List& l, const Mla& a) {
  const std::int64_t heads = a.heads / l.tp(), qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  // Each of the two down-projections quantises the norm output for itself.
  if (l.narrow()) l.split("norm output, second quantised copy", l.operand(l.h()), {&R::layernorm});
  if (a.q_lora_rank) {
    l.split("q latent", kHalf * a.q_lora_rank);
    l.split("q latent after norm", l.operand(a.q_lora_rank));
  }
  l.split("kv latent and rotary key", kHalf * (a.kv_lora_rank + a.qk_rope_head_dim));
  l.split("kv latent after norm", l.operand(a.kv_lora_rank));
  if (a.index_heads)
    l.tokens("indexer q, k, weights", kHalf * (a.index_heads * a.index_head_dim + a.index_head_dim + a.index_heads));
  l.tokens("q, k, v after rotary", kHalf * heads * (2 * qk + a.v_head_dim), {&R::mla_up_proj});
  scores(l, heads, a.index_topk);
  l.tokens("attention output", kHalf * heads * a.v_head_dim);
}

void add(List& l, const DenseMlp& u) {
  const std::int64_t ffn = u.ffn_hidden_size / l.tp();
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  l.tokens("fc1 output", kHalf * (u.gated ? 2 : 1) * ffn, {&R::mlp});
  l.tokens("activation output", l.operand(ffn), {&R::mlp});
}

void add_shared(List& l, const MoeMlp& u) {
  const std::int64_t ffn = u.shared_expert_ffn_hidden_size / l.tp();
  if (ffn == 0) return;
  if (l.narrow()) l.split("shared expert input, quantised", l.operand(l.h()), {&R::layernorm, &R::moe, &R::shared_experts});
  l.tokens("shared fc1 output", kHalf * (u.gated ? 2 : 1) * ffn, {&R::moe, &R::shared_experts});
  l.tokens("shared activation output", l.operand(ffn), {&R::moe, &R::shared_experts});
  if (u.shared_expert_gate) l.split("shared expert output before gate", kHalf * l.h(), {&R::moe, &R::shared_experts});
}

void add(List& l, const MoeMlp& u) {
  const std::int64_t w = expert_width(l.settings(), u), experts = u.num_experts + u.zero_experts;
  const std::int64_t ffn = u.moe_ffn_hidden_size,
                     etp = l.settings().parallel.etp;    // ETP: etp times the copies, 1 / etp of the width
  l.split(kNormOutput, kHalf * l.h(), {&R::layernorm});  // bf16: the router reads it
  l.split("router probabilities", 4 * experts, {&R::moe});
  l.split("routing map", 8 * experts, {&R::moe});
  if (u.latent_size) l.split("latent tokens", kHalf * w, {&R::moe});
  add_shared(l, u);
  l.copies("permuted tokens", l.operand(w) * etp, {&R::moe});
  l.copies("expert fc1 output", kHalf * (u.gated ? 2 : 1) * ffn, {&R::moe});
  l.copies("expert activation output", l.operand(ffn), {&R::moe, &R::moe_act});
  l.split("combine output", kHalf * w, {&R::moe});
}

// Mixers whose time is not modelled yet: what their public implementations keep. No published check covers them.
void add(List& l, const CompressedAttention& a) {
  const std::int64_t q = a.heads * a.head_dim / l.tp();
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  l.split("q latent", 2 * kHalf * a.q_lora_rank);
  l.tokens("q, k, v after rotary", kHalf * (q + a.head_dim));
  l.tokens("softmax statistics", 4 * a.heads / l.tp(), {&R::core_attn});
  l.tokens("attention output", kHalf * q);
  l.split("output latent", kHalf * a.o_groups * a.o_lora_rank);
}

void add(List& l, const DeltaNet& a) {
  const std::int64_t k = a.key_heads * a.key_dim / l.tp(), v = a.value_heads * a.value_dim / l.tp();
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  l.tokens("q, k, v, gate before convolution", kHalf * (2 * k + 2 * v));
  l.tokens("q, k, v after convolution", kHalf * (2 * k + v));
  l.tokens("decay and beta", 8 * a.value_heads / l.tp());
  l.tokens("mixer output and its norm", 2 * kHalf * v);
}

void add(List& l, const Lightning& a) {
  const std::int64_t q = a.heads * a.head_dim / l.tp();
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  l.tokens("q, k, v, gate", 4 * kHalf * q);
  l.tokens("mixer output and its norm", 2 * kHalf * q);
}

void add_scan(List& l, std::int64_t inner, std::int64_t state_inputs) {
  l.split(kNormOutput, l.operand(l.h()), {&R::layernorm});
  l.tokens("x, gate, state inputs before convolution", kHalf * (2 * inner + state_inputs));
  l.tokens("x, state inputs after convolution", kHalf * (inner + state_inputs));
  l.tokens("scan output and gated output", 2 * kHalf * inner);
}

void add(List& l, const Mamba& a) { add_scan(l, a.inner / l.tp(), 2 * a.state + a.dt_rank); }
void add(List& l, const Mamba2& a) { add_scan(l, a.heads * a.head_dim / l.tp(), (2 * a.groups * a.state + a.heads) / l.tp()); }

}  // namespace

std::vector<Inventory> inventory(const LayerSettings& s, const LayerKind& kind) {
  const NormPlan plan = norm_plan(kind);
  std::vector<Inventory> out;
  bool input = true;
  for (std::size_t i = 0; i < kind.parts.size(); ++i) {
    List list(s);
    const bool norm = plan.before(kind.parts[i]);
    if (norm) list.split("norm input", kHalf * list.h());
    std::visit([&](const auto& p) { add(list, p); }, kind.parts[i]);
    if (plan.after(i)) list.split("post-norm input", kHalf * list.h());
    Inventory tensors = list.take();
    if (!norm)
      std::erase_if(tensors, [](const InventoryTensor& t) { return t.name == kNormOutput; });  // its neighbour's
    else if (input) {
      tensors.front().layer_input = true;
      input = false;
    }
    out.push_back(std::move(tensors));
  }
  return out;
}

bool dropped(const InventoryTensor& t, const Recompute& r) {
  if (r.granularity == RecomputeGranularity::full) return !t.layer_input;
  if (r.granularity == RecomputeGranularity::none) return false;
  return std::any_of(t.dropped_by.begin(), t.dropped_by.end(), [&](bool R::*module) { return r.*module; });
}

}  // namespace moesim
