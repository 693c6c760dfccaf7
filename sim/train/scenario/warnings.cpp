#include <algorithm>

#include "base/unit_text.h"
#include "collective/dispatcher.h"
#include "hw/topology.h"
#include "train/scenario/parts.h"

namespace moesim {
namespace {

using Lines = std::vector<std::string>;

std::string text(std::int64_t n) { return std::to_string(n); }

void about_stages(const TrainScenario& s, Lines& out) {
  if (!s.stages.even()) {
    std::int64_t fewest = s.model.num_layers(), most = 0;
    for (std::int64_t r = 0; r < s.stages.pp(); ++r) {
      std::int64_t layers = 0;
      for (std::int64_t c = 0; c < s.stages.vpp(); ++c) layers += s.stages.chunk(r, c).num_layers;
      fewest = std::min(fewest, layers);
      most = std::max(most, layers);
    }
    out.push_back(text(s.model.num_layers()) + " layers on " + text(s.stages.pp() * s.stages.vpp()) +
                  " chunks are uneven: stages hold " + text(fewest) + " to " + text(most) + " layers, " + s.stages.text());
  }
  if (s.num_micro_batches < s.parallel.pp)
    out.push_back(counted(s.num_micro_batches, "micro-batch", "micro-batches") + " on " + text(s.parallel.pp) + " stages never fill the pipeline");
}

void about_experts(const TrainScenario& s, Lines& out) {
  const MoeMlp* moe = s.model.moe();
  if (!moe) return;
  const std::int64_t width = moe->moe_ffn_hidden_size / s.parallel.etp;
  if (s.parallel.etp > 1 && moe->moe_ffn_hidden_size < s.model.hidden_size)
    out.push_back("parallel.etp " + text(s.parallel.etp) + " (tp unless given, as in Megatron) cuts the experts to " + text(width) +
                  " columns a rank; etp 1 is usual for fine-grained experts");
  const std::int64_t span = s.parallel.ep * s.parallel.etp, domain = s.hardware.scale_up.domain;
  if (span <= domain && domain % span != 0 && s.parallel.gpus > domain)
    out.push_back("expert-parallel groups of " + text(span) + " straddle scale-up domains of " + text(domain) + " GPUs; a job that takes " +
                  text(domain / span * span) + " GPUs of each (hardware.scale_up.domain) keeps their exchange inside");
  const std::unique_ptr<Dispatcher> dispatcher = dispatchers().make(s.moe.dispatcher);
  if (span > domain && !dispatcher->once_per_node())
    out.push_back("expert-parallel groups span " + text(ceil_div(span, domain)) + " scale-up domains of " + text(domain) +
                  " GPUs with the " + s.moe.dispatcher +
                  " dispatcher, which sends a token once for each of its experts across the network");
  if (s.precision.dispatch == DType::fp8 && !dispatcher->takes_fp8())
    out.push_back("precision.dispatch fp8 with the " + s.moe.dispatcher + " dispatcher: Megatron exchanges bf16 there");
}

void about_machine(const TrainScenario& s, Lines& out) {
  const std::int64_t domain = s.hardware.scale_up.domain, node = s.hardware.gpus_per_node;
  if (s.parallel.tp > domain)
    out.push_back("tensor-parallel groups of " + text(s.parallel.tp) + " cross scale-up domains of " + text(domain) + " GPUs");
  if (s.parallel.gpus > node && s.parallel.gpus % node != 0)
    out.push_back(text(s.parallel.gpus) + " GPUs do not fill nodes of " + text(node));
  else if (const std::optional<std::int64_t> even = even_domain(s.parallel.gpus, s.hardware))
    out.push_back(text(s.parallel.gpus) + " GPUs fill the last scale-up domain of " + text(domain) + " in part, and collectives wait for it; a job that takes " + text(*even) +
                  " GPUs of each (hardware.scale_up.domain) has equal ones");
}

}  // namespace

void add_warnings(TrainScenario& s) {
  s.warnings.insert(s.warnings.end(), s.model.warnings.begin(), s.model.warnings.end());
  s.warnings.insert(s.warnings.end(), s.hardware.warnings.begin(), s.hardware.warnings.end());
  about_stages(s, s.warnings);
  about_experts(s, s.warnings);
  about_machine(s, s.warnings);
}

}  // namespace moesim
