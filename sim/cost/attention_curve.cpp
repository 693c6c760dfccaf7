#include "cost/attention_curve.h"

#include <algorithm>

#include "base/maths.h"
#include "cost/closed_form.h"

namespace moesim {
namespace {

double d(std::int64_t x) { return static_cast<double>(x); }

// Where the closed form goes on: from one of everything to beyond any op.
constexpr std::array<double, 4> kFarthest{4294967296.0, 17179869184.0, 1, 4096};

/// The timed sizes between the smallest that there is and those beyond; ratios are those of the nearest timed size.
struct Extended {
  std::vector<double> sizes;
  std::vector<std::size_t> timed;   // which timed size stands for each
};

Extended extended(const std::vector<std::int64_t>& timed, double farthest) {
  Extended out;
  const auto add = [&](double size, std::size_t index) { out.sizes.push_back(size), out.timed.push_back(index); };
  if (farthest > 1 && timed.front() > 1) add(1, 0);
  for (std::size_t i = 0; i < timed.size(); ++i) add(d(timed[i]), i);
  while (out.sizes.back() < farthest) add(out.sizes.back() * 8, timed.size() - 1);
  return out;
}

std::int64_t whole(double x) { return std::max<std::int64_t>(1, whole_floor(x + 0.5)); }

/// Makes `all` rise along one axis, or fall.
void raise(std::vector<double>& all, std::size_t points, std::size_t step, bool falling) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t j = falling ? all.size() - 1 - i : i, at = j / step % points;
    if (falling ? at + 1 < points : at > 0) all[j] = std::max(all[j], all[falling ? j + step : j - step]);
  }
}

}  // namespace

AttentionCurve::AttentionCurve(const MeasuredAttention& t, const KernelNumbers& here, std::int64_t qk_dim, std::int64_t v_dim, bool own)
    : here_(here), qk_dim_(qk_dim), v_dim_(v_dim), own_(own) {
  const std::array<const std::vector<std::int64_t>*, kAxes> timed{&t.seq, &t.work, &t.sharing, &t.head_dim};
  std::array<std::vector<std::size_t>, kAxes> from;
  for (std::size_t a = 0; a < kAxes; ++a) {
    smallest_[a] = d(timed[a]->front()), largest_[a] = d(timed[a]->back());
    Extended e = extended(*timed[a], kFarthest[a]);
    for (const double x : e.sizes) log_axis_[a].push_back(portable_log(x));
    axis_[a] = std::move(e.sizes), from[a] = std::move(e.timed);
  }
  for (std::size_t i = 0; i < axis_[0].size(); ++i)
    for (std::size_t j = 0; j < axis_[1].size(); ++j)
      for (std::size_t k = 0; k < axis_[2].size(); ++k)
        for (std::size_t l = 0; l < axis_[3].size(); ++l) {
          const std::size_t at = ((from[0][i] * t.work.size() + from[1][j]) * t.sharing.size() + from[2][k]) * t.head_dim.size() + from[3][l];
          log_seconds_.push_back(portable_log(t.ratio[at] * closed_form_seconds(here_, op_at({axis_[0][i], axis_[1][j], axis_[2][k], axis_[3][l]}))));
        }
  std::size_t step = log_seconds_.size();
  for (std::size_t a = 0; a < kAxes; ++a) {
    step /= axis_[a].size();
    raise(log_seconds_, axis_[a].size(), step, a == 2);
  }
}

Op AttentionCurve::op_at(const Place& p) const {
  Op op;
  op.kind = OpKind::attention;
  op.seq = whole(p[0]), op.heads = whole(p[1]), op.kv_heads = whole(p[1] / p[2]);
  op.qk_dim = qk_dim_ ? qk_dim_ : whole(p[3]), op.v_dim = v_dim_ ? v_dim_ : whole(p[3]);
  return op;
}

double AttentionCurve::log_seconds(const Place& p) const {
  std::array<std::size_t, kAxes> low{};
  std::array<double, kAxes> share{};
  for (std::size_t a = 0; a < kAxes; ++a) {
    const std::vector<double>& x = axis_[a];
    if (x.size() == 1) continue;
    low[a] = static_cast<std::size_t>(std::upper_bound(x.begin() + 1, x.end() - 1, p[a]) - x.begin()) - 1;
    share[a] = (portable_log(p[a]) - log_axis_[a][low[a]]) / (log_axis_[a][low[a] + 1] - log_axis_[a][low[a]]);
  }
  double out = 0;
  for (unsigned corner = 0; corner < 1U << kAxes; ++corner) {
    double weight = 1;
    std::size_t at = 0;
    for (std::size_t a = 0; a < kAxes; ++a) {
      const bool high = (corner >> a) & 1U;
      weight *= high ? share[a] : 1 - share[a];
      at = at * axis_[a].size() + std::min(low[a] + high, axis_[a].size() - 1);
    }
    if (weight > 0) out += weight * log_seconds_[at];
  }
  return out;
}

KernelSeconds AttentionCurve::at(const Op& op) const {
  const bool windowed = op.window > 0 && op.window < op.seq;
  const double span = d(windowed ? op.window : op.seq);
  const double sequences = d(op.groups) * (windowed ? 2 * d(op.seq) / span - 1 : 1);
  const Place wanted{span, sequences * d(op.heads), d(op.heads) / d(op.kv_heads), d(op.qk_dim + op.v_dim) / 2};
  Place inside{};
  bool timed = own_ && !windowed && (qk_dim_ || op.qk_dim == op.v_dim);
  for (std::size_t a = 0; a < kAxes; ++a) {
    inside[a] = std::clamp(wanted[a], axis_[a].front(), axis_[a].back());
    timed = timed && smallest_[a] <= wanted[a] && wanted[a] <= largest_[a];
  }
  return {portable_exp(log_seconds(inside)), timed ? Provenance::interpolated : Provenance::extrapolated};
}

}  // namespace moesim
