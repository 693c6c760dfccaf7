// Grouped-query attention: qkv, query/key norms, rotary, attention core, output gate, output projection.
#include "block/parts.h"

namespace moesim {

namespace {

struct Shape {
  std::int64_t tokens, tp, heads, kv_heads, q, kv;  // q, kv: elements a token on this rank
};

Shape shape(const NodeBuilder& b, const Gqa& a) {
  const std::int64_t tp = b.parallel().tp, kv = local_kv_heads(a, tp);
  return {b.settings().tokens(), tp, a.heads / tp, kv, a.heads / tp * a.head_dim, kv * a.head_dim};
}

Linear qkv(const NodeBuilder& b, const Gqa& a) {
  return {"qkv", b.settings().tokens(), b.settings().model->hidden_size, ((a.output_gate ? 2 : 1) * a.heads + 2 * a.kv_heads) * a.head_dim, Split::column};
}

/// With more ranks than key/value heads the columns that a rank computes are not those of its heads: all are gathered, and their
/// gradients scattered.
void share_heads(NodeBuilder& b, const Gqa& a, CollectiveOp op) {
  const Linear l = qkv(b, a);
  if (b.parallel().tp > a.kv_heads) b.exchange(op, GroupKind::tp, kHalf * l.tokens * l.out);
}

Linear out(const NodeBuilder& b, const Gqa& a) {
  return {"attention out", b.settings().tokens(), a.heads * a.head_dim, b.settings().model->hidden_size, Split::row};
}

Op core(const NodeBuilder& b, const Gqa& a, Pass pass) {
  const Shape s = shape(b, a);
  const std::int64_t length = b.settings().seq_length;
  Op op;
  op.kind = OpKind::attention;
  op.pass = pass;
  op.label = "attention";
  op.groups = b.settings().micro_batch_size;
  op.seq = length;
  op.window = a.window < length ? a.window : 0;
  if (a.chunked && op.window != 0 && length % op.window == 0) {  // chunks are sequences of their own
    op.groups *= length / op.window;
    op.seq = op.window;
    op.window = 0;
  }
  op.heads = s.heads;
  op.kv_heads = s.kv_heads;
  op.qk_dim = op.v_dim = a.head_dim;
  op.kernels = pass == Pass::forward ? 2 : 3;
  return op;
}

void gate(NodeBuilder& b, const Gqa& a, Pass pass) {
  const Shape s = shape(b, a);
  if (a.output_gate) b.stream(OpKind::memory_bound, "output gate", pass, (pass == Pass::forward ? 6 : 10) * s.q * s.tokens);
}

}  // namespace

void part_forward(NodeBuilder& b, const Gqa& a) {
  const Shape s = shape(b, a);
  linear_forward(b, qkv(b, a));
  share_heads(b, a, CollectiveOp::all_gather);
  if (a.qk_norm) b.stream(OpKind::memory_bound, "query/key norm", Pass::forward, 4 * (s.q + s.kv) * s.tokens, 2);
  b.stream(OpKind::memory_bound, "rotary", Pass::forward, 4 * (s.q + s.kv) * s.tokens, 2);
  attention_core(b, core(b, a, Pass::forward));
  gate(b, a, Pass::forward);
  linear_forward(b, out(b, a));
}

void part_backward(NodeBuilder& b, const Gqa& a) {
  const Shape s = shape(b, a);
  b.repeat(&Recompute::core_attn, [&] { attention_core(b, core(b, a, Pass::forward)); });
  linear_backward(b, out(b, a));
  gate(b, a, Pass::dgrad);
  attention_core(b, core(b, a, Pass::dgrad));
  b.stream(OpKind::memory_bound, "rotary", Pass::dgrad, 4 * (s.q + s.kv) * s.tokens, 2);
  if (a.qk_norm) b.stream(OpKind::memory_bound, "query/key norm", Pass::dgrad, 8 * (s.q + s.kv) * s.tokens, 4);
  share_heads(b, a, CollectiveOp::reduce_scatter);
  linear_backward(b, qkv(b, a));
}

}  // namespace moesim
