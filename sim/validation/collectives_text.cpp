#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/json.h"
#include "report/table.h"
#include "validation/collectives.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;

std::string decimals(double x, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, x);
  return buffer;
}

/// As nccl-tests rounds times: 15.60, 199.8, 12345.
std::string time_text(double us) { return decimals(us, us >= 10'000 ? 0 : us >= 100 ? 1 : 2); }

std::string error_text(double error) {
  const auto tenths = std::llround(std::abs(error) * 1000);
  return (error < 0 ? "-" : "+") + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::vector<std::string> cells(const CollectiveReport& report, const CollectiveRow& r) {
  const CollectiveOp op = collective_test(report.test).op;
  const std::int64_t count = r.measured ? r.measured->count : element_count(op, r.bytes, r.gpus);
  std::vector<std::string> out{std::to_string(r.gpus), std::to_string(r.bytes), std::to_string(count), r.measured ? r.measured->type : "float",
                               std::string(r.algorithm), std::string(r.protocol), time_text(r.us)};
  if (!r.measured) {
    out.insert(out.end(), {decimals(r.algbw, 2), decimals(r.busbw, 2), std::string(name(r.provenance))});
    return out;
  }
  out.insert(out.end(), {time_text(r.measured->out_of_place_us), error_text(r.error())});
  if (r.measured->in_place_us) out.insert(out.end(), {time_text(*r.measured->in_place_us), error_text(r.us / *r.measured->in_place_us - 1)});
  else out.insert(out.end(), {"-", "-"});
  out.insert(out.end(), {decimals(r.busbw, 2), std::string(name(r.provenance))});
  return out;
}

double mean_busbw(const CollectiveReport& r) {
  double sum = 0;
  for (const CollectiveRow& row : r.rows) sum += row.busbw;
  return sum / static_cast<double>(r.rows.size());
}

std::string summary_text(const CollectiveReport& r) {
  const ErrorStats e = comparison_errors(r);
  const auto worst = std::max_element(r.rows.begin(), r.rows.end(), [](const CollectiveRow& a, const CollectiveRow& b) { return std::abs(a.error()) < std::abs(b.error()); });
  std::string out = "\nerror of " + std::to_string(e.rows) + " out-of-place times (predicted / measured - 1): median " + decimals(100 * e.median, 1) + " %, mean " +
                    decimals(100 * e.mean, 1) + " %, p90 " + decimals(100 * e.p90, 1) + " %, bias " + error_text(e.bias) + " %, worst " + error_text(worst->error()) +
                    " % at " + std::to_string(worst->bytes) + " B\n";
  if (r.average_busbw) out += "average bus bandwidth: predicted " + decimals(mean_busbw(r), 2) + " GB/s, measured " + decimals(*r.average_busbw, 2) + " GB/s\n";
  return out;
}

Json json_row(const CollectiveReport& report, const CollectiveRow& r) {
  Json j{{"op", report.test}, {"gpus", r.gpus}, {"bytes", r.bytes}, {"algorithm", r.algorithm}, {"protocol", r.protocol}, {"time_us", r.us},
         {"algbw_GBps", r.algbw}, {"busbw_GBps", r.busbw}, {"provenance", name(r.provenance)}};
  if (!r.measured) return j;
  j["measured_us"] = r.measured->out_of_place_us;
  j["error"] = r.error();
  if (r.measured->in_place_us) {
    j["measured_in_place_us"] = *r.measured->in_place_us;
    j["error_in_place"] = r.us / *r.measured->in_place_us - 1;
  }
  return j;
}

}  // namespace

std::string to_text(const CollectiveReport& r) {
  std::vector<Table::Align> align{kRight, kRight, kRight, kLeft, kLeft, kLeft, kRight, kRight, kRight};
  if (r.compared()) align.insert(align.end(), 3, kRight);
  align.push_back(kLeft);
  Table t(align);
  if (r.compared()) {
    t.row({"", "", "", "", "", "", "time", "out of", "", "in", "", "", ""});
    t.row({"", "size", "count", "", "", "", "predicted", "place", "error", "place", "error", "busbw", ""});
    t.row({"gpus", "(B)", "(elements)", "type", "algorithm", "protocol", "(us)", "(us)", "(%)", "(us)", "(%)", "(GB/s)", "from"});
  } else {
    t.row({"", "size", "count", "", "", "", "time", "algbw", "busbw", ""});
    t.row({"gpus", "(B)", "(elements)", "type", "algorithm", "protocol", "(us)", "(GB/s)", "(GB/s)", "from"});
  }
  for (const CollectiveRow& row : r.rows) t.row(cells(r, row));
  return r.test + " on " + r.hardware + "\n" + t.text(0) + (r.compared() ? summary_text(r) : "");
}

std::string to_json(const CollectiveReport& r) {
  Json rows = Json::array();
  for (const CollectiveRow& row : r.rows) rows.push_back(json_row(r, row));
  Json out{{"op", r.test}, {"hardware", r.hardware}, {"rows", rows}};
  if (r.compared()) {
    const ErrorStats e = comparison_errors(r);
    out["summary"] = {{"rows", e.rows}, {"median", e.median}, {"mean", e.mean}, {"p90", e.p90}, {"bias", e.bias}, {"predicted_busbw_GBps", mean_busbw(r)}};
    if (r.average_busbw) out["summary"]["measured_busbw_GBps"] = *r.average_busbw;
  }
  return json_text(out);
}

std::string to_csv(const CollectiveReport& r) {
  std::string out = "op,hardware,gpus,bytes,algorithm,protocol,time_us,algbw_GBps,busbw_GBps,provenance,measured_us,error,measured_in_place_us,error_in_place\n";
  const auto value = [](const Json& j, const char* key) { return j.contains(key) ? j[key].dump() : std::string(); };
  for (const CollectiveRow& row : r.rows) {
    const Json j = json_row(r, row);
    out += r.test + "," + r.hardware + "," + std::to_string(row.gpus) + "," + std::to_string(row.bytes) + "," + std::string(row.algorithm) + "," + std::string(row.protocol);
    for (const char* key : {"time_us", "algbw_GBps", "busbw_GBps"}) out += "," + value(j, key);
    out += "," + std::string(name(row.provenance));
    for (const char* key : {"measured_us", "error", "measured_in_place_us", "error_in_place"}) out += "," + value(j, key);
    out += "\n";
  }
  return out;
}

}  // namespace moesim
