#include "calibration/surface_fit.h"

#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of log2: shapes nearer than 10 % say the same

class SurfaceModel : public KernelModel {
 public:
  explicit SurfaceModel(ResidualSurface surface) : surface_(std::move(surface)) {}
  double seconds(const TimedRow& r) const override { return r.closed_form * portable_exp(surface_.value(r.at).log_ratio); }

 private:
  ResidualSurface surface_;
};

}  // namespace

std::unique_ptr<KernelModel> fit_surface(const TimedSeries& s, std::vector<double> scale, const Seen& seen) {
  ResidualSurface out(std::move(scale), kSoftness);
  for (const TimedRow& r : s.rows)
    if (seen(r)) out.add(r.at, portable_log(r.seconds / r.closed_form));
  if (out.size() == 0) return nullptr;
  return std::make_unique<SurfaceModel>(std::move(out));
}

}  // namespace moesim
