#include "cost/gemm_grid.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace moesim {
namespace {

using Axis = std::vector<std::int64_t>;

bool ascends(const Axis& a) { return !a.empty() && a.front() >= 1 && std::adjacent_find(a.begin(), a.end(), std::greater_equal<>()) == a.end(); }

// A place between two grid lines: (1 - share) of `low` and share of `low + 1`.
struct Place {
  std::size_t low = 0;
  double share = 0;
};

Place place(const Axis& axis, std::int64_t x) {
  if (axis.size() == 1) return {};
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, x);
  const auto low = static_cast<std::size_t>(above - axis.begin()) - 1;
  return {low, static_cast<double>(x - axis[low]) / static_cast<double>(axis[low + 1] - axis[low])};
}

}  // namespace

GemmGrid::GemmGrid(Axis m, Axis n, Axis k, std::vector<double> seconds)
    : m_(std::move(m)), n_(std::move(n)), k_(std::move(k)), seconds_(std::move(seconds)) {
  const bool positive = std::all_of(seconds_.begin(), seconds_.end(), [](double s) { return s > 0; });
  if (!ascends(m_) || !ascends(n_) || !ascends(k_) || !positive || seconds_.size() != m_.size() * n_.size() * k_.size())
    throw InternalError("a GEMM grid needs ascending axes and a positive time at each of their points");
}

GemmShape GemmGrid::clamped(GemmShape s) const {
  return {std::clamp(s.m, m_.front(), m_.back()), std::clamp(s.n, n_.front(), n_.back()), std::clamp(s.k, k_.front(), k_.back())};
}

double GemmGrid::seconds(GemmShape s) const {
  if (s != clamped(s)) throw InternalError("a GEMM outside its grid");
  const std::array<Place, 3> p{place(m_, s.m), place(n_, s.n), place(k_, s.k)};
  double out = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::array<std::size_t, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool high = (corner >> axis) & 1U;
      weight *= high ? p[axis].share : 1 - p[axis].share;
      at[axis] = p[axis].low + (high ? 1 : 0);
    }
    if (weight > 0) out += weight * this->at(at[0], at[1], at[2]);
  }
  return out;
}

}  // namespace moesim
