// What tables of attention over whole sequences share.
#pragma once

#include <memory>
#include <vector>

#include "calibration/kernel_tables/forms.h"
#include "calibration/kernel_tables/rows.h"
#include "calibration/prefill_fit.h"
#include "cost/cost_model.h"

namespace moesim {

inline PrefillCase prefill_case(const TimedRow& r) {
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(r.at[i]); };
  return {r.at[0], at(1), at(2), at(3), at(4), at(5)};
}

/// Shape, numbers, closed form and work of a case.
inline TimedRow prefill_row(const Op& op, std::string shape, double measured, const CostModel& model) {
  TimedRow out;
  out.shape = std::move(shape);
  for (const std::int64_t x : {op.groups, op.seq, op.heads, op.kv_heads, op.qk_dim, op.v_dim}) out.at.push_back(static_cast<double>(x));
  out.seconds = measured;
  out.closed_form = seconds(model.cost(op).time);
  add_work(out, op);
  return out;
}

class PrefillModel : public KernelModel {
 public:
  PrefillModel(const MeasuredForm& form, const HwProfile& hw) : curve_(form, kernel_numbers(hw, Clocks::burst), true) {}
  double seconds(const TimedRow& r) const override { return curve_.at(prefill_case(r)).seconds; }

 private:
  PrefillCurve curve_;
};

inline std::optional<MeasuredForm> fit_prefill_rows(const TimedSeries& s, const HwProfile& hw, const Seen& seen) {
  std::vector<PrefillTiming> timings;
  for (const TimedRow& r : s.rows)
    if (seen(r)) timings.push_back({prefill_case(r), r.seconds});
  if (timings.empty()) return std::nullopt;
  return fit_prefill(kernel_numbers(hw, Clocks::burst), timings);
}

}  // namespace moesim
