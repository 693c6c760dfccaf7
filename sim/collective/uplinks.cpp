#include "collective/uplinks.h"

#include <algorithm>

#include "base/maths.h"

namespace moesim {

Uplinks::Uplinks(const Placement& p) : cut_(p.cut ? &*p.cut : nullptr) {
  if (cut_) out_.assign(cut_->places.size(), 0), in_.assign(cut_->places.size(), 0);
}

void Uplinks::between(std::size_t from, std::size_t to, std::int64_t bytes) {
  if (!cut_ || cut_->place_of[from] == cut_->place_of[to]) return;
  out_[cut_->place_of[from]] += static_cast<double>(bytes);
  in_[cut_->place_of[to]] += static_cast<double>(bytes);
}

void Uplinks::from_all(std::span<const std::int64_t> to_domain) {
  if (!cut_) return;
  std::vector<double> to(cut_->places.size(), 0.0);
  double all = 0, members = 0;
  for (std::size_t d = 0; d < to_domain.size(); ++d) to[cut_->place_of[d]] += static_cast<double>(to_domain[d]);
  for (std::size_t l = 0; l < to.size(); ++l) all += to[l], members += static_cast<double>(cut_->places[l].members);
  for (std::size_t l = 0; l < to.size(); ++l) {
    const auto here = static_cast<double>(cut_->places[l].members);
    out_[l] += here * (all - to[l]);
    in_[l] += (members - here) * to[l];
  }
}

std::array<std::int64_t, 2> Uplinks::of_each_member() const {
  double out = 0, in = 0;
  for (std::size_t l = 0; l < out_.size(); ++l) {
    out = std::max(out, out_[l] * cut_->places[l].crowd);
    in = std::max(in, in_[l] * cut_->places[l].crowd);
  }
  return {whole_ceil(out), whole_ceil(in)};
}

void Uplinks::load(std::vector<Transfer::Member>& members) const {
  if (!cut_) return;
  const auto [out, in] = of_each_member();
  for (Transfer::Member& m : members) m.bytes[static_cast<std::size_t>(Port::uplink_out)] = out, m.bytes[static_cast<std::size_t>(Port::uplink_in)] = in;
}

}  // namespace moesim
