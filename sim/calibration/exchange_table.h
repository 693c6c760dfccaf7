// Tables of MoE exchanges: a form with fitted constants (hw/exchange_forms.h) times a surface of what it misses.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/maths.h"
#include "calibration/form_fit.h"
#include "calibration/kernel_tables.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/residual_surface.h"
#include "hw/exchange_forms.h"

namespace moesim {

/// As TimedRow::at, and back.
inline std::vector<double> numbers(const ExchangeWork& w) {
  return {w.tokens, w.bytes, w.copies, w.nodes_reached, w.wire, w.sms, w.ranks, w.nodes, w.experts, w.top_k};
}
inline ExchangeWork work(const std::vector<double>& at) { return {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], at[9]}; }

/// Where a row lies on the surface: logarithms of tokens, bytes, copies, SMs, ranks, nodes and experts, as far as each counts.
struct SurfaceScale {
  double bytes = 1, copies = 0.7, sms = 1.5, ranks = 0.3, nodes = 4, experts = 0;
  std::vector<double> place(const ExchangeWork& w) const {
    return {log2_of(w.tokens), bytes * log2_of(w.bytes), copies * log2_of(w.copies), sms * log2_of(w.sms), ranks * log2_of(w.ranks), nodes * log2_of(w.nodes),
            experts * log2_of(w.experts)};
  }
};

/// `Form` fitted to some rows of a series.
template <class Form>
class ExchangeModel : public KernelModel {
 public:
  /// Rows between which constants hardly change: every n-th of many is enough for them.
  static constexpr std::size_t kEnough = 400;

  /// `rows` make the surface; where they are too alike to make the form, `like` (of another release) help.
  ExchangeModel(const std::vector<const TimedRow*>& rows, const std::vector<const TimedRow*>& like, const Form& start, const SurfaceScale& scale)
      : form_(fitted(rows, like, start)), scale_(scale), surface_(std::vector<double>(7, 1.0), kSoftness) {
    for (const TimedRow* r : rows) surface_.add(scale_.place(work(r->at)), portable_log(r->seconds / form_.seconds(work(r->at))));
  }
  double seconds(const TimedRow& r) const override {
    const ExchangeWork w = work(r.at);
    const ResidualSurface::Value v = surface_.value(scale_.place(w));
    const double far = v.nearest / kReach;
    return form_.seconds(w) * portable_exp(v.log_ratio / (1 + far * far));
  }
  const Form& form() const { return form_; }

 private:
  static constexpr double kReach = 2.5;           // from here on what is missing at the nearest row says half
  static constexpr double kSoftness = 0.15;   // of log2: as near as 10 % says the same

  static Form fitted(const std::vector<const TimedRow*>& rows, const std::vector<const TimedRow*>& like, const Form& start) {
    std::vector<ExchangeWork> works;
    std::vector<double> seconds;
    for (const auto* some : {&rows, &like}) {
      const std::size_t every = (some->size() + kEnough - 1) / kEnough;
      for (std::size_t i = 0; i < some->size(); i += every) {
        works.push_back(work((*some)[i]->at));
        seconds.push_back((*some)[i]->seconds);
      }
    }
    Form best = start;
    double least = 0;
    for (int doublings = 0; doublings <= kMostDoublings; ++doublings) {
      Form f = start;
      f.doublings = doublings;
      const FormOf of = [&](std::span<const double> c, std::size_t i) {
        std::copy(c.begin(), c.end(), f.c.begin());
        return f.seconds(works[i]);
      };
      const FittedConstants fit = fit_constants(of, start.c, seconds);
      if (doublings > 0 && fit.loss >= least) continue;
      least = fit.loss;
      std::copy(fit.constants.begin(), fit.constants.end(), best.c.begin());
      best.doublings = doublings;
    }
    return best;
  }

  Form form_;
  SurfaceScale scale_;
  ResidualSurface surface_;
};

/// The rows of `s` that are seen.
inline std::vector<const TimedRow*> seen_rows(const TimedSeries& s, const Seen& seen) {
  std::vector<const TimedRow*> out;
  for (const TimedRow& r : s.rows)
    if (seen(r)) out.push_back(&r);
  return out;
}

/// nullptr without rows.
template <class Form>
std::unique_ptr<KernelModel> fit_exchange(const std::vector<const TimedRow*>& rows, const Form& start, const SurfaceScale& scale,
                                          const std::vector<const TimedRow*>& like = {}) {
  if (rows.empty()) return nullptr;
  return std::make_unique<ExchangeModel<Form>>(rows, like, start, scale);
}

/// For a series whose seen rows are of one shape: the seen rows of the same kernel in other releases. Empty where it has more shapes.
std::vector<const TimedRow*> rows_alike(std::span<const TimedSeries> all, const TimedSeries&, const Seen&);

/// Seconds by the ports of the machine alone: the bytes that leave a rank at the efficiency of an all-to-all, after the latencies of one.
double port_seconds(const ExchangeWork&, const HwProfile&);

}  // namespace moesim
