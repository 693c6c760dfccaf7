#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/json.h"
#include "base/unit_text.h"
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

/// A column of the text.
struct Column {
  std::vector<std::string_view> head;   // its lines, the lowest last
  Table::Align align = kRight;
  int rank = 0;                         // those of the highest are left out first
  std::string (*cell)(const CollectiveReport&, const CollectiveRow&) = nullptr;
};

std::string count_text(const CollectiveReport& report, const CollectiveRow& r) {
  return std::to_string(r.measured ? r.measured->count : element_count(collective_test(report.test).op, r.bytes, r.gpus));
}

std::vector<Column> predicted_columns() {
  using Report = const CollectiveReport&;
  using Row = const CollectiveRow&;
  return {{{"", "gpus"}, kRight, 0, [](Report, Row r) { return std::to_string(r.gpus); }},
          {{"size", "(B)"}, kRight, 0, [](Report, Row r) { return std::to_string(r.bytes); }},
          {{"count", "(elements)"}, kRight, 2, count_text},
          {{"", "type"}, kLeft, 2, [](Report, Row r) { return r.measured ? r.measured->type : std::string("float"); }},
          {{"", "algorithm"}, kLeft, 0, [](Report, Row r) { return std::string(r.algorithm); }},
          {{"", "protocol"}, kLeft, 0, [](Report, Row r) { return std::string(r.protocol); }},
          {{"time", "(us)"}, kRight, 0, [](Report, Row r) { return time_text(r.us); }}};
}

Column busbw_column(int rank) {
  return {{"busbw", "(GB/s)"}, kRight, rank, [](const CollectiveReport&, const CollectiveRow& r) { return decimals(r.busbw, 2); }};
}
Column from_column(int rank) {
  return {{"", "from"}, kLeft, rank, [](const CollectiveReport&, const CollectiveRow& r) { return std::string(name(r.provenance)); }};
}

std::vector<Column> columns_of(bool compared) {
  using Report = const CollectiveReport&;
  using Row = const CollectiveRow&;
  std::vector<Column> out = predicted_columns();
  if (!compared) {
    out.push_back({{"algbw", "(GB/s)"}, kRight, 1, [](Report, Row r) { return decimals(r.algbw, 2); }});
    out.push_back(busbw_column(0));
    out.push_back(from_column(0));
    return out;
  }
  out[0].rank = 3, out[6].head = {"time", "predicted", "(us)"};
  out.push_back({{"out of", "place", "(us)"}, kRight, 0, [](Report, Row r) { return time_text(r.measured->out_of_place_us); }});
  out.push_back({{"error", "(%)"}, kRight, 0, [](Report, Row r) { return error_text(r.error()); }});
  out.push_back({{"in", "place", "(us)"}, kRight, 1, [](Report, Row r) { return r.measured->in_place_us ? time_text(*r.measured->in_place_us) : "-"; }});
  out.push_back({{"error", "(%)"}, kRight, 1, [](Report, Row r) { return r.measured->in_place_us ? error_text(r.us / *r.measured->in_place_us - 1) : "-"; }});
  out.push_back(busbw_column(2));
  out.push_back(from_column(0));
  return out;
}

std::string table_text(const CollectiveReport& r, const std::vector<Column>& all) {
  std::vector<Table::Align> align;
  std::size_t lines = 0;
  for (const Column& c : all) align.push_back(c.align), lines = std::max(lines, c.head.size());
  Table t(align);
  for (std::size_t line = 0; line < lines; ++line) {
    std::vector<std::string> row;
    for (const Column& c : all) row.emplace_back(line + c.head.size() < lines ? "" : c.head[line + c.head.size() - lines]);
    t.row(row);
  }
  for (const CollectiveRow& one : r.rows) {
    std::vector<std::string> row;
    for (const Column& c : all) row.push_back(c.cell(r, one));
    t.row(row);
  }
  return t.text(0);
}

std::size_t widest_line(const std::string& text) {
  std::size_t out = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out = std::max(out, end - at);
    at = end + 1;
  }
  return out;
}

/// With as many columns as the width holds.
std::string fitted_table(const CollectiveReport& r, std::size_t width) {
  std::vector<Column> all = columns_of(r.compared());
  for (int rank = 3; rank > 0; --rank) {
    if (std::string text = table_text(r, all); widest_line(text) <= width) return text;
    std::erase_if(all, [&](const Column& c) { return c.rank == rank; });
  }
  const std::string cut = r.compared() ? "\nin-place times do not fit in " + std::to_string(width) + " columns; --csv and --json have them\n" : "";
  return table_text(r, all) + cut;
}

double mean_busbw(const CollectiveReport& r) {
  double sum = 0;
  for (const CollectiveRow& row : r.rows) sum += row.busbw;
  return sum / static_cast<double>(r.rows.size());
}

/// What to say below the table, a paragraph each.
std::vector<std::string> remarks(const CollectiveReport& r) {
  std::vector<std::string> out = r.notes;
  if (!r.compared()) return out;
  const ErrorStats e = comparison_errors(r);
  const auto worst = std::max_element(r.rows.begin(), r.rows.end(), [](const CollectiveRow& a, const CollectiveRow& b) { return std::abs(a.error()) < std::abs(b.error()); });
  out.push_back("error of " + std::to_string(e.rows) + " out-of-place times (predicted / measured - 1): median " + decimals(100 * e.median, 1) + " %, mean " +
                decimals(100 * e.mean, 1) + " %, p90 " + decimals(100 * e.p90, 1) + " %, bias " + error_text(e.bias) + " %, worst " + error_text(worst->error()) + " % at " +
                std::to_string(worst->bytes) + " B");
  const auto wrong = std::count_if(r.rows.begin(), r.rows.end(), [](const CollectiveRow& row) { return row.measured->wrong; });
  if (wrong > 0) out.push_back("#wrong is above 0 in " + counted(wrong, "row") + ": the run itself computed wrong results");
  if (r.average_busbw) out.push_back("average bus bandwidth: predicted " + decimals(mean_busbw(r), 2) + " GB/s, measured " + decimals(*r.average_busbw, 2) + " GB/s");
  return out;
}

Json json_row(const CollectiveReport& report, const CollectiveRow& r) {
  Json j{{"op", report.test}, {"gpus", r.gpus}, {"bytes", r.bytes}, {"algorithm", r.algorithm}, {"protocol", r.protocol}, {"time_us", r.us},
         {"algbw_GBps", r.algbw}, {"busbw_GBps", r.busbw}, {"provenance", name(r.provenance)}};
  if (!r.measured) return j;
  j["measured_us"] = r.measured->out_of_place_us;
  j["error"] = r.error();
  if (r.measured->wrong) j["wrong"] = true;
  if (r.measured->in_place_us) {
    j["measured_in_place_us"] = *r.measured->in_place_us;
    j["error_in_place"] = r.us / *r.measured->in_place_us - 1;
  }
  return j;
}

}  // namespace

std::string to_text(const CollectiveReport& r, std::size_t width) {
  std::string out = r.test + " on " + r.hardware + (r.compared() ? ", " + std::to_string(r.rows.front().gpus) + " GPUs" : "") + "\n" + fitted_table(r, width);
  const std::vector<std::string> below = remarks(r);
  if (!below.empty()) out += "\n";
  for (const std::string& text : below) out += wrap(text, width, 2) + "\n";
  return out;
}

std::string to_json(const CollectiveReport& r) {
  Json rows = Json::array();
  for (const CollectiveRow& row : r.rows) rows.push_back(json_row(r, row));
  Json out{{"op", r.test}, {"hardware", r.hardware}, {"rows", rows}, {"notes", r.notes}};
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
