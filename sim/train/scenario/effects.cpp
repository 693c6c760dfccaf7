// Settings that change nothing in this scenario. A what-if that turns such a knob would seem to say that it does not matter.
#include "base/unit_text.h"
#include "train/scenario/parts.h"

namespace moesim {
namespace {

using Lines = std::vector<std::string>;

void note(Lines& out, bool idle, const std::string& setting, const std::string& reason) {
  if (idle) out.push_back(setting + " has no effect: " + reason);
}

/// No gradient or parameter has a second holder.
bool no_replicas(const TrainScenario& s, const ParallelLayout& layout) { return layout.dp() == 1 && (!s.model.moe() || layout.edp() == 1); }

void about_replicas(const TrainScenario& s, const ParallelLayout& layout, Lines& out) {
  if (!no_replicas(s, layout)) return;
  const std::string reason = "with dp 1 no gradients or parameters are exchanged";
  note(out, s.overlap.grad_reduce, "overlap.grad_reduce", reason);
  note(out, s.overlap.param_gather, "overlap.param_gather", reason);
  note(out, !s.distributed_optimizer, "optimizer.distributed", "with dp 1 there is nothing to distribute");
}

/// A capacity spares the host the reading of token counts, so it moves the step even if it drops nothing; but that is not why it is set.
void about_capacity(const TrainScenario& s, Lines& out) {
  const MoeMlp* moe = s.model.moe();
  if (!moe || !s.moe.capacity.factor) return;
  // A token picks an expert at most once, so none gets more than every token of the micro-batch.
  const double enough = static_cast<double>(moe->num_experts) / static_cast<double>(moe->top_k);
  if (s.moe.capacity.pad && *s.moe.capacity.factor > enough)
    out.push_back("moe.capacity_factor " + significant(*s.moe.capacity.factor, 3) + " pads as num_experts / top_k = " + significant(enough, 3) +
                  " does: an expert has no more places than there are tokens");
  else if (s.moe.load_law == "balanced" && *s.moe.capacity.factor >= 1)
    out.push_back("moe.capacity_factor drops no token: balanced load gives each expert the same");
  else if (*s.moe.capacity.factor >= enough)
    out.push_back("moe.capacity_factor drops no token: from num_experts / top_k = " + significant(enough, 3) + " on there is room for all at every expert");
}

void about_recompute(const TrainScenario& s, Lines& out) {
  note(out, s.recompute.moe && s.recompute.moe_act, "recompute.modules moe_act", "moe recomputes it already");
}

void about_ranks(TrainScenario& s, Lines& out) {
  note(out, s.parallel.tp == 1 && s.sequence_parallel, "parallel.sequence_parallel", "with tp 1 there is nothing to share");
  note(out, s.seed != 0 && !has_random_steps(s), "seed", "nothing is drawn at random");
  note(out, s.gpu_speed_spread && s.hardware.gpu.speed_spread.value == 0, "perturb.gpu_speed_spread", "gpu.speed_spread of the machine is 0");
  const std::int64_t domain = s.hardware.scale_up.domain;
  const bool inside = s.parallel.gpus <= domain;
  note(out, !s.nic_speed.empty() && inside, "perturb.nic_speed",
       "all " + std::to_string(s.parallel.gpus) + " GPUs are in one scale-up domain of " + std::to_string(domain));
  if (inside) s.nic_speed.clear();  // ranks that do not differ stay one class
}

void about_dispatcher(const TrainScenario& s, Lines& out) {
  if (!s.moe.dispatcher_sms) return;
  if (s.parallel.ep == 1) note(out, true, "moe.dispatcher_sms", "with ep 1 nothing is exchanged");
  else note(out, s.moe.dispatcher == "hybridep", "moe.dispatcher_sms", "how the times of hybridep depend on it is not published");
}

bool given(const Sourced<std::int64_t>& n) { return n.grade == Grade::user; }

/// Stacks give all of these; only what a user gives is spoken of.
void about_held_sms(const TrainScenario& s, const ParallelLayout& layout, Lines& out) {
  const std::string alone = " run beside no kernels";
  note(out, given(s.stack.p2p_sms) && !(s.overlap.p2p && s.parallel.pp > 1), "stack.p2p_sms", "messages between stages" + alone + ", for want of overlap.p2p or of stages");
  note(out, given(s.stack.tp_overlap_sms) && !s.overlap.tp, "stack.tp_overlap_sms", "tensor-parallel transfers" + alone + " without overlap.tp");
  const bool buckets = (s.overlap.grad_reduce || s.overlap.param_gather) && !no_replicas(s, layout);
  const std::string reason = "collectives" + alone + ", for want of overlap.grad_reduce or of replicas";
  note(out, given(s.stack.collective_sms) && !buckets, "stack.collective_sms", reason);
  note(out, given(s.stack.network_sms) && !buckets, "stack.network_sms", reason);
}

void about_graphs(const TrainScenario& s, Lines& out) {
  const Stack& k = s.stack;
  const std::string dense = s.model.name + " has no experts";
  note(out, k.cuda_graph_mlp && !has_part<DenseMlp>(s.model), "stack.cuda_graph_mlp", s.model.name + " has no dense units");
  note(out, k.cuda_graph_moe && !s.model.moe(), "stack.cuda_graph_moe", dense);
  note(out, k.cuda_graph_moe_router && !s.model.moe(), "stack.cuda_graph_moe_router", dense);
  note(out, k.cuda_graph_moe_preprocess && !s.model.moe(), "stack.cuda_graph_moe_preprocess", dense);
}

}  // namespace

void note_idle_settings(TrainScenario& s) {
  const ParallelLayout layout(s.parallel);
  about_replicas(s, layout, s.warnings);
  about_capacity(s, s.warnings);
  about_recompute(s, s.warnings);
  about_ranks(s, s.warnings);
  about_dispatcher(s, s.warnings);
  about_held_sms(s, layout, s.warnings);
  about_graphs(s, s.warnings);
}

}  // namespace moesim
