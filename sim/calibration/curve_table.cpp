#include "calibration/curve_table.h"

namespace moesim {
namespace {

class Fitted : public KernelModel {
 public:
  Fitted(CurveModel model, const CurveTable& table, const TimedSeries& series) : model_(std::move(model)), table_(table) {
    names_ = {series.device, series.table, series.framework, series.kernel, series.format, {}};
  }
  double seconds(const TimedRow& r) const override { return model_.seconds(table_.point(names_, r)); }

 private:
  CurveModel model_;
  const CurveTable& table_;
  TimedSeries names_;
};

/// By the curves of collectives that a machine names; what they say nothing of by the formula, as `collective()` has it.
class ByCurves : public KernelModel {
 public:
  ByCurves(std::shared_ptr<const CollectiveCurves> curves, CollectiveOp op, double per_gpu, const CurveTable& table)
      : curves_(std::move(curves)), op_(op), per_gpu_(per_gpu), table_(table) {}
  double seconds(const TimedRow& r) const override {
    const std::optional<CollectiveCurves::Time> found = curves_->time(name(op_), table_.gpus(r), r.size, per_gpu_);
    return found ? found->seconds : r.closed_form;
  }

 private:
  std::shared_ptr<const CollectiveCurves> curves_;
  CollectiveOp op_;
  double per_gpu_;
  const CurveTable& table_;
};

}  // namespace

std::unique_ptr<KernelModel> CurveTable::shipped(const HwProfile& hw, const TimedSeries& names) const {
  const std::optional<Shipped> kind = ships();
  const auto& curves = kind && kind->over_nodes ? hw.scale_out.curves : hw.scale_up.curves;
  if (!kind || !curves) return nullptr;
  const double per_gpu = (kind->over_nodes ? hw.scale_out.per_gpu : hw.scale_up.per_gpu).value.count();
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::all_reduce, CollectiveOp::all_to_all, CollectiveOp::reduce_scatter})
    if (names.kernel.find(name(op)) != std::string::npos && series_of(op, {&names, 1}, names.device)) return std::make_unique<ByCurves>(curves, op, per_gpu, *this);
  return nullptr;
}

std::vector<CurveTable::Operation> CurveTable::operations(std::span<const TimedSeries> all, std::string_view device) const {
  std::vector<Operation> out;
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::all_reduce, CollectiveOp::all_to_all, CollectiveOp::reduce_scatter})
    if (const std::optional<std::size_t> which = series_of(op, all, device)) out.push_back({std::string(name(op)), op, *which, all[*which].kernel.find(name(op)) != std::string::npos});
  return out;
}

std::vector<std::int64_t> CurveTable::Shipped::gpus_of(const HwProfile& hw) const {
  std::vector<std::int64_t> out;
  for (const std::int64_t n : gpus)
    if (over_nodes || n <= hw.scale_up.domain) out.push_back(n);
  return out;
}

std::unique_ptr<KernelModel> CurveTable::fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const {
  const TimedSeries& own = all[which];
  const auto alike = [this](std::string_view a, std::string_view b) { return likeness(a, b); };
  std::vector<CurvePoint> points;
  for (const TimedSeries& s : all) {
    if (s.rows.empty() || own.rows.empty()) continue;
    const std::string kind = point(own, own.rows.front()).kind, other = point(s, s.rows.front()).kind;
    if (kind != other && alike(kind, other) == 0) continue;
    for (const TimedRow& r : s.rows)
      if (seen(r)) points.push_back(point(s, r));
  }
  if (points.empty()) return nullptr;
  return std::make_unique<Fitted>(CurveModel(std::move(points), alike), *this, own);
}

}  // namespace moesim
