#include "train/step/compile.h"

namespace moesim {
namespace {

TransferKind kind_of(GroupKind g) {
  switch (g) {
    case GroupKind::tp: return TransferKind::tp;
    case GroupKind::cp: return TransferKind::cp;
    case GroupKind::etp: return TransferKind::etp;
    case GroupKind::ep: case GroupKind::tp_ep: return TransferKind::ep_dispatch;
    default: return TransferKind::grad_reduce;
  }
}

GroupKind group_of(const Node& node) {
  if (const auto* fixed = std::get_if<Exchange>(&node)) return fixed->group;
  if (const auto* loaded = std::get_if<LoadedExchange>(&node)) return loaded->group;
  return GroupKind::ep;
}

}  // namespace

void Compiler::flush(std::string_view label, Phase phase, std::vector<Step>& out) {
  if (pending_.empty()) return;
  const std::uint32_t id = kernels_.add(label, phase, std::move(pending_));
  pending_.clear();
  out.push_back({StepKind::segment, stream(StepStream::compute), 0, id});
}

std::uint32_t Compiler::add_move(const Node& node) {
  if (const auto* fixed = std::get_if<Exchange>(&node)) return moves_.add(kind_of(fixed->group), name(fixed->op), *fixed);
  if (const auto* loaded = std::get_if<LoadedExchange>(&node)) return moves_.add(kind_of(loaded->group), name(loaded->op), *loaded);
  return moves_.add(std::get<ExpertExchange>(node));
}

void Compiler::add_transfer(const Node& node, std::vector<Step>& out) {
  const auto* fixed = std::get_if<Exchange>(&node);
  const bool behind = fixed && fixed->behind;
  if (behind && fixed->group != GroupKind::tp) throw InternalError("only tensor-parallel transfers run behind kernels");
  const StepStream on = behind ? StepStream::tp : StepStream::compute;
  if (behind) {
    out.push_back(record(StepStream::compute, EventSlot::behind_from));
    out.push_back(wait(on, EventSlot::behind_from));
  }
  out.push_back({StepKind::transfer, stream(on), behind ? slot(GroupSlot::tp_behind) : slot(group_of(node)), add_move(node)});
  if (behind) out.push_back(record(on, EventSlot::behind_to));
}

void Compiler::compile(std::string_view label, Phase phase, const NodeList& nodes, std::vector<Step>& out) {
  const Time launch = kernels_.host().launch(Op{});
  for (const Node& node : nodes) {
    if (const auto* k = std::get_if<Kernel>(&node)) pending_.push_back(*k);
    else if (const auto* e = std::get_if<ExpertKernel>(&node)) pending_.push_back(*e);
    else if (const auto* w = std::get_if<HostWork>(&node)) pending_.push_back(*w);
    else if (std::holds_alternative<HostSync>(node)) {
      flush(label, phase, out);
      out.push_back(record(StepStream::compute, EventSlot::host_sync));
      out.push_back(host_wait(EventSlot::host_sync));
      pending_.push_back(HostWork{kernels_.host().sync()});
    } else if (std::holds_alternative<Join>(node)) {
      flush(label, phase, out);
      out.push_back(wait(StepStream::compute, EventSlot::behind_to));
    } else {
      if (layout_.group_size(group_of(node)) == 1) continue;
      const auto* fixed = std::get_if<Exchange>(&node);
      if (!fixed || !fixed->graphed) pending_.push_back(HostWork{launch});
      flush(label, phase, out);
      add_transfer(node, out);
    }
  }
  flush(label, phase, out);
}

void Compiler::synchronise(std::vector<Step>& out) {
  if (!synchronise_) synchronise_ = kernels_.add("synchronise", Phase::forward, {HostWork{kernels_.host().sync()}});
  out.push_back({StepKind::segment, stream(StepStream::compute), 0, *synchronise_});
}

void Compiler::transfer(StepStream s, std::uint16_t group_slot, std::uint32_t id, Phase phase, std::vector<Step>& out) {
  std::optional<std::uint32_t>& launch = launch_[static_cast<std::size_t>(phase)];
  if (!launch) launch = kernels_.add("launch", phase, {HostWork{kernels_.host().launch(Op{})}});
  out.push_back({StepKind::segment, stream(s), 0, *launch});
  out.push_back({StepKind::transfer, stream(s), group_slot, id});
}

}  // namespace moesim
