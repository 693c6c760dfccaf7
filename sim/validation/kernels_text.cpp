#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/unit_text.h"
#include "report/table.h"
#include "validation/kernels.h"

namespace moesim {
namespace {

constexpr std::size_t kWidth = 80;

// One decimal of a percent: "4.9".
std::string percent(double share, bool sign = false) {
  const auto tenths = std::llround(std::abs(share) * 1000);
  std::string out;
  if (sign) out += share < 0 ? '-' : '+';
  out += std::to_string(tenths / 10);
  if (tenths < 10000) out += '.' + std::to_string(tenths % 10);
  return out;
}

/// "bf16, kv fp8": tables spell the first one out.
std::string short_format(std::string format) {
  constexpr std::string_view kLong = "bfloat16";
  for (std::size_t at; (at = format.find(kLong)) != std::string::npos;) format.replace(at, kLong.size(), "bf16");
  return format;
}

std::string full_name(const std::string& framework, const std::string& kernel) {
  return printable(kernel.empty() ? framework : framework.empty() ? kernel : framework + " " + kernel);
}

/// The tables of one kind: their series say which columns there are.
class KindText {
 public:
  KindText(std::span<const SeriesScore> scores, std::span<const DeviceScore> devices) : scores_(scores), devices_(devices) {
    for (const SeriesScore& s : scores) {
      sizes_ = sizes_ || s.left_out_sizes;
      baseline_ = baseline_ || s.baseline;
      chance_ = chance_ || s.chance > 0;
    }
  }

  std::string text() const {
    std::vector<Table::Align> align(1, Table::Align::left);
    align.resize(header()[1].size(), Table::Align::right);
    Table t(std::move(align));
    for (std::vector<std::string> line : header()) t.row(std::move(line));
    std::string kernel;
    auto device = devices_.begin();
    std::int64_t left = 0;
    for (const SeriesScore& s : scores_) {
      if (left == 0) {
        t.heading(s.table + ", " + printable(s.device));
        kernel.clear();
        left = device->series;
      }
      std::string now = full_name(s.framework, s.kernel);
      if (s.model != "curve") now += ": by the " + printable(s.model);
      if (now != kernel) t.heading("  " + wrap(kernel = now, kWidth, 6));
      t.row(cells(s));
      if (--left == 0) {
        if (device->series > 1 && device->left_out.rows > 0) t.row(total(*device));
        ++device;
      }
    }
    return t.text(0);
  }

 private:
  std::vector<std::vector<std::string>> header() const {
    std::vector<std::string> over{"", "used", "", "left", "out"}, under{"error in %", "rows", "mean", "rows", "med", "mean", "p90", "bias"};
    if (sizes_) {
      over.insert(over.begin() + 3, {"other", "sizes"});
      under.insert(under.begin() + 3, {"med", "mean"});
    }
    if (chance_) under.emplace_back("chance");
    under.emplace_back("form");
    if (baseline_) under.emplace_back("roof");
    over.resize(under.size());
    return {over, under};
  }

  std::vector<std::string> cells(const SeriesScore& s) const {
    std::vector<std::string> out{"    " + printable(short_format(s.format))};
    const auto add = [&](bool there, std::initializer_list<std::string> texts) {
      for (const std::string& text : texts) out.push_back(there ? text : "-");
    };
    const auto rows = [](const ErrorStats& e) { return std::to_string(e.rows); };
    add(s.used.rows > 0, {rows(s.used), percent(s.used.mean)});
    const ErrorStats size = s.left_out_sizes.value_or(ErrorStats{});
    if (sizes_) add(size.rows > 0, {percent(size.median), percent(size.mean)});
    const ErrorStats& left = s.left_out;
    add(left.rows > 0, {rows(left), percent(left.median), percent(left.mean), percent(left.p90), percent(left.bias, true)});
    if (chance_) add(s.chance > 0, {percent(s.chance)});
    add(s.closed_form.rows > 0, {percent(s.closed_form.mean)});
    if (baseline_) add(s.baseline.has_value(), {percent(s.baseline.value_or(ErrorStats{}).mean)});
    return out;
  }

  std::vector<std::string> total(const DeviceScore& d) const {
    SeriesScore all;
    all.left_out = d.left_out;
    all.left_out_sizes = d.left_out_sizes;
    all.closed_form = {1, 0, d.closed_form, 0, 0};
    if (d.baseline) all.baseline.emplace().mean = *d.baseline;
    std::vector<std::string> out = cells(all);
    out[0] = "  all";
    for (std::string& c : out)
      if (c == "-") c.clear();
    return out;
  }

  std::span<const SeriesScore> scores_;
  std::span<const DeviceScore> devices_;
  bool sizes_ = false, baseline_ = false, chance_ = false;
};

std::string two_decimals(double x) {
  const auto hundredths = std::llround(x * 100);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

/// "m 256 -> 257 costs x1.92 (up to x2.68, 80 of 80 shapes)": the steps that most shapes share, and how many falls there are in all.
std::string summary(const SeriesCliffs& s) {
  constexpr std::size_t kMost = 3;
  std::string out;
  std::size_t shown = 0;
  for (const CliffStep& step : cliff_steps(s))
    if (2 * step.shapes >= s.shapes && shown++ < kMost)
      out += (out.empty() ? "m " : ", ") + std::to_string(step.from) + " -> " + std::to_string(step.to) + " costs x" + two_decimals(step.median) +
             " (up to x" + two_decimals(step.worst) + ")";
  const auto falls = std::count_if(s.cliffs.begin(), s.cliffs.end(), [](const Cliff& c) { return c.time_falls(); });
  const auto slower = static_cast<std::ptrdiff_t>(s.cliffs.size()) - falls;
  return out + (out.empty() ? "" : "; ") + "throughput falls in " + counted(slower, "place") + ", time in " + std::to_string(falls);
}

std::string all_cliffs(const SeriesCliffs& s) {
  Table t({Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right, Table::Align::right});
  t.row({"", "m", "to", "time", "m / time"});
  for (const Cliff& c : s.cliffs)
    t.row({c.shape, std::to_string(c.from), std::to_string(c.to), "x" + two_decimals(c.time), percent(c.throughput - 1, true) + " %"});
  return t.text(4);
}

std::string cliffs_text(const KernelReport& r, CliffDetail detail) {
  if (r.cliffs.empty()) return "";
  std::string out = "cliffs: throughput or time falls by over 3 % from one measured m to the next; steps of m are named where half of the shapes fall";
  if (detail == CliffDetail::summary) out += " (--cliffs lists each place)";
  out = "\n" + wrap(out, kWidth, 0) + "\n";
  std::string device;
  for (const SeriesCliffs& s : r.cliffs) {
    if (s.device != device) out += printable(device = s.device) + "\n";
    out += "  " + full_name(s.framework, s.kernel) + ", " + printable(short_format(s.format)) + "\n";
    if (detail == CliffDetail::all)
      out += all_cliffs(s);
    else
      out += "    " + wrap(summary(s), kWidth, 4) + "\n";
  }
  return out;
}

std::string legend(const KernelReport& r) {
  std::string out = "\n" +
                    wrap("used: cases that the fit saw; left out: cases of shapes (of curves, where sizes are listed) that it never saw, - where it could "
                         "not. Errors are |predicted / measured - 1|: median, mean, 90th percentile; bias keeps its sign. form: mean error of a formula "
                         "without any fit; roof: of fixed + max(FLOPs / rate, bytes / rate), three constants fitted to the same rows as the curve.",
                         kWidth, 0) +
                    "\n";
  if (std::any_of(r.scores.begin(), r.scores.end(), [](const SeriesScore& s) { return s.chance > 0; }))
    out += wrap("chance: mean error of a perfect model, since the counts of skewed load were drawn and not published.", kWidth, 0) + "\n";
  return out;
}

}  // namespace

std::string to_text(const KernelReport& r, CliffDetail detail) {
  std::string out;
  const std::vector<DeviceScore> devices = device_scores(r);
  auto device = devices.begin();
  for (auto first = r.scores.begin(); first != r.scores.end();) {
    const auto last = std::find_if(first, r.scores.end(), [&](const SeriesScore& s) { return s.table != first->table; });
    const auto end = std::find_if(device, devices.end(), [&](const DeviceScore& d) { return d.table != first->table; });
    out += KindText({first, last}, {device, end}).text() + "\n";
    first = last;
    device = end;
  }
  if (!out.empty()) out.pop_back();
  out += legend(r);
  out += cliffs_text(r, detail);
  for (const auto& [what, why] : r.skipped) out += wrap("skipped: " + printable(what) + ": " + printable(why), kWidth, 2) + "\n";
  return out;
}

}  // namespace moesim
