#include "report/compare_text.h"

#include <algorithm>
#include <cmath>

#include "base/unit_text.h"
#include "report/memory_text.h"
#include "report/table.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;
constexpr double kVisible = 5e-4;   // of the longer step: less is not shown

std::string headline(const TrainReport& a, const TrainReport& b) {
  Table t({kLeft, kRight, kRight, kRight});
  const auto ratio = [](double x, double y) { return x == 0 ? std::string("-") : significant(y / x, 3) + "x"; };
  t.row({"", "A", "B", "B / A"});
  t.row({"step time", seconds_text(a.step_time_s), seconds_text(b.step_time_s), ratio(a.step_time_s, b.step_time_s)});
  t.row({"tokens/s", significant(a.tokens_per_s, 4), significant(b.tokens_per_s, 4), ratio(a.tokens_per_s, b.tokens_per_s)});
  t.row({"tokens/s/GPU", significant(a.tokens_per_s_per_gpu, 4), significant(b.tokens_per_s_per_gpu, 4), ratio(a.tokens_per_s_per_gpu, b.tokens_per_s_per_gpu)});
  t.row({"MFU", share_text(a.mfu), share_text(b.mfu), ratio(a.mfu, b.mfu)});
  const auto peak = [](const TrainReport& r) { return r.memory.stages[r.memory.peak_stage].total(); };
  t.row({"peak memory", to_text(peak(a)), to_text(peak(b)), ratio(static_cast<double>(peak(a).count()), static_cast<double>(peak(b).count()))});
  if (!a.memory.fits() || !b.memory.fits()) t.row({"fits", a.memory.fits() ? "yes" : "no", b.memory.fits() ? "yes" : "no", ""});
  return t.text(0);
}

/// Bars of the waterfall that differ, largest difference first.
std::string changes(const TrainReport& a, const TrainReport& b, std::size_t width) {
  std::vector<std::size_t> order(a.waterfall.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto difference = [&](std::size_t i) { return b.waterfall[i].seconds - a.waterfall[i].seconds; };
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return std::abs(difference(x)) > std::abs(difference(y)); });
  if ((order.empty() || difference(order.front()) == 0) && a.step_time_s == b.step_time_s) return "\nThe steps take the same time, in every part.\n";
  std::erase_if(order, [&](std::size_t i) { return std::abs(difference(i)) <= kVisible * std::max(a.step_time_s, b.step_time_s); });
  if (order.empty()) return "\n" + wrap("No part of the step changes by more than " + share_text(kVisible) + " of it.", width, 0) + "\n";
  Table d({kLeft, kRight, kRight, kRight});
  d.row({"", "A", "B", "B - A"});
  for (const std::size_t i : order)
    d.row({a.waterfall[i].name, seconds_text(a.waterfall[i].seconds), seconds_text(b.waterfall[i].seconds), (difference(i) > 0 ? "+" : "") + seconds_text(difference(i))});
  return "\nWhere the time went, largest change first\n" + d.text();
}

/// "B does not fit: ...", for each of the two that does not.
std::string too_big(const TrainReport& a, const TrainReport& b, std::size_t width) {
  std::string out;
  for (const auto& [name, r] : {std::pair{"A ", &a}, {"B ", &b}})
    if (!r->memory.fits()) out += wrap(name + does_not_fit(r->memory), width, 2) + "\n";
  return out.empty() ? out : "\n" + out;
}

/// Which transfers meet on a port hangs on small changes of timing: said where that makes more of a difference than all else.
std::string by_chance(const TrainReport& a, const TrainReport& b, std::size_t width) {
  if (!a.unshared_step_time_s || !b.unshared_step_time_s) return "";
  const double alone_a = *a.unshared_step_time_s, alone_b = *b.unshared_step_time_s;
  const double in_a = a.step_time_s - alone_a, in_b = b.step_time_s - alone_b;
  if (std::abs(in_b - in_a) <= std::abs(alone_b - alone_a)) return "";
  return "\n" + wrap("Most of this difference may be chance: transfers that meet on a port cost " + seconds_text(in_a) + " of A and " + seconds_text(in_b) +
                         " of B, and which of them meet hangs on small changes of timing. If none met, B would take " +
                         significant(alone_b / alone_a, 4) + "x of A.", width, 0) + "\n";
}

}  // namespace

std::string compare_text(const TrainReport& a, const TrainReport& b, std::size_t width) {
  return "A  " + wrap(a.scenario_name + ": " + a.layout, width, 3) + "\nB  " + wrap(b.scenario_name + ": " + b.layout, width, 3) + "\n\n" +
         headline(a, b) + too_big(a, b, width) + by_chance(a, b, width) + changes(a, b, width);
}

}  // namespace moesim
