#include "calibration/scores.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/statistics.h"
#include "calibration/roofline_fit.h"

namespace moesim {
namespace {

using Errors = std::vector<double>;

double error(double predicted, const TimedRow& r) { return predicted / r.seconds - 1; }

SeriesScore named(const TimedSeries& s) { return {s.device, s.table, s.framework, s.kernel, s.format, {}, {}, {}, {}, {}, {}, {}, {}, 0}; }

bool anything(const TimedRow&) { return true; }

void add_errors(const KernelModel* model, std::span<const TimedRow> rows, const Seen& wanted, Errors& out) {
  if (!model) return;
  for (const TimedRow& r : rows)
    if (wanted(r)) out.push_back(error(model->seconds(r), r));
}

void add_errors(const std::optional<ThreeConstants>& model, std::span<const TimedRow> rows, const Seen& wanted, Errors& out) {
  if (!model) return;
  for (const TimedRow& r : rows)
    if (wanted(r)) out.push_back(error(model->seconds(r), r));
}

ErrorStats closed_form(std::span<const TimedRow> rows, const Seen& wanted) {
  Errors out;
  for (const TimedRow& r : rows)
    if (wanted(r)) out.push_back(error(r.closed_form, r));
  return error_stats(out);
}

/// Mean |error| of a model that knows everything but what chance decided.
double chance_of(const KernelModel* model, std::span<const TimedRow> rows) {
  constexpr double kMeanOfNormal = 0.797884560802865356;   // E|x| of a standard normal
  double sum = 0;
  if (model)
    for (const TimedRow& r : rows) sum += model->chance(r);
  return rows.empty() ? 0 : kMeanOfNormal * sum / static_cast<double>(rows.size());
}

/// Left-out errors of the table's model and of the baseline, each shape by fits that never saw it.
struct Fold {
  Errors model, baseline;
};

std::vector<Fold> folds(const KernelTable& table, std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw,
                        const std::vector<std::string>& shapes, const std::optional<ThreeConstants>& baseline) {
  const TimedSeries& s = all[which];
  std::vector<Fold> out(shapes.size());
  std::vector<std::exception_ptr> failed(shapes.size());
  // Each fold writes its own place, so the digits do not depend on the number of threads.
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < shapes.size(); ++i) try {
      const auto others = [&](const TimedRow& r) { return r.shape != shapes[i]; };
      add_errors(table.fit(all, which, hw, others).get(), s.rows, std::not_fn(others), out[i].model);
      if (baseline) add_errors(fit_three_constants(s.rows, others, baseline), s.rows, std::not_fn(others), out[i].baseline);
    } catch (...) {
      failed[i] = std::current_exception();
    }
  for (const std::exception_ptr& f : failed)
    if (f) std::rethrow_exception(f);
  return out;
}

/// Of each curve every second size, its last one never.
class OtherSizes {
 public:
  explicit OtherSizes(const TimedSeries& s) {
    for (const TimedRow& r : s.rows)
      if (r.size > 0) sizes_[r.shape].insert(r.size);
  }
  bool any() const { return !sizes_.empty(); }
  bool operator()(const TimedRow& r) const {
    const auto found = sizes_.find(r.shape);
    if (found == sizes_.end()) return false;
    const auto at = found->second.find(r.size);
    return at != found->second.end() && std::distance(found->second.begin(), at) % 2 == 1 && std::next(at) != found->second.end();
  }

 private:
  std::map<std::string, std::set<double>> sizes_;
};

/// Cases of a series that a fit has seen.
class Cases {
 public:
  explicit Cases(const TimedSeries& s) {
    for (const TimedRow& r : s.rows) at_[r.shape].insert(r.at);
  }
  bool shape(const TimedRow& r) const { return at_.contains(r.shape); }
  bool operator()(const TimedRow& r) const {
    const auto found = at_.find(r.shape);
    return found != at_.end() && found->second.contains(r.at);
  }

 private:
  std::map<std::string, std::set<std::vector<double>>> at_;
};

std::string family(const std::string& framework) { return framework.substr(0, framework.find('-')); }

/// How near a series is by its names; -1 in another format. A library's other kernel is near unless it was timed in few cases.
int nearness(const TimedSeries& a, const TimedSeries& to, const std::string& device, std::size_t most_rows) {
  if (a.format != to.format) return -1;
  const bool kernel = a.kernel == to.kernel, library = family(a.framework) == family(to.framework);
  return (a.device == device ? 16 : 0) + (a.framework == to.framework && kernel ? 8 : 0) + (kernel ? 3 : 0) +
         (library && (kernel || 2 * a.rows.size() >= most_rows) ? 2 : 0);
}

std::optional<std::size_t> nearest(std::span<const TimedSeries> all, const TimedSeries& to, const std::string& device) {
  std::size_t most_rows = 0;
  for (const TimedSeries& s : all)
    if (s.format == to.format) most_rows = std::max(most_rows, s.rows.size());
  const auto rank = [&](std::size_t i) { return std::pair(nearness(all[i], to, device, most_rows), all[i].rows.size()); };
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (rank(i).first >= 0 && (!out || rank(i) > rank(*out))) out = i;
  return out;
}

/// The shipped curve of a series, else a fit to all of its rows.
std::unique_ptr<KernelModel> known_model(const KernelTable& table, std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw, const HwProfile& curves, bool borrowed) {
  std::unique_ptr<KernelModel> out = table.shipped(curves, all[which]);
  return out || borrowed ? std::move(out) : table.fit(all, which, hw, anything);
}

}  // namespace

ErrorStats error_stats(std::span<const double> errors) {
  ErrorStats out;
  if (errors.empty()) return out;
  std::vector<double> sizes;
  for (const double e : errors) {
    sizes.push_back(std::abs(e));
    out.mean += std::abs(e);
    out.bias += e;
  }
  const auto n = static_cast<double>(errors.size());
  out.rows = static_cast<std::int64_t>(errors.size());
  out.mean /= n;
  out.bias /= n;
  out.median = quantile(sizes, 0.5);
  out.p90 = quantile(sizes, 0.9);
  return out;
}

SeriesScore score_folds(const KernelTable& table, std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw) {
  const TimedSeries& s = all[which];
  SeriesScore out = named(s);
  out.model = "curve";
  Errors used, left_out, sizes, simple;
  if (s.unhealthy) {
    add_errors(table.fit(all, which, hw, anything).get(), s.rows, anything, left_out);
    out.left_out = error_stats(left_out);
    out.left_out_errors = std::move(left_out);
    out.closed_form = closed_form(s.rows, anything);
    return out;
  }
  std::set<std::string> shapes;
  for (const TimedRow& r : s.rows) shapes.insert(r.shape);
  const std::unique_ptr<KernelModel> model = table.fit(all, which, hw, anything);
  const std::optional<ThreeConstants> baseline = fit_three_constants(s.rows, anything);
  add_errors(model.get(), s.rows, anything, used);
  out.chance = chance_of(model.get(), s.rows);
  if (shapes.size() > 1 || table.learns_from_other_series()) {
    for (const Fold& f : folds(table, all, which, hw, {shapes.begin(), shapes.end()}, baseline)) {
      left_out.insert(left_out.end(), f.model.begin(), f.model.end());
      simple.insert(simple.end(), f.baseline.begin(), f.baseline.end());
    }
  } else {
    add_errors(baseline, s.rows, anything, simple);
  }
  if (const OtherSizes other(s); other.any()) {
    add_errors(table.fit(all, which, hw, std::not_fn(other)).get(), s.rows, other, sizes);
    out.left_out_sizes = error_stats(sizes);
    out.left_out_sizes_errors = std::move(sizes);
  }
  if (shapes.size() == 1 && !left_out.empty()) out.model = "curve, left out by those of other operations and machines";
  out.used = error_stats(used);
  out.left_out = error_stats(left_out);
  out.left_out_errors = std::move(left_out);
  out.closed_form = closed_form(s.rows, anything);
  if (baseline) out.baseline = error_stats(simple);
  return out;
}

SeriesScore score_rows(const KernelTable& table, std::span<const TimedSeries> shipped, const TimedSeries& rows, const std::string& timed, const HwProfile& hw, const HwProfile& whole) {
  SeriesScore out = named(rows);
  const std::optional<std::size_t> by = nearest(shipped, rows, timed);
  const bool borrowed = timed != rows.device && whole.measured.curves && whole.measured.curves->gpu != whole.gpu.name;
  const std::unique_ptr<KernelModel> model = by ? known_model(table, shipped, *by, hw, whole, borrowed) : nullptr;
  const bool same = model && shipped[*by].device == timed && shipped[*by].framework == rows.framework && shipped[*by].kernel == rows.kernel;
  const Cases seen(same && !borrowed && !shipped[*by].unhealthy ? shipped[*by] : TimedSeries{});
  out.model = same ? "curve" : model ? "curve of " + shipped[*by].framework + " " + shipped[*by].kernel : "closed form";
  if (model && borrowed) out.model += (same ? " of " : " on ") + timed;
  Errors used, left_out, sizes;
  bool curves = false;
  for (const TimedRow& r : rows.rows) {
    curves = curves || r.size > 0;
    const bool other_size = r.size > 0 && seen.shape(r);
    (seen(r) ? used : other_size ? sizes : left_out).push_back(error(model ? model->seconds(r) : r.closed_form, r));
  }
  out.used = error_stats(used);
  out.left_out = error_stats(left_out);
  out.left_out_errors = std::move(left_out);
  if (curves) out.left_out_sizes = error_stats(sizes);
  out.left_out_sizes_errors = std::move(sizes);
  const Seen beside = used.size() == rows.rows.size() ? Seen(anything) : Seen(std::not_fn(seen));
  out.closed_form = closed_form(rows.rows, beside);
  out.chance = chance_of(model.get(), rows.rows);
  if (by)
    if (const std::optional<ThreeConstants> baseline = fit_three_constants(shipped[*by].rows, anything)) {
      Errors simple;
      add_errors(baseline, rows.rows, beside, simple);
      out.baseline = error_stats(simple);
    }
  return out;
}

}  // namespace moesim
