#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "report/table.h"
#include "validation/kernels.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;

// One decimal of a percent: "4.9".
std::string percent(double share, bool sign = false) {
  const auto tenths = std::llround(std::abs(share) * 1000);
  std::string out;
  if (sign) out += share < 0 ? '-' : '+';
  out += std::to_string(tenths / 10);
  out += '.';
  out += std::to_string(tenths % 10);
  return out;
}

/// "bf16, kv fp8": tables spell the first one out.
std::string short_format(std::string format) {
  constexpr std::string_view kLong = "bfloat16";
  for (std::size_t at; (at = format.find(kLong)) != std::string::npos;) format.replace(at, kLong.size(), "bf16");
  return format;
}

std::vector<std::string> cells(const SeriesScore& s) {
  std::vector<std::string> out{"  " + printable(s.kernel), printable(short_format(s.format)), std::to_string(s.used.rows), percent(s.used.mean)};
  if (s.left_out.rows > 0)
    for (std::string& c : std::vector<std::string>{percent(s.left_out.median), percent(s.left_out.mean), percent(s.left_out.p90), percent(s.left_out.bias, true)})
      out.push_back(std::move(c));
  else
    out.insert(out.end(), 4, "-");
  out.push_back(percent(s.roofline.median));
  out.push_back(percent(s.roofline.mean));
  return out;
}

Json stats(const ErrorStats& e) { return {{"rows", e.rows}, {"median", e.median}, {"mean", e.mean}, {"p90", e.p90}, {"bias", e.bias}}; }

}  // namespace

std::string to_text(const KernelReport& r) {
  Table t({kLeft, kLeft, kRight, kRight, kRight, kRight, kRight, kRight, kRight, kRight});
  t.row({"", "", "", "used", "shapes", "left", "out", "", "closed", "form"});
  t.row({"error in %", "format", "rows", "mean", "median", "mean", "p90", "bias", "median", "mean"});
  std::string group;
  for (const SeriesScore& s : r.scores) {
    if (const std::string now = s.table + ", " + printable(s.device); now != group) t.row({group = now});
    t.row(cells(s));
  }
  std::string out = t.text(0) +
                    "\nused: rows that the fit saw; shapes left out: each shape by a fit that never saw it (- where there is one shape);\n"
                    "closed form: the machine's roofline alone. Errors are |predicted / measured - 1|, bias keeps its sign.\n";
  for (const auto& [what, why] : r.skipped) out += "skipped: " + printable(what) + ": " + why + "\n";
  return out;
}

std::string to_json(const KernelReport& r) {
  Json scores = Json::array(), skipped = Json::array();
  for (const SeriesScore& s : r.scores)
    scores.push_back({{"table", s.table}, {"device", s.device}, {"kernel", s.kernel}, {"format", s.format},
                      {"used", stats(s.used)}, {"left_out", stats(s.left_out)}, {"closed_form", stats(s.roofline)}});
  for (const auto& [what, why] : r.skipped) skipped.push_back({{"what", what}, {"why", why}});
  return json_text({{"scores", scores}, {"skipped", skipped}});
}

std::string to_csv(const KernelReport& r) {
  std::string out = "table,device,kernel,format,rows,used_median,used_mean,left_out_median,left_out_mean,left_out_p90,left_out_bias,closed_form_median,closed_form_mean\n";
  for (const SeriesScore& s : r.scores) {
    out += s.table + "," + s.device + "," + s.kernel + ",\"" + s.format + "\"," + std::to_string(s.used.rows);
    for (const double x : {s.used.median, s.used.mean, s.left_out.median, s.left_out.mean, s.left_out.p90, s.left_out.bias, s.roofline.median, s.roofline.mean}) {
      out += ',';
      out += Json(x).dump();
    }
    out += '\n';
  }
  return out;
}

}  // namespace moesim
