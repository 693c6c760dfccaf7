// Attention core of a layer, with or without a fused kernel.
#include "block/parts.h"

namespace moesim {
namespace {

// Bytes an element of the score matrix, bf16: the products, masked softmax and dropout write and read it. Fitted on 243 steps of unfused
// code on A100 (vTrain), together with that machine's rates.
constexpr std::int64_t kScoresForward = 14, kScoresBackward = 18;

}  // namespace

void attention_core(NodeBuilder& b, const Op& op) {
  b.add(op);
  if (b.settings().stack->fused_attention) return;
  const std::int64_t keys = op.window != 0 ? op.window : op.seq;
  const std::int64_t scores = op.groups * op.heads * op.seq * keys;
  b.stream(OpKind::memory_bound, "attention scores", op.pass, (op.pass == Pass::forward ? kScoresForward : kScoresBackward) * scores, 3);
}

}  // namespace moesim
