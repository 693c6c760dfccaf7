#include "train/step/program.h"

#include <algorithm>
#include <tuple>

#include "train/step/stage_writer.h"

namespace moesim {

StepProgram::StepProgram(const TrainScenario& s, const ParallelLayout& layout, const LayerSettings& settings, StepKernels& kernels, StepMoves& moves)
    : s_(s), layout_(layout), settings_(settings), kernels_(kernels), moves_(moves), compiler_(layout, kernels, moves) {
  const Exchange activations{CollectiveOp::send_recv, GroupKind::pp, Bytes{settings.split_tokens() * s.model.hidden_size * 2}};
  send_activations_ = moves.add(TransferKind::pp, "send activations", activations);
  send_gradients_ = moves.add(TransferKind::pp, "send gradients", activations);
  shared_embedding_ = moves.add(TransferKind::grad_reduce, "shared embedding",
                                Exchange{CollectiveOp::all_reduce, GroupKind::embedding, Bytes{table_params(s) * bits(s.precision.grad_reduce) / 8}});
  grad_norm_ = moves.add(TransferKind::grad_norm, "gradient norm", Exchange{CollectiveOp::all_reduce, GroupKind::tp_pp, Bytes{4}});
  for (std::int64_t stage = 0; stage < s.parallel.pp; ++stage) {
    StageWriter writer(*this, stage);
    scripts_.push_back(writer.write());
    buckets_ = std::max(buckets_, writer.buckets());
  }
}

bool StepProgram::ByContent::operator()(const std::vector<Step>& a, const std::vector<Step>& b) const {
  const auto key = [](const Step& s) { return std::tuple(s.kind, s.stream, s.slot, s.id); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [&](const Step& x, const Step& y) { return key(x) < key(y); });
}

std::span<const Step> StepProgram::keep(std::vector<Step> steps) { return *kept_.insert(std::move(steps)).first; }

Step StepProgram::add_mark(const SavedActivations& saved, bool allocate) {
  marks_.push_back({saved, allocate});
  return {StepKind::mark, stream(StepStream::compute), 0, static_cast<std::uint32_t>(marks_.size() - 1)};
}

const StepProgram::Passes& StepProgram::passes(const Unit& u) {
  const std::uint16_t layer_kind = u.kind == Unit::Kind::layer ? s_.model.layers[u.layer] : std::uint16_t{0};
  const auto key = std::pair(u.kind, layer_kind);
  auto it = known_.find(key);
  if (it == known_.end()) it = known_.emplace(key, compile(u)).first;
  return it->second;
}

StepProgram::Passes StepProgram::compile(const Unit& u) {
  LayerProgram nodes;
  SavedActivations saved;
  std::string_view label;
  switch (u.kind) {
    case Unit::Kind::embedding: nodes = lower_embedding(settings_); saved = saved_by_embedding(settings_); label = "embedding"; break;
    case Unit::Kind::mtp: nodes = lower_mtp(settings_); saved = saved_by_mtp(settings_); label = "mtp"; break;
    case Unit::Kind::head: nodes = lower_head(settings_); saved = saved_by_head(settings_); label = "head"; break;
    case Unit::Kind::layer: {
      const LayerKind& kind = s_.model.kind_of(u.layer);
      nodes = lower_layer(settings_, kind);
      saved = saved_by_layer(settings_, kind);
      label = kind.name;
    }
  }
  Passes out;
  compiler_.compile(label, Phase::forward, nodes.forward, out.forward);
  out.forward.push_back(add_mark(saved, true));
  compiler_.compile(label, Phase::backward, nodes.backward, out.backward);
  out.backward.push_back(add_mark(saved, false));
  return out;
}

}  // namespace moesim
