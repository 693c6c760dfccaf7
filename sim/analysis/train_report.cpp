#include "analysis/train_report.h"

#include <algorithm>
#include <tuple>

#include "analysis/interval.h"
#include "analysis/sample_times.h"
#include "analysis/time_attribution.h"
#include "base/unit_text.h"
#include "model/count.h"

namespace moesim {
namespace {

double at(const std::array<double, kTimeClasses>& t, TimeClass c) { return t[static_cast<std::size_t>(c)]; }

std::string layout_text(const TrainScenario& s) {
  const ParallelSizes& p = s.parallel;
  std::string out = "TP" + std::to_string(p.tp) + " PP" + std::to_string(p.pp);
  if (p.vpp > 1) out += " VPP" + std::to_string(p.vpp);
  if (p.cp > 1) out += " CP" + std::to_string(p.cp);
  if (s.model.moe() != nullptr) out += " EP" + std::to_string(p.ep) + " ETP" + std::to_string(p.etp);
  return out + " DP" + std::to_string(ParallelLayout(p).dp()) + ", " + s.schedule + ", " + counted(s.num_micro_batches, "micro-batch", "micro-batches") +
         " of " + std::to_string(s.micro_batch_size) + " x " + std::to_string(s.seq_length) + " tokens";
}

/// What an actor's account says of the ranks that it stands for: those whose GPU is faster than its own run kernels for less long, and wait for
/// it instead.
std::array<double, kTimeClasses> of_ranks(const TimeAttribution::Account& account, double busy) {
  std::array<double, kTimeClasses> out{};
  double spared = 0;
  for (std::size_t c = 0; c < kTimeClasses; ++c) {
    const auto time = static_cast<double>(account.time[c]);
    out[c] = runs_kernels(static_cast<TimeClass>(c)) ? busy * time : time;
    spared += time - out[c];
  }
  out[static_cast<std::size_t>(TimeClass::end_wait)] += spared;
  return out;
}

/// Means over ranks of what each actor's account says.
void add_accounts(const TrainStep& step, const TimeAttribution& attribution, std::int64_t gpus, double peak, TrainReport& out) {
  double kernel_time = 0, flops = 0;
  SecondsByType at_peak{};
  for (std::uint32_t a = 0; a < step.actors().size(); ++a) {
    const TimeAttribution::Account& account = attribution.of(ActorId(a));
    const double weight = static_cast<double>(step.actors()[a].multiplicity) / static_cast<double>(gpus);
    const std::array<double, kTimeClasses> time = of_ranks(account, step.actors()[a].busy);
    for (std::size_t c = 0; c < kTimeClasses; ++c) out.time_by_class_s[c] += weight * time[c] * 1e-12;
    for (std::size_t p = 0; p < kProvenances; ++p) {
      out.provenance[p] += weight * account.provenance[p];
      kernel_time += weight * account.provenance[p];
    }
    for (std::size_t t = 0; t < kDTypes; ++t) at_peak[t] += weight * account.at_peak[t] * 1e-12;
    flops += weight * account.flops;
  }
  out.waterfall = waterfall(out.time_by_class_s, at_peak);
  for (double& p : out.provenance) p = kernel_time > 0 ? p / kernel_time : 0;
  out.hfu = flops / (out.step_time_s * peak);
  out.bubble_fraction = at(out.time_by_class_s, TimeClass::bubble) / out.step_time_s;
}

/// Whose loads an approximate fold simulates.
std::string what_stands_for_what(const TrainStep& step) {
  for (const ActorInfo& a : step.actors())
    if (a.hottest) return "; one of alike expert-parallel groups, as its most loaded rank and the mean of the others";
  return "; one of ranks that are alike but for their random expert loads";
}

void describe(const TrainScenario& s, const TrainStep& step, Detail detail, TrainReport& out) {
  out.scenario_name = s.name;
  out.model = s.model.name;
  out.hardware = s.hardware.name;
  out.stack = s.stack.name;
  out.layout = layout_text(s);
  out.detail = detail == Detail::ranks ? "ranks" : step.approximate() ? "fold: approximate" : "fold";
  if (detail == Detail::fold) {
    out.merged = counted(s.parallel.gpus, "rank") + " as " + counted(static_cast<std::int64_t>(step.actors().size()), "class", "classes");
    if (step.merges_loads()) out.merged += what_stands_for_what(step);
    if (step.merges_speeds()) out.merged += "; of ranks that are alike but for the speed drawn for their GPU, the slowest, and what the others wait for it";
  }
  out.gpus = s.parallel.gpus;
  out.seed = s.seed;
  out.warnings = s.warnings;
  out.defaults = s.defaults;
  out.resolved_scenario = s.resolved;
}

/// Rates by Megatron's FLOP count against the bf16 peak, as Megatron reports them.
void add_rates(const TrainScenario& s, double peak, TrainReport& out) {
  const double tokens = static_cast<double>(s.global_batch_size) * static_cast<double>(s.seq_length);
  const double gpus = static_cast<double>(s.parallel.gpus);
  const double flops = tokens * flops_per_token(s.model, s.seq_length, s.parallel.tp);
  out.tokens_per_s = tokens / out.step_time_s;
  out.tokens_per_s_per_gpu = out.tokens_per_s / gpus;
  out.tflops_per_gpu = flops / out.step_time_s / gpus * 1e-12;
  out.mfu = flops / out.step_time_s / gpus / peak;
  out.mfu_peak_tflops = peak * 1e-12;
  if (const auto& price = s.hardware.cost.dollars_per_gpu_hour) {
    out.dollars_per_step = price->value * gpus * out.step_time_s / 3600;
    out.dollars_per_million_tokens = *out.dollars_per_step / tokens * 1e6;
  }
}

/// Of quality under a capacity factor: ST-MoE saw fine-tuning bear 10 to 15 % of dropped tokens.
constexpr double kManyDropped = 0.1;

std::string percent(double share) { return significant(100 * share, 3) + " %"; }

void add_warnings(TrainReport& out) {
  if (out.moe && out.moe->drop_rate > kManyDropped)
    out.warnings.push_back(percent(out.moe->drop_rate) + " of the tokens' copies are dropped: MFU, TFLOP/s and tokens/s count them as if they were computed");
  if (out.mfu > 1)
    out.warnings.push_back("MFU of " + percent(out.mfu) + ", above the peak: it divides all model FLOPs by the dense bf16 peak, so dropped tokens, FP8 and GPUs faster than " +
                           "their profile raise it");
  if (at(out.time_by_class_s, TimeClass::unattributed) > 0.01 * out.step_time_s)
    out.warnings.push_back("more than 1 % of the step is unattributed");
}

}  // namespace

TrainReport train(const TrainScenario& s, const TrainOptions& options) {
  TrainReport out;
  const double peak = s.hardware.gpu.peak.at(DType::bf16).value.count();
  TrainStep step(s, options.detail);
  TimeAttribution attribution(step);
  CriticalPath path(static_cast<std::size_t>(options.path_spans));
  std::vector<Observer*> observers{&attribution, &path};
  if (options.watch) options.watch(step, observers);
  const RunResult run = step.run(observers);
  attribution.finish(run.end);
  out.engine = run.counters;
  out.step_time_s = seconds(run.end);
  describe(s, step, options.detail, out);
  add_accounts(step, attribution, s.parallel.gpus, peak, out);
  add_rates(s, peak, out);
  std::tie(out.interval_low_s, out.interval_high_s) = likely_interval(out.step_time_s, published_error_spread(s.model.moe() != nullptr));
  out.critical_path = critical_items(step, path, run.end);
  out.memory = memory(s);
  if (s.model.moe() != nullptr) out.moe = step.moe_statistics();
  if (has_random_steps(s) && options.samples > 1) {
    out.sample_step_times_s = sample_step_times(s, options.detail, 1, options.samples - 1);
    out.sample_step_times_s.push_back(out.step_time_s);
    std::sort(out.sample_step_times_s.begin(), out.sample_step_times_s.end());
  }
  if (options.unshared) out.unshared_step_time_s = seconds(step.run({}, {.share_ports = false}).end);
  if (!path.complete())
    out.warnings.push_back("no critical path: it is kept for up to " + std::to_string(options.path_spans) + " spans of kernels and transfers, and this run has more");
  add_warnings(out);
  return out;
}

}  // namespace moesim
