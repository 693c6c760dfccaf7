// What tables of attention over whole sequences share.
#pragma once

#include <memory>
#include <vector>

#include "calibration/kernel_tables/rows.h"
#include "calibration/prefill_fit.h"
#include "cost/cost_model.h"

namespace moesim {

inline PrefillCase prefill_case(const TimedRow& r) {
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(r.at[i]); };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

inline Op prefill_op(const PrefillCase& c) {
  Op op;
  op.kind = OpKind::attention;
  op.groups = c.batch, op.seq = c.seq, op.heads = c.heads, op.kv_heads = c.kv_heads, op.qk_dim = c.qk_dim, op.v_dim = c.v_dim;
  return op;
}

/// Shape, numbers, closed form and work of a case.
inline TimedRow prefill_row(const PrefillCase& c, std::string shape, double measured, const CostModel& model) {
  const Op op = prefill_op(c);
  TimedRow out;
  out.shape = std::move(shape);
  for (const std::int64_t x : {c.batch, c.seq, c.heads, c.kv_heads, c.qk_dim, c.v_dim}) out.at.push_back(static_cast<double>(x));
  out.seconds = measured;
  out.closed_form = seconds(model.cost(op).time);
  add_work(out, op);
  return out;
}

class PrefillModel : public KernelModel {
 public:
  explicit PrefillModel(PrefillCurve curve) : curve_(std::move(curve)) {}
  double seconds(const TimedRow& r) const override { return curve_.seconds(prefill_case(r)); }

 private:
  PrefillCurve curve_;
};

inline std::unique_ptr<KernelModel> fit_prefill_rows(const TimedSeries& s, const HwProfile& hw, const Seen& seen) {
  std::vector<PrefillTiming> timings;
  for (const TimedRow& r : s.rows)
    if (seen(r)) timings.push_back({prefill_case(r), r.seconds});
  if (timings.empty()) return nullptr;
  return std::make_unique<PrefillModel>(fit_prefill(hw, timings));
}

}  // namespace moesim
