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

}  // namespace

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
