#include "moe/count_sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/draws.h"
#include "base/maths.h"

namespace moesim {
namespace {

/// Below this distance from 0 or from all tokens a normal is a poor binomial.
constexpr double kLight = 8;

}  // namespace

CountSampler::CountSampler(std::int64_t tokens, std::int64_t top_k, std::vector<double> inclusion)
    : tokens_(tokens), top_k_(top_k), inclusion_(std::move(inclusion)) {
  const auto n = static_cast<std::int64_t>(inclusion_.size());
  complement_ = 2 * top_k_ > n;
  if (complement_) {
    top_k_ = n - top_k_;
    for (double& p : inclusion_) p = 1 - p;
  }
  few_ = top_k_ == 0 || tokens_ <= kTokenDraws * n / top_k_;
  if (few_) {
    prepare_tokens();
  } else {
    prepare_normals();
  }
}

void CountSampler::draw(RandomStream& random, std::span<std::int64_t> counts) const {
  if (few_) {
    draw_tokens(random, counts);
  } else {
    draw_normals(random, counts);
  }
  if (complement_)
    for (std::int64_t& c : counts) c = tokens_ - c;
}

// ---- token by token ----

void CountSampler::prepare_tokens() {
  if (top_k_ == 0) return;
  const std::size_t n = inclusion_.size();
  double end = 0;
  for (const double p : inclusion_) end_.push_back(end += p);
  const double length = static_cast<double>(top_k_);
  for (double& e : end_) e = std::min(e * (length / end), length);
  end_.back() = length;
  slots_.resize(static_cast<std::size_t>(top_k_));
  for (std::uint32_t e = 1; e < n; ++e) {
    const double border = std::floor(end_[e]);
    if (border <= end_[e - 1] || border >= end_[e]) continue;
    const double before = border - end_[e - 1], here = end_[e] - border, after_miss = std::min(1.0, here / (1 - before));
    slots_[static_cast<std::size_t>(border)] = {e, here, after_miss, after_miss < 1 ? (1 - here) / (1 - after_miss) : 0};
  }
  cells_ = static_cast<double>(2 * n) / length;
  std::uint32_t e = 0;
  for (std::size_t g = 0; g < 2 * n; ++g) {
    while (end_[e] <= static_cast<double>(g) / cells_) ++e;
    guide_.push_back(e);
  }
}

std::uint32_t CountSampler::expert_at(double x, std::uint32_t first) const {
  const auto cell = static_cast<std::size_t>(x * cells_);
  std::uint32_t e = std::max(first, guide_[std::min(cell, guide_.size() - 1)]);
  while (end_[e] <= x && e + 1 < end_.size()) ++e;
  return e;
}

void CountSampler::draw_tokens(RandomStream& random, std::span<std::int64_t> counts) const {
  std::fill(counts.begin(), counts.end(), 0);
  for (std::int64_t t = 0; t < tokens_; ++t) {
    std::uint32_t last = ~std::uint32_t{0};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      double u = uniform(random);
      std::uint32_t first = 0;
      if (slot.here > 0) {   // give the straddler its whole probability, but never twice
        const bool picked = last == slot.straddler;
        if (!picked && u < slot.after_miss) {
          ++counts[last = slot.straddler];
          continue;
        }
        u = slot.here + (picked ? u * (1 - slot.here) : (u - slot.after_miss) * slot.stretch);
        first = slot.straddler + 1;
      }
      last = expert_at(static_cast<double>(i) + u, std::min<std::uint32_t>(first, static_cast<std::uint32_t>(end_.size() - 1)));
      ++counts[last];
    }
  }
}

// ---- many tokens ----

void CountSampler::prepare_normals() {
  const double t = static_cast<double>(tokens_);
  std::vector<std::uint32_t> light;
  std::uint32_t widest = 0;
  for (std::uint32_t e = 0; e < inclusion_.size(); ++e) {
    const double p = inclusion_[e];
    if (p * (1 - p) > inclusion_[widest] * (1 - inclusion_[widest])) widest = e;
    if (t * p < kLight || t * (1 - p) < kLight) {
      light.push_back(e);
    } else {
      heavy_.push_back({.index = e, .mean = t * p});
    }
  }
  if (heavy_.empty()) {   // someone must make the sum exact
    light.erase(std::find(light.begin(), light.end(), widest));
    heavy_.push_back({.index = widest, .mean = t * inclusion_[widest]});
  }
  double light_variance = 0;
  for (const std::uint32_t e : light) {
    const double p = std::clamp(inclusion_[e], 0.0, 1.0);
    light_variance += t * p * (1 - p);
    light_.push_back({e, RareBinomial(tokens_, p)});
  }
  solve_variances(light_variance);
}

/// Finds variances v before conditioning so that afterwards expert e has T p (1 - p). Conditioning on the sum takes v / V of the
/// total deviation from each, which leaves v (1 - v / V) + (v / V)^2 * light, where V is the sum of all v. If one expert has more
/// variance than all others together this has no solution; then it gets what the others leave, which is the truth too.
void CountSampler::solve_variances(double light) {
  const auto wanted = [&](const Expert& e) {
    const double p = inclusion_[e.index];
    return static_cast<double>(tokens_) * p * (1 - p);
  };
  std::vector<double> v;
  for (const Expert& e : heavy_) v.push_back(wanted(e));
  double total = 0;
  for (int round = 0; round < 30; ++round) {
    total = 0;
    for (const double x : v) total += x;
    if (total <= 0) break;
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = wanted(heavy_[i]) / std::max(0.25, 1 - v[i] / total + v[i] / total * (light / total));
  }
  total = 0;
  for (const double x : v) total += x;
  for (std::size_t i = 0; i < v.size(); ++i) {
    Expert& e = heavy_[i];
    e.share = total > 0 ? v[i] / total : 1.0 / static_cast<double>(v.size());
    const double w = wanted(e);
    e.skew = w > 0 ? (1 - 2 * inclusion_[e.index]) / std::sqrt(w) / 6 : 0;
    e.spread = std::sqrt(v[i]) * (1 / std::sqrt(1 + 2 * e.skew * e.skew));   // variance of z + s (z^2 - 1) is 1 + 2 s^2
  }
}

void CountSampler::draw_normals(RandomStream& random, std::span<std::int64_t> counts) const {
  std::int64_t left = tokens_ * top_k_;
  for (const Light& e : light_) left -= counts[e.index] = e.count(random);
  std::vector<double> value(heavy_.size());
  normal_.fill(random, value);
  double sum = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Expert& e = heavy_[i];
    const double z = value[i];
    sum += value[i] = e.mean + e.spread * (z + e.skew * (z * z - 1));
  }
  // Rounding the running sum, not each value, keeps the total exact.
  const double correction = static_cast<double>(left) - sum;
  double running = 0;
  std::int64_t given = 0, out_of_range = 0;   // the latter negative if any is
  const auto give = [&](const Expert& e, std::int64_t upto) {
    const std::int64_t count = upto - given;
    counts[e.index] = count;
    out_of_range |= count | (tokens_ - count);
    given = upto;
  };
  for (std::size_t i = 0; i + 1 < value.size(); ++i) {
    running += value[i] + heavy_[i].share * correction;
    give(heavy_[i], whole_floor(running + 0.5));
  }
  give(heavy_.back(), left);
  if (out_of_range < 0) settle_counts(counts, tokens_);
}

void settle_counts(std::span<std::int64_t> counts, std::int64_t most) {
  std::int64_t excess = 0;
  for (std::int64_t& c : counts) {
    const std::int64_t inside = std::clamp<std::int64_t>(c, 0, most);
    excess += c - inside;
    c = inside;
  }
  // Give or take in proportion to the room that is left, largest first by walking the running sum.
  const auto room = [&](std::int64_t c) { return excess > 0 ? most - c : c; };
  std::int64_t total = 0;
  for (const std::int64_t c : counts) total += room(c);
  double share = total > 0 ? static_cast<double>(excess) / static_cast<double>(total) : 0, running = 0;
  std::int64_t given = 0;
  for (std::int64_t& c : counts) {
    running += share * static_cast<double>(room(c));
    std::int64_t step = whole_floor(running + 0.5) - given;
    given += step;
    c += step;
  }
}

}  // namespace moesim
