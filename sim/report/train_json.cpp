#include "report/train_json.h"

#include <algorithm>
#include <cmath>

#include "analysis/interval.h"
#include "base/json.h"

namespace moesim {
namespace {

Json stage_json(const StageMemory& s) {
  return {{"stage", s.stage}, {"parameters", s.parameters.count()}, {"gradients", s.gradients.count()}, {"optimizer", s.optimizer.count()},
          {"activations", s.activations.count()}, {"workspace", s.workspace.count()}, {"framework", s.framework.count()},
          {"peak_in_flight", s.peak_in_flight}, {"total", s.total().count()}};
}

Json memory_json(const MemoryReport& m) {
  Json stages = Json::array();
  for (const StageMemory& s : m.stages) stages.push_back(stage_json(s));
  return {{"peak_stage", m.peak_stage}, {"stages", std::move(stages)}};
}

Json peak_interval(const MemoryReport& m) {
  const auto [low, high] = likely_interval(static_cast<double>(m.stages[m.peak_stage].total().count()), published_peak_spread());
  return {{"low_bytes", static_cast<std::int64_t>(low)}, {"high_bytes", static_cast<std::int64_t>(high)}};
}

Json exposed(const TrainReport& r) {
  const auto at = [&](TimeClass c) { return r.time_by_class_s[static_cast<std::size_t>(c)]; };
  using enum TimeClass;
  return {{"tp", {{"transfer", at(tp_transfer)}, {"wait", at(tp_wait)}}},   {"ep", {{"transfer", at(ep_transfer)}, {"wait", at(ep_wait)}}},
          {"etp", {{"transfer", at(etp_transfer)}, {"wait", at(etp_wait)}}}, {"cp", {{"transfer", at(cp_transfer)}, {"wait", at(cp_wait)}}},
          {"pp", {{"transfer", at(pp_transfer)}, {"wait", at(bubble)}}},     {"dp", {{"transfer", at(dp_transfer)}, {"wait", at(dp_wait)}}}};
}

double quantile(const std::vector<double>& sorted, double q) {
  const auto n = static_cast<double>(sorted.size());
  return sorted[static_cast<std::size_t>(std::clamp(std::ceil(q * n) - 1, 0.0, n - 1))];
}

Json engine_json(const EngineCounters& c) {
  return {{"events", c.events}, {"segments", c.segments}, {"kernels", c.kernels}, {"transfers", c.transfers},
          {"contended_transfers", c.contended_transfers}, {"solves", c.solves}, {"max_pending", c.max_pending}};
}

void add_optional(const TrainReport& r, Json& out) {
  if (!r.sample_step_times_s.empty())
    for (const auto& [key, q] : {std::pair{"step_time_p50_s", 0.5}, {"step_time_p95_s", 0.95}, {"step_time_p99_s", 0.99}})
      out[key] = quantile(r.sample_step_times_s, q);
  if (r.moe)
    out["moe"] = {{"rank_max_over_mean", r.moe->rank_max_over_mean}, {"max_vio", r.moe->max_vio}, {"gini", r.moe->gini}, {"drop_rate", r.moe->drop_rate}};
  if (r.dollars_per_step) out["cost"] = {{"dollars_per_step", *r.dollars_per_step}, {"dollars_per_million_tokens", *r.dollars_per_million_tokens}};
  if (r.interval_high_s > 0) out["interval"] = {{"low_s", r.interval_low_s}, {"high_s", r.interval_high_s}, {"published_on_machine", published_on(r.hardware, r.moe.has_value())}};
}

}  // namespace

std::string to_json(const TrainReport& r) {
  const StageMemory& peak = r.memory.stages[r.memory.peak_stage];
  Json out = {{"version", r.version}, {"name", r.scenario_name}, {"model", r.model}, {"hardware", r.hardware}, {"stack", r.stack}, {"gpus", r.gpus},
              {"layout", r.layout}, {"detail", r.detail}, {"seed", r.seed}, {"step_time_s", r.step_time_s}, {"tokens_per_s", r.tokens_per_s},
              {"tokens_per_s_per_gpu", r.tokens_per_s_per_gpu}, {"tflops_per_gpu", r.tflops_per_gpu}, {"mfu", r.mfu}, {"hfu", r.hfu}, {"mfu_peak_tflops", r.mfu_peak_tflops},
              {"bubble_fraction", r.bubble_fraction}, {"fits", r.memory.fits()}, {"peak_memory_bytes", peak.total().count()}, {"peak_memory_interval", peak_interval(r.memory)},
              {"memory_capacity_bytes", r.memory.capacity.count()}, {"memory", memory_json(r.memory)}};
  for (std::size_t c = 0; c < kTimeClasses; ++c) out["time_by_class_s"][std::string(name(static_cast<TimeClass>(c)))] = r.time_by_class_s[c];
  out["exposed_comm_s"] = exposed(r);
  for (const Bar& b : r.waterfall) out["waterfall"].push_back({{"name", b.name}, {"seconds", b.seconds}});
  out["critical_path"] = Json::array();
  for (const CriticalItem& c : r.critical_path) out["critical_path"].push_back({{"name", c.name}, {"seconds", c.seconds}});
  for (std::size_t p = 0; p < kProvenances; ++p) out["provenance"][std::string(name(static_cast<Provenance>(p)))] = r.provenance[p];
  add_optional(r, out);
  out["warnings"] = r.warnings;
  out["engine"] = engine_json(r.engine);
  out["scenario"] = Json::parse(r.resolved_scenario.empty() ? "{}" : r.resolved_scenario);
  return json_text(out);
}

std::string to_json(const MemoryReport& m) {
  Json out = memory_json(m);
  out["peak_memory_interval"] = peak_interval(m);
  out["fits"] = m.fits();
  out["peak_memory_bytes"] = m.stages[m.peak_stage].total().count();
  out["memory_capacity_bytes"] = m.capacity.count();
  return json_text(out);
}

}  // namespace moesim
