#include "calibration/collective_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json.h"
#include "base/maths.h"
#include "base/unit_text.h"
#include "calibration/collective_reach.h"
#include "collective/nccl_choice.h"

namespace moesim {
namespace {

constexpr int kAnOctave = 4;

std::vector<double> sizes(const CurveTable::Shipped& s) {
  std::vector<double> out;
  for (int i = kAnOctave * s.first_octave; i <= kAnOctave * s.last_octave; ++i)
    if (const double b = std::round(portable_exp(i * 0.693147180559945309 / kAnOctave)); out.empty() || b > out.back()) out.push_back(b);
  return out;
}

/// Of the releases and runs that timed a size.
struct Timings {
  double least = 0, most = 0;
};
using Timed = std::map<std::int64_t, std::map<double, Timings>>;   // by GPUs and bytes

CollectiveCurve::Known known(const Timed& timed, std::int64_t gpus) {
  if (timed.contains(gpus)) return CollectiveCurve::Known::measured;
  const bool between = !timed.empty() && timed.begin()->first < gpus && gpus < timed.rbegin()->first;
  return between ? CollectiveCurve::Known::interpolated : CollectiveCurve::Known::extrapolated;
}

std::vector<CollectiveCurve::Pick> picks(CollectiveOp op, std::int64_t gpus, const std::vector<double>& bytes, NcclGeneration g) {
  std::vector<CollectiveCurve::Pick> out;
  for (const double b : bytes)
    if (const NcclPick p = nccl_pick(op, b, gpus, g); out.empty() || out.back().algorithm != p.algorithm || out.back().protocol != p.protocol)
      out.push_back({b, p.algorithm, p.protocol});
  return out;
}

/// Licence and source of a table, from its remarks.
std::string source(const CsvTable& t) {
  std::string out;
  for (const std::string& r : t.remarks())
    for (const std::string_view key : {"source: ", "licence: "})
      if (const std::size_t at = r.find(key); at != std::string::npos && at < 2) out += (out.empty() ? "" : "; ") + r.substr(at + key.size());
  return out;
}

}  // namespace

namespace {

/// Sizes that were timed, and those at which the curve lies outside of what was timed there.
void note_timings(CollectiveCurve& c, const std::map<double, Timings>& timed, const CollectiveCurves& all) {
  constexpr double kNear = 1.03;   // as far as the fit keeps from points on purpose
  CollectiveCurves alone;
  alone.per_gpu = all.per_gpu, alone.domain = all.domain, alone.bytes = all.bytes;
  alone.curves.push_back(c);
  for (const auto& [size, t] : timed) {
    c.timed.push_back(size);
    const double shown = alone.time(c.op, c.gpus, size, all.per_gpu.count())->seconds;
    if (shown > t.most * kNear || shown < t.least / kNear) c.off.push_back(size);
  }
}

/// All curves of one operation.
void add_curves(CollectiveCurves& out, const CurveTable::Operation& operation, const CurveTable& table, const CurveTable::Shipped& shipped, std::span<const TimedSeries> all,
                const HwProfile& hw) {
  const CollectiveOp op = operation.op;
  const TimedSeries& series = all[operation.series];
  const std::unique_ptr<KernelModel> model = table.fit(all, operation.series, hw, [](const TimedRow&) { return true; });
  Timed timed;
  TimedRange range{series.rows.front().size, series.rows.front().size, shipped.most_gpus, shipped.gpus_of(hw).back(), shipped.knows_gpus};
  for (const TimedRow& r : series.rows) {
    range.first = std::min(range.first, r.size), range.last = std::max(range.last, r.size);
    if (!operation.own) continue;
    Timings& t = timed[table.gpus(r)].try_emplace(r.size, Timings{r.seconds, r.seconds}).first->second;
    t.least = std::min(t.least, r.seconds), t.most = std::max(t.most, r.seconds);
  }
  const CollectiveReach reach([&](std::int64_t gpus, double bytes) { return model->seconds(table.asked(op, gpus, bytes, series.device, hw)); }, op, hw, range);
  for (const std::int64_t n : shipped.gpus_of(hw)) {
    CollectiveCurve c;
    c.op = operation.name, c.gpus = n, c.known = known(timed, n), c.seconds = reach.curve(n, out.bytes);
    if (shipped.picks) c.picks = picks(op, n, out.bytes, nccl_generation(hw));
    if (const auto found = timed.find(n); found != timed.end()) note_timings(c, found->second, out);
    out.curves.push_back(std::move(c));
  }
}

}  // namespace

std::optional<CollectiveCurves> fit_collectives(const CurveTable& table, const CsvTable& t, std::string_view device, const HwProfile& hw) {
  const std::optional<CurveTable::Shipped> shipped = table.ships();
  if (!shipped) return std::nullopt;
  const std::vector<TimedSeries> all = table.series(t, device, hw);
  CollectiveCurves out;
  out.sources = {source(t)};
  out.per_gpu = shipped->over_nodes ? hw.scale_out.per_gpu.value : hw.scale_up.per_gpu.value;
  out.domain = hw.scale_up.domain;
  out.bytes = sizes(*shipped);
  for (const CurveTable::Operation& o : table.operations(all, device)) add_curves(out, o, table, *shipped, all, hw);
  if (out.curves.empty()) return std::nullopt;
  return out;
}

std::string to_text(const CollectiveCurves& c) {
  constexpr const char* kNames[] = {"measured", "interpolated", "extrapolated"};
  const auto whole = [](const std::vector<double>& v, double unit) {
    Json out = Json::array();
    for (const double x : v) out.push_back(std::llround(x / unit));
    return out.dump();
  };
  std::string out = "{\n  \"_about\": \"Times of collectives by bytes of the whole buffer, fitted over the timings of the sources by moesim validate kernels --write.\",\n  \"sources\": " +
                    Json(c.sources).dump() + ",\n  \"per_gpu\": " + Json(to_text(c.per_gpu)).dump() + ",\n  \"domain\": " +
                    std::to_string(c.domain) + ",\n  \"bytes\": " + whole(c.bytes, 1) + ",\n  \"curves\": [";
  for (std::size_t i = 0; i < c.curves.size(); ++i) {
    const CollectiveCurve& v = c.curves[i];
    Json picks = Json::array();
    for (const CollectiveCurve::Pick& p : v.picks) picks.push_back({{"from", std::llround(p.from)}, {"algorithm", p.algorithm}, {"protocol", p.protocol}});
    out += std::string(i == 0 ? "\n" : ",\n") + "    { \"op\": " + Json(v.op).dump() + ", \"gpus\": " + std::to_string(v.gpus) + ", \"known\": \"" +
           kNames[static_cast<std::size_t>(v.known)] + "\", \"timed\": " + whole(v.timed, 1) + ", \"off\": " + whole(v.off, 1) + ", \"ns\": " + whole(v.seconds, 1e-9) + ", \"picks\": " + picks.dump() + " }";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace moesim
