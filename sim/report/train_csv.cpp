#include <utility>

#include "base/json.h"
#include "report/train_json.h"

namespace moesim {
namespace {

/// Settings that a sweep turns, as the resolved scenario has them. The same columns for every scenario, so that lines of any runs go together.
constexpr std::pair<const char*, const char*> kSettings[]{
    {"tp", "/parallel/tp"},
    {"pp", "/parallel/pp"},
    {"vpp", "/parallel/vpp"},
    {"ep", "/parallel/ep"},
    {"etp", "/parallel/etp"},
    {"schedule", "/parallel/schedule"},
    {"seq_length", "/batch/seq_length"},
    {"micro_batch_size", "/batch/micro_batch_size"},
    {"global_batch_size", "/batch/global_batch_size"},
    {"compute", "/precision/compute"},
    {"load_law", "/moe/load/law"},
    {"capacity_factor", "/moe/capacity_factor"},
    {"dispatcher", "/moe/dispatcher"},
    {"recompute", "/recompute/granularity"},
};

std::string quoted(std::string s) {
  for (std::size_t i = 0; (i = s.find('"', i)) != std::string::npos; i += 2) s.insert(i, 1, '"');
  return "\"" + s + "\"";
}

class Line {
 public:
  void add(const std::string& name, const std::string& value) {
    head_ += (head_.empty() ? "" : ",") + name;
    line_ += (line_.empty() ? "" : ",") + value;
  }
  void text(const std::string& name, const std::string& value) { add(name, quoted(value)); }
  void number(const std::string& name, const Json& value) { add(name, value.dump()); }
  /// Nothing where the scenario has no such setting.
  void setting(const std::string& name, const Json& scenario, const char* place) {
    const Json::json_pointer at(place);
    const Json value = scenario.contains(at) ? scenario.at(at) : Json();
    add(name, value.is_null() ? "" : value.is_string() ? quoted(value.get<std::string>()) : value.dump());
  }
  std::string csv() const { return head_ + "\n" + line_ + "\n"; }

 private:
  std::string head_, line_;
};

}  // namespace

std::string to_csv(const TrainReport& r) {
  const Json scenario = Json::parse(r.resolved_scenario.empty() ? "{}" : r.resolved_scenario);
  Line out;
  for (const auto& [name, value] : {std::pair{"name", &r.scenario_name}, {"model", &r.model}, {"hardware", &r.hardware}, {"stack", &r.stack}}) out.text(name, *value);
  out.number("gpus", r.gpus);
  for (const auto& [name, place] : kSettings) out.setting(name, scenario, place);
  out.text("detail", r.detail);
  out.number("seed", r.seed);
  for (const auto& [name, value] : {std::pair{"step_time_s", r.step_time_s}, {"tokens_per_s", r.tokens_per_s}, {"tflops_per_gpu", r.tflops_per_gpu}, {"mfu", r.mfu},
                                    {"hfu", r.hfu}, {"bubble_fraction", r.bubble_fraction}})
    out.number(name, value);
  out.number("peak_memory_bytes", r.memory.stages[r.memory.peak_stage].total().count());
  out.number("fits", r.memory.fits());
  out.add("rank_max_over_mean", r.moe ? Json(r.moe->rank_max_over_mean).dump() : "");
  out.add("drop_rate", r.moe ? Json(r.moe->drop_rate).dump() : "");
  for (std::size_t c = 0; c < kTimeClasses; ++c) out.number(std::string(name(static_cast<TimeClass>(c))) + "_s", r.time_by_class_s[c]);
  return out.csv();
}

}  // namespace moesim
