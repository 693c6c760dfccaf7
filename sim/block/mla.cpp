// Multi-head latent attention: down-projections, latent norms, up-projections, rotary split and concat, core, output projection.
// Under TP the down-projections are replicated and, with sequence parallelism, work on the split tokens: what is gathered is the
// latents.
#include "block/parts.h"

namespace moesim {

namespace {

struct Shape {
  std::int64_t tokens, split, tp, hidden, heads, qk;  // heads on this rank; qk: elements of a query head
};

Shape shape(const NodeBuilder& b, const Mla& a) {
  const LayerSettings& s = b.settings();
  return {s.tokens(),           s.split_tokens(),        s.parallel.tp,
          s.model->hidden_size, a.heads / s.parallel.tp, a.qk_nope_head_dim + a.qk_rope_head_dim};
}

Linear q_down(const Shape& s, const Mla& a) { return {"q down", s.split, s.hidden, a.q_lora_rank}; }
Linear kv_down(const Shape& s, const Mla& a) { return {"kv down", s.split, s.hidden, a.kv_lora_rank + a.qk_rope_head_dim}; }
Linear q_up(const Shape& s, const Mla& a) {
  return {a.q_lora_rank ? "q up" : "q", s.tokens, a.q_lora_rank ? a.q_lora_rank : s.hidden, a.heads * s.qk, Split::column};
}
Linear kv_up(const Shape& s, const Mla& a) {  // the rotary key is gathered together with the latent
  return {"kv up",
          s.tokens,
          a.kv_lora_rank,
          a.heads * (a.qk_nope_head_dim + a.v_head_dim),
          Split::column,
          true,
          a.kv_lora_rank + a.qk_rope_head_dim};
}
Linear out(const Shape& s, const Mla& a) { return {"attention out", s.tokens, a.heads * a.v_head_dim, s.hidden, Split::row}; }

/// The sparse indexer is replicated over TP and sees all tokens.
std::vector<Linear> indexer(const Shape& s, const Mla& a) {
  if (a.index_heads == 0) return {};
  const std::int64_t query_width = a.q_lora_rank ? a.q_lora_rank : s.hidden;
  return {{"indexer q", s.tokens, query_width, a.index_heads * a.index_head_dim, Split::none, false},
          {"indexer k", s.tokens, s.hidden, a.index_head_dim, Split::none, false},
          {"indexer weights", s.tokens, s.hidden, a.index_heads, Split::none, false}};
}

Op core(const NodeBuilder& b, const Mla& a, Pass pass) {
  const Shape s = shape(b, a);
  Op op;
  op.kind = OpKind::attention;
  op.pass = pass;
  op.label = "attention";
  op.groups = b.settings().micro_batch_size;
  op.seq = b.settings().seq_length;
  op.window = a.index_topk < op.seq ? a.index_topk : 0;  // the best index_topk keys cost as much as a window of them
  op.heads = op.kv_heads = s.heads;
  op.qk_dim = s.qk;
  op.v_dim = a.v_head_dim;
  op.kernels = pass == Pass::forward ? 2 : 3;
  return op;
}

/// Every earlier position scored by the indexer's heads: a query-key product without values, and the choice of the best.
Op index_scores(const NodeBuilder& b, const Mla& a, Pass pass) {
  Op op = core(b, a, pass);
  op.label = "indexer scores";
  op.window = 0;
  op.heads = a.index_heads;
  op.kv_heads = 1;
  op.qk_dim = a.index_head_dim;
  op.v_dim = 0;
  return op;
}

std::int64_t rotary_bytes(const Shape& s, const Mla& a) { return 4 * s.heads * (2 * s.qk + a.v_head_dim) * s.tokens; }

void up_projections(NodeBuilder& b, const Mla& a) {
  const Shape s = shape(b, a);
  linear_forward(b, q_up(s, a));
  linear_forward(b, kv_up(s, a));
  b.stream(OpKind::memory_bound, "rotary", Pass::forward, rotary_bytes(s, a), 4);
}

}  // namespace

void part_forward(NodeBuilder& b, const Mla& a) {
  const Shape s = shape(b, a);
  if (a.q_lora_rank) linear_forward(b, q_down(s, a));
  linear_forward(b, kv_down(s, a));
  if (a.q_lora_rank) norm_forward(b, "q latent norm", s.split, a.q_lora_rank);
  norm_forward(b, "kv latent norm", s.split, a.kv_lora_rank);
  up_projections(b, a);
  for (const Linear& l : indexer(s, a)) linear_forward(b, l);
  if (a.index_heads) b.add(index_scores(b, a, Pass::forward));
  attention_core(b, core(b, a, Pass::forward));
  linear_forward(b, out(s, a));
}

void part_backward(NodeBuilder& b, const Mla& a) {
  const Shape s = shape(b, a);
  b.repeat(&Recompute::mla_up_proj, [&] { up_projections(b, a); });
  b.repeat(&Recompute::core_attn, [&] { attention_core(b, core(b, a, Pass::forward)); });
  linear_backward(b, out(s, a));
  attention_core(b, core(b, a, Pass::dgrad));
  if (a.index_heads) b.add(index_scores(b, a, Pass::dgrad));
  for (const Linear& l : indexer(s, a)) linear_backward(b, l);
  b.stream(OpKind::memory_bound, "rotary", Pass::dgrad, rotary_bytes(s, a), 3);
  linear_backward(b, kv_up(s, a));
  linear_backward(b, q_up(s, a));
  norm_backward(b, "kv latent norm", s.split, a.kv_lora_rank, 1);
  if (a.q_lora_rank) norm_backward(b, "q latent norm", s.split, a.q_lora_rank, 1);
  linear_backward(b, kv_down(s, a));
  if (a.q_lora_rank) linear_backward(b, q_down(s, a));
}

}  // namespace moesim
