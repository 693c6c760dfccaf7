#include <algorithm>

#include "base/json.h"
#include "validation/kernels.h"

namespace moesim {
namespace {

/// Without rows there is no error.
Json stats(const ErrorStats& e) {
  Json out = {{"rows", e.rows}};
  for (const auto& [key, value] : {std::pair{"median", e.median}, {"mean", e.mean}, {"p90", e.p90}, {"bias", e.bias}}) out[key] = e.rows == 0 ? Json() : Json(value);
  return out;
}
Json stats(const std::optional<ErrorStats>& e) { return e ? stats(*e) : Json(nullptr); }

Json cliffs(const SeriesCliffs& s) {
  Json list = Json::array();
  for (const Cliff& c : s.cliffs) list.push_back({{"shape", c.shape}, {"m", c.from}, {"to", c.to}, {"time", c.time}, {"throughput", c.throughput}});
  return {{"device", s.device}, {"framework", s.framework}, {"kernel", s.kernel}, {"format", s.format}, {"shapes", s.shapes}, {"cliffs", list}};
}

/// A cell in quotes.
std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

constexpr std::string_view kCsvHeader =
    "table,device,framework,kernel,format,model,"
    "used_rows,used_median,used_mean,used_p90,used_bias,left_out_rows,left_out_median,left_out_mean,left_out_p90,left_out_bias,"
    "left_out_sizes_rows,left_out_sizes_median,left_out_sizes_mean,left_out_sizes_p90,left_out_sizes_bias,"
    "closed_form_rows,closed_form_median,closed_form_mean,closed_form_p90,closed_form_bias,"
    "baseline_rows,baseline_median,baseline_mean,baseline_p90,baseline_bias,chance\n";

std::string cells(const std::optional<ErrorStats>& e) {
  if (!e || e->rows == 0) return "," + std::to_string(e ? e->rows : 0) + ",,,,";
  std::string out = "," + std::to_string(e->rows);
  for (const double x : {e->median, e->mean, e->p90, e->bias}) out += "," + Json(x).dump();
  return out;
}

}  // namespace

std::string to_json(const KernelReport& r) {
  Json scores = Json::array(), devices = Json::array(), falls = Json::array(), skipped = Json::array();
  for (const SeriesScore& s : r.scores)
    scores.push_back({{"table", s.table}, {"device", s.device}, {"framework", s.framework}, {"kernel", s.kernel}, {"format", s.format}, {"model", s.model},
                      {"used", stats(s.used)}, {"left_out", stats(s.left_out)}, {"left_out_sizes", stats(s.left_out_sizes)},
                      {"closed_form", stats(s.closed_form)}, {"baseline", stats(s.baseline)}, {"chance", s.chance}});
  for (const DeviceScore& d : device_scores(r))
    devices.push_back({{"table", d.table}, {"device", d.device}, {"series", d.series}, {"left_out", stats(d.left_out)}, {"left_out_sizes", stats(d.left_out_sizes)}, {"closed_form_mean", d.closed_form}, {"baseline_mean", d.baseline ? Json(*d.baseline) : Json()}});
  for (const SeriesCliffs& c : r.cliffs) falls.push_back(cliffs(c));
  for (const auto& [what, why] : r.skipped) skipped.push_back({{"what", what}, {"why", why}});
  return json_text({{"scores", scores}, {"devices", devices}, {"cliffs", falls}, {"skipped", skipped}});
}

std::string to_csv(const KernelReport& r) {
  std::string out(kCsvHeader);
  for (const SeriesScore& s : r.scores) {
    for (const std::string* text : {&s.table, &s.device, &s.framework, &s.kernel, &s.format}) out += (text == &s.table ? "" : ",") + quoted(*text);
    out += "," + quoted(s.model);
    using Stats = std::optional<ErrorStats>;
    for (const Stats& e : {Stats(s.used), Stats(s.left_out), s.left_out_sizes, Stats(s.closed_form), s.baseline}) out += cells(e);
    out += "," + Json(s.chance).dump();
    out += '\n';
  }
  const std::string blank(static_cast<std::size_t>(std::count(kCsvHeader.begin(), kCsvHeader.end(), ',')) - 5, ',');
  for (const auto& [what, why] : r.skipped) out += quoted("skipped") + "," + quoted(what) + ",,,," + quoted(why) + blank + "\n";
  return out;
}

}  // namespace moesim
