// Dense feed-forward unit: fc1 (gate and up together), activation, fc2.
#include "block/parts.h"

namespace moesim {

namespace {

Linear fc1(const NodeBuilder& b, const DenseMlp& u) {
  return {"fc1", b.settings().tokens(), b.settings().model->hidden_size, (u.gated ? 2 : 1) * u.ffn_hidden_size, Split::column};
}
Linear fc2(const NodeBuilder& b, const DenseMlp& u) {
  return {"fc2", b.settings().tokens(), u.ffn_hidden_size, b.settings().model->hidden_size, Split::row};
}

}  // namespace

void part_forward(NodeBuilder& b, const DenseMlp& u) {
  const std::int64_t ffn = u.ffn_hidden_size / b.parallel().tp;
  linear_forward(b, fc1(b, u));
  b.stream(OpKind::memory_bound, "activation", Pass::forward, activation_forward_bytes(u.gated, ffn) * b.settings().tokens());
  linear_forward(b, fc2(b, u));
}

void part_backward(NodeBuilder& b, const DenseMlp& u) {
  const std::int64_t ffn = u.ffn_hidden_size / b.parallel().tp;
  b.repeat(&Recompute::mlp, [&] { part_forward(b, u); });
  linear_backward(b, fc2(b, u));
  b.stream(OpKind::memory_bound, "activation", Pass::dgrad, activation_backward_bytes(u.gated, ffn) * b.settings().tokens());
  linear_backward(b, fc1(b, u));
}

}  // namespace moesim
