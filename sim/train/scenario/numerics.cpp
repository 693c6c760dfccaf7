// precision, recompute and overlap.
#include <algorithm>
#include <array>
#include <string_view>

#include "train/scenario/parts.h"
#include "train/schedule.h"

namespace moesim {
namespace {

constexpr std::array kNames{name(DType::fp32), name(DType::bf16), name(DType::fp8)};
constexpr std::array kTypes{DType::fp32, DType::bf16, DType::fp8};

/// A format out of [first, last) of kTypes.
DType read_dtype(Section& in, std::string_view key, std::size_t first, std::size_t last, DType fallback) {
  const std::size_t at = static_cast<std::size_t>(std::find(kTypes.begin(), kTypes.end(), fallback) - kTypes.begin());
  return kTypes[first + in.choice_or(key, std::span(kNames).subspan(first, last - first), at - first)];
}

void check_peak(const Section& in, const TrainScenario& s) {
  const std::map<DType, Sourced<FlopRate>>& peak = s.hardware.gpu.peak;
  if (peak.count(s.precision.compute)) return;
  std::string known;
  for (const auto& [dtype, rate] : peak) known += (known.empty() ? "" : ", ") + std::string(name(dtype));
  in.fail("compute", "found \"" + std::string(name(s.precision.compute)) + "\", but " + s.hardware.name + " has a peak for " +
                         known + " only");
}

struct Module {
  std::string_view name;
  bool Recompute::*on;
  bool (*applies)(const ModelSpec&);
  std::string_view needs;
};

bool has_shared_expert(const ModelSpec& model) { return model.moe() && model.moe()->shared_expert_ffn_hidden_size > 0; }
bool always(const ModelSpec&) { return true; }

constexpr std::array kModules{
    Module{"core_attn", &Recompute::core_attn, always, ""},
    Module{"layernorm", &Recompute::layernorm, always, ""},
    Module{"mla_up_proj", &Recompute::mla_up_proj, has_part<Mla>, "multi-latent attention"},
    Module{"mlp", &Recompute::mlp, has_part<DenseMlp>, "dense units"},
    Module{"moe", &Recompute::moe, has_part<MoeMlp>, "experts"},
    Module{"moe_act", &Recompute::moe_act, has_part<MoeMlp>, "experts"},
    Module{"shared_experts", &Recompute::shared_experts, has_shared_expert, "shared experts"},
};

void switch_on(const Section& in, const TrainScenario& s, const std::string& word, Recompute& recompute) {
  std::vector<std::string> known;
  for (const Module& m : kModules) {
    known.emplace_back(m.name);
    if (m.name != word) continue;
    if (!m.applies(s.model)) in.fail("modules", "found \"" + shortened(word) + "\", but " + s.model.name + " has no " + std::string(m.needs));
    recompute.*m.on = true;
    return;
  }
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
  in.fail("modules", "found \"" + shortened(word) + "\", allowed are " + list + did_you_mean(word, known));
}

}  // namespace

void read_precision(Section& root, TrainScenario& s) {
  Section in = root.open("precision");
  s.precision.compute = read_dtype(in, "compute", 1, 3, DType::bf16);
  s.precision.grad_reduce = read_dtype(in, "grad_reduce", 0, 2, DType::fp32);
  s.precision.param_gather = read_dtype(in, "param_gather", 1, 3, DType::bf16);
  if (s.model.moe()) s.precision.dispatch = read_dtype(in, "dispatch", 1, 3, DType::bf16);
  else in.only_with("dispatch", kNeedsExperts, s.model.name);
  check_peak(in, s);
  if (s.precision.param_gather == DType::fp8 && s.precision.compute != DType::fp8)
    in.fail("param_gather", "found \"fp8\", allowed is \"bf16\": compute is bf16, so the weights are not kept in fp8");
  root.close("precision", std::move(in));
}

void read_recompute(Section& root, TrainScenario& s) {
  static constexpr std::array<std::string_view, 3> kGranularity{"none", "selective", "full"};
  Section in = root.open("recompute");
  s.recompute.granularity = static_cast<RecomputeGranularity>(in.choice_or("granularity", kGranularity, 0));
  if (s.recompute.granularity == RecomputeGranularity::selective) {
    std::vector<std::string> modules{"core_attn"};  // Megatron's default
    if (in.reader().has("modules"))
      modules = in.reader().texts("modules");
    else
      in.note("modules", modules);
    for (const std::string& word : modules) switch_on(in, s, word, s.recompute);
    in.mirror("modules", modules);
  } else {
    in.only_with("modules", "granularity selective", kGranularity[static_cast<std::size_t>(s.recompute.granularity)]);
  }
  root.close("recompute", std::move(in));
}

void read_overlap(Section& root, TrainScenario& s) {
  Section in = root.open("overlap");
  const bool ahead = schedules().make(s.schedule)->overlaps_p2p();
  s.overlap.grad_reduce = in.flag_or("grad_reduce", false);
  s.overlap.param_gather = in.flag_or("param_gather", false);
  s.overlap.p2p = in.flag_or("p2p", ahead);
  if (s.overlap.p2p && !ahead)
    in.fail("p2p", "found true, allowed is false: " + s.schedule + " does not post messages ahead of need");
  if (s.parallel.tp > 1)
    s.overlap.tp = in.flag_or("tp", false);
  else if (in.reader().find_flag("tp").value_or(false))
    in.fail("tp", "found true, allowed is false: with tp 1 nothing is exchanged");
  if (in.reader().find_flag("expert_parallel").value_or(false))
    in.fail("expert_parallel",
            "found true, allowed is false: hiding the expert exchange behind another micro-batch is not simulated yet");
  root.close("overlap", std::move(in));

  Section optimizer = root.open("optimizer");
  s.distributed_optimizer = optimizer.flag_or("distributed", true);
  s.optimizer_moments = read_dtype(optimizer, "moments", 0, 2, DType::fp32);
  root.close("optimizer", std::move(optimizer));
  if (s.overlap.param_gather && !s.distributed_optimizer)
    root.fail("overlap.param_gather", "found true, allowed is false: without the distributed optimizer no parameters are gathered");
  if (s.overlap.param_gather && !s.overlap.grad_reduce)
    root.fail("overlap.param_gather", "found true, allowed is false: it needs overlap.grad_reduce");
}

}  // namespace moesim
