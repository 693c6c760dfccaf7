#include "base/json.h"
#include "validation/validation_text.h"

namespace moesim {
namespace {

Json published_json(const PublishedFigure& f) {
  Json out = {{"metric", name(f.metric)}, {"value", f.value}, {"unit", f.unit}, {"confidence", f.confidence}, {"source", f.source}};
  if (f.peak_tflops) out["peak_tflops"] = *f.peak_tflops;
  if (f.gigaflops_per_token) out["gigaflops_per_token"] = *f.gigaflops_per_token;
  return out;
}

Json memory_json(const MemoryComparison& m) {
  return {{"metric", "peak_memory_bytes"}, {"unit", "B"}, {"predicted", m.predicted}, {"measured", m.measured}, {"error", m.error},
          {"published", {{"value", m.published.value}, {"unit", m.published.unit}, {"confidence", m.published.confidence}}}};
}

Json row_json(const ValidationRow& r) {
  Json out = {{"id", r.id}, {"metric", r.metric}, {"unit", r.unit}, {"predicted", r.predicted}, {"measured", r.measured}, {"error", r.error},
          {"interval", {{"low", r.interval_low}, {"high", r.interval_high}}}, {"group", r.group}, {"tier", r.tier}, {"gpus", r.gpus},
          {"fits", r.fits}, {"published", published_json(r.published)}, {"settled", r.settled}, {"lacks", r.lacks}};
  if (r.memory) out["memory"] = memory_json(*r.memory);
  return out;
}

Json summary_json(const std::vector<GroupSummary>& groups) {
  Json out = Json::array();
  for (const GroupSummary& g : groups)
    out.push_back({{"group", g.group}, {"rows", g.rows}, {"mape", g.mape}, {"median", g.median}, {"bias", g.bias}, {"worst", g.worst}, {"worst_id", g.worst_id}});
  return out;
}

}  // namespace

std::string to_json(const ValidationReport& r) {
  Json out = {{"rows", Json::array()}, {"summary", summary_json(r.summary)}, {"memory_summary", summary_json(r.memory)}, {"not_expressible", Json::array()}};
  for (const ValidationRow& row : r.rows) out["rows"].push_back(row_json(row));
  for (const LeftOutRow& l : r.left_out) out["not_expressible"].push_back({{"id", l.id}, {"reason", l.reason}});
  return json_text(out);
}

std::string to_csv(const ValidationReport& r) {
  std::string out = "id,group,tier,gpus,metric,unit,predicted,measured,error,fits,peak_memory_predicted_bytes,peak_memory_measured_bytes\n";
  const auto number = [](double v) { return Json(v).dump(); };
  for (const ValidationRow& v : r.rows)
    out += v.id + "," + v.group + "," + std::to_string(v.tier) + "," + std::to_string(v.gpus) + "," + v.metric + "," + v.unit + "," + number(v.predicted) + "," +
           number(v.measured) + "," + number(v.error) + "," + (v.fits ? "true" : "false") + "," + (v.memory ? number(v.memory->predicted) + "," + number(v.memory->measured) : ",") + "\n";
  return out;
}

}  // namespace moesim
