// A model with everything that a layer needs to be lowered: settings, software stack, dispatcher; and sums over what comes out.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "block/activations.h"
#include "block/layer.h"

namespace moesim::test {

/// A dispatcher of which only the flags matter.
class FlagDispatcher : public Dispatcher {
 public:
  FlagDispatcher(bool permutes, bool reads) : permutes_(permutes), reads_(reads) {}
  std::unique_ptr<PreparedExchange> prepare(ExchangeWay, const ExchangeShape&, const Placement&, const HwProfile&) const override {
    return nullptr;
  }
  bool host_reads_counts() const override { return reads_; }
  bool permutes_before() const override { return permutes_; }
  std::int64_t sms(const HwProfile&) const override { return 0; }

 private:
  bool permutes_, reads_;
};

struct Case {
  ModelSpec model;
  Stack stack;
  FlagDispatcher dispatcher{true, true};
  LayerSettings settings;

  explicit Case(ModelSpec m, std::int64_t seq_length = 4096) : model(std::move(m)) {
    settings.parallel.etp = 1;
    settings.seq_length = seq_length;
    settings.model = &model;
    settings.stack = &stack;
    settings.dispatcher = &dispatcher;
  }
  Case(const Case&) = delete;

  Case& recompute(bool Recompute::*module) {
    settings.recompute.granularity = RecomputeGranularity::selective;
    settings.recompute.*module = true;
    return *this;
  }
  const LayerKind& last() const { return model.kinds.back(); }
  LayerProgram lower() const { return lower_layer(settings, last()); }
  /// Exact balance: every rank computes as many copies as it routes.
  RankLoad balanced() const {
    const MoeMlp* moe = ModelSpec::moe(last());
    if (moe == nullptr) return {};
    const std::int64_t real = moe->top_k * moe->num_experts / (moe->num_experts + moe->zero_experts);
    const std::int64_t copies = settings.routed_tokens() * real, local = moe->num_experts / settings.parallel.ep;
    return {copies, copies, copies / local, local};
  }
};

/// The op that a node runs at `load`, if it is a kernel.
inline std::optional<Op> op_of(const Node& node, const RankLoad& load) {
  if (const auto* k = std::get_if<Kernel>(&node)) return k->op;
  if (const auto* k = std::get_if<ExpertKernel>(&node)) return at_load(*k, load);
  return std::nullopt;
}

template <class F>
void each_op(const NodeList& nodes, const RankLoad& load, F f) {
  for (const Node& n : nodes)
    if (const std::optional<Op> op = op_of(n, load)) f(*op);
}

inline std::int64_t kernels(const NodeList& nodes) {
  std::int64_t sum = 0;
  each_op(nodes, {}, [&](const Op& op) { sum += op.kernels; });
  return sum;
}

/// FLOPs in `pass`, without those that Megatron does not count (the router).
inline double flops_in(const NodeList& nodes, const RankLoad& load, Pass pass) {
  double sum = 0;
  each_op(nodes, load, [&](const Op& op) {
    if (op.pass == pass && !op.recompute && op.label != "router logits") sum += flops(op).count();
  });
  return sum;
}

template <class T>
std::int64_t count(const NodeList& nodes) {
  std::int64_t n = 0;
  for (const Node& node : nodes) n += std::holds_alternative<T>(node);
  return n;
}

/// Bytes of all collectives of one kind in one group.
inline std::int64_t exchanged(const NodeList& nodes, CollectiveOp op, GroupKind group) {
  std::int64_t sum = 0;
  for (const Node& node : nodes)
    if (const auto* e = std::get_if<Exchange>(&node); e && e->op == op && e->group == group) sum += e->bytes.count();
  return sum;
}

}  // namespace moesim::test
