// What stands at the ends of the model: embedding, multi-token prediction, loss head.
#include "block/parts.h"
#include "model/count.h"

namespace moesim {

namespace {

struct CrossEntropy {
  std::int64_t forward_bytes, backward_bytes;
  std::uint32_t forward_kernels, backward_kernels;
};
// Bytes are per logit. Unfused: fp32 copy, maximum, exponentials, softmax kept: 18 in all. Fused: two passes over bf16 logits that
// leave the gradient in their place, and one that scales it.
constexpr CrossEntropy kUnfused{10, 8, 6, 8}, kFused{6, 4, 2, 1};

const CrossEntropy& cross_entropy(const LayerSettings& s) { return s.stack->cross_entropy_fusion ? kFused : kUnfused; }

Linear logits(const LayerSettings& s) {
  return {"logits", s.tokens(), s.model->hidden_size, padded_vocab(s.model->vocab_size, s.parallel.tp), Split::column, false};
}

std::int64_t local_logits(const LayerSettings& s) { return logits(s).local_out(s.parallel.tp) * s.tokens(); }

/// Maximum, target logit and sum of exponentials of every token, over the split vocabulary.
void share_scalars(NodeBuilder& b) {
  const LayerSettings& s = b.settings();
  if (s.stack->cross_entropy_fusion) {
    b.exchange(CollectiveOp::all_gather, GroupKind::tp, 3 * 4 * s.tokens() * s.parallel.tp);
    return;
  }
  for (int i = 0; i < 3; ++i) b.exchange(CollectiveOp::all_reduce, GroupKind::tp, 4 * s.tokens());
}

Linear mtp_projection(const LayerSettings& s) {
  return {"mtp projection", s.tokens(), 2 * s.model->hidden_size, s.model->hidden_size, Split::column, false};
}

void mtp_input_forward(NodeBuilder& b) {
  const LayerSettings& s = b.settings();
  const std::int64_t h = s.model->hidden_size;
  embedding_forward(b);
  norm_forward(b, "mtp embedding norm", s.split_tokens(), h);
  norm_forward(b, "mtp hidden norm", s.split_tokens(), h);
  b.stream(OpKind::memory_bound, "mtp concat", Pass::forward, 8 * s.split_tokens() * h);
  linear_forward(b, mtp_projection(s));
  b.exchange(CollectiveOp::all_gather, GroupKind::tp,
             kHalf * s.tokens() * h);  // of the output's columns; tokens are then split again
}

void mtp_input_backward(NodeBuilder& b) {
  const LayerSettings& s = b.settings();
  const std::int64_t h = s.model->hidden_size;
  if (b.gathers_sequence()) b.exchange(CollectiveOp::all_gather, GroupKind::tp, kHalf * s.tokens() * h);
  b.exchange(CollectiveOp::reduce_scatter, GroupKind::tp, kHalf * s.tokens() * h);
  linear_backward(b, mtp_projection(s));
  b.stream(OpKind::memory_bound, "mtp concat", Pass::dgrad, 8 * s.split_tokens() * h);
  norm_backward(b, "mtp hidden norm", s.split_tokens(), h);
  norm_backward(b, "mtp embedding norm", s.split_tokens(), h);
  embedding_backward(b);
}

}  // namespace

void embedding_forward(NodeBuilder& b) {
  const LayerSettings& s = b.settings();
  const std::int64_t h = s.model->hidden_size;
  const std::uint32_t masks = s.parallel.tp > 1 ? 3 : 0;  // tokens of other ranks' vocabulary
  b.stream(OpKind::embedding, "embedding", Pass::forward, 4 * s.tokens() * h, 1 + masks);
  b.exchange(b.gathers_sequence() ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, GroupKind::tp, kHalf * s.tokens() * h);
  if (s.model->learned_positions) b.stream(OpKind::memory_bound, "positions", Pass::forward, 6 * s.split_tokens() * h);
}

void embedding_backward(NodeBuilder& b) {
  const LayerSettings& s = b.settings();
  const std::int64_t h = s.model->hidden_size;
  if (s.model->learned_positions) b.stream(OpKind::memory_bound, "positions", Pass::wgrad, 6 * s.split_tokens() * h);
  if (b.gathers_sequence()) b.exchange(CollectiveOp::all_gather, GroupKind::tp, kHalf * s.tokens() * h);
  b.stream(OpKind::embedding, "embedding", Pass::wgrad, 10 * s.tokens() * h, 2);  // reads bf16, adds into fp32
}

LayerProgram lower_embedding(const LayerSettings& s) {
  NodeBuilder forward(s), backward(s);
  embedding_forward(forward);
  embedding_backward(backward);
  return {forward.take(), backward.take()};
}

LayerProgram lower_mtp(const LayerSettings& s) {
  NodeBuilder forward(s), backward(s);
  mtp_input_forward(forward);
  mtp_input_backward(backward);
  LayerProgram out{forward.take(), {}};
  LayerProgram layer = lower_layer(s, s.model->mtp_kind());
  NodeList after = backward.take();
  out.forward.insert(out.forward.end(), layer.forward.begin(), layer.forward.end());
  out.backward = std::move(layer.backward);
  out.backward.insert(out.backward.end(), after.begin(), after.end());
  return out;
}

LayerProgram lower_head(const LayerSettings& s) {
  const CrossEntropy& ce = cross_entropy(s);
  NodeBuilder forward(s), backward(s);
  norm_forward(forward, "final norm", s.split_tokens(), s.model->hidden_size);
  linear_forward(forward, logits(s));
  forward.stream(OpKind::cross_entropy, "cross-entropy", Pass::forward, ce.forward_bytes * local_logits(s), ce.forward_kernels);
  share_scalars(forward);
  backward.stream(OpKind::cross_entropy, "cross-entropy", Pass::dgrad, ce.backward_bytes * local_logits(s), ce.backward_kernels);
  linear_backward(backward, logits(s));
  norm_backward(backward, "final norm", s.split_tokens(), s.model->hidden_size);
  return {forward.take(), backward.take()};
}

}  // namespace moesim
