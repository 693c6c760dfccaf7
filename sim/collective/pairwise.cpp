#include "collective/pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "collective/protocol.h"
#include "collective/uplinks.h"

namespace moesim {
namespace {

constexpr std::size_t kUplinks = static_cast<std::size_t>(Port::uplink_out);

struct Domain {
  InsideRate inside;
  std::int64_t bytes = 0;
  std::int64_t largest = 0;
};

class Builder {
 public:
  Builder(std::span<const std::int64_t> to, const Placement& p, const HwProfile& hw)
      : to_(to), p_(p), hw_(hw) {
    domains_.reserve(p.in_domain.size());
    for (const std::int64_t members : p.in_domain) domains_.push_back({InsideRate(hw, members)});
    for (std::size_t j = 0; j < to.size(); ++j) {
      Domain& d = domains_[static_cast<std::size_t>(p.domain_of[j])];
      d.bytes += to[j];
      d.largest = std::max(d.largest, to[j]);
      total_ += to[j];
    }
  }

  /// Bytes from one member to each domain.
  std::vector<std::int64_t> to_domains() const {
    std::vector<std::int64_t> out;
    for (const Domain& d : domains_) out.push_back(d.bytes);
    return out;
  }

  PortLoad load(std::size_t m) const {
    const Domain& own = domains_[static_cast<std::size_t>(p_.domain_of[m])];
    const std::int64_t beside = p_.members_beside(m), remote = p_.ranks - beside;
    PortLoad l;
    l.bytes = {own.bytes - to_[m], (beside - 1) * to_[m], total_ - own.bytes, remote * to_[m], 0, 0};
    // The member with the largest share does not send it to itself, but the others of its domain do, and the slowest sender counts.
    l.out_seconds = std::max(own.inside.seconds(l.bytes[0], own.largest), across_seconds(hw_, remote, l.bytes[2]));
    l.in_seconds = std::max(own.inside.seconds(l.bytes[1], to_[m]), across_seconds(hw_, remote, l.bytes[3]));
    return l;
  }

 private:
  std::span<const std::int64_t> to_;
  const Placement& p_;
  const HwProfile& hw_;
  std::vector<Domain> domains_;
  std::int64_t total_ = 0;
};

}  // namespace

InsideRate::InsideRate(const HwProfile& hw, std::int64_t members) : InsideRate(hw, members, hw.scale_up.all_to_all_efficiency.value) {}

InsideRate::InsideRate(const HwProfile& hw, std::int64_t members, double efficiency)
    : all_(domain_rate(hw, members)), pair_(domain_rate(hw, 2)), efficiency_(efficiency) {}

Reach all_to_all_reach(const HwProfile& hw) { return {hw.scale_up.all_to_all_efficiency.value, hw.scale_out.all_to_all_efficiency.value}; }

double across_seconds(const HwProfile& hw, std::int64_t messages, std::int64_t bytes) {
  if (bytes == 0) return 0;
  const double ramp = static_cast<double>(messages) * static_cast<double>(hw.scale_out.half_message.value.count());
  return (static_cast<double>(bytes) + ramp) / (hw.scale_out.per_gpu.value.count() * hw.scale_out.all_to_all_efficiency.value);
}

EvenExchange::EvenExchange(const Placement& p, const HwProfile& hw) {
  constexpr std::int64_t kEach = std::int64_t{1} << 30;
  const std::int64_t beside = p.in_domain.front(), remote = p.ranks - beside;
  const double all = static_cast<double>(kEach * p.ranks);
  if (beside > 1) inside_ = InsideRate(hw, beside).seconds((beside - 1) * kEach, kEach) / all;
  if (remote == 0) return;
  ramp_ = across_seconds(hw, remote, 1) - across_seconds(hw, 0, 1);
  across_ = across_seconds(hw, 0, remote * kEach) / all;
}

double EvenExchange::as_slow_as(double seconds) const {
  double bytes = std::numeric_limits<double>::infinity();
  if (inside_ > 0) bytes = seconds / inside_;
  if (across_ > 0) bytes = std::min(bytes, (seconds - ramp_) / across_);
  return std::isfinite(bytes) ? std::max(0.0, bytes) : 0;
}

std::vector<PortLoad> pairwise_loads(std::span<const std::int64_t> to, const Placement& p, const HwProfile& hw) {
  const Builder builder(to, p, hw);
  const bool equal = p.symmetric() && std::all_of(to.begin(), to.end(), [&](std::int64_t b) { return b == to.front(); });
  std::vector<PortLoad> loads;
  for (std::size_t m = 0; m < (equal ? 1 : to.size()); ++m) loads.push_back(builder.load(m));
  if (Uplinks uplinks(p); uplinks.any()) {
    uplinks.from_all(builder.to_domains());
    const std::array<std::int64_t, 2> each = uplinks.of_each_member();   // once: it looks at every place
    for (PortLoad& l : loads) std::copy(each.begin(), each.end(), l.bytes.begin() + kUplinks);
  }
  return loads;
}

PairwiseCost pairwise(std::span<const PortLoad> loads, const Placement& p, const HwProfile& hw) {
  const double alone = slowest(loads);
  if (alone <= 0) return {Transfer{{}, {}, {Transfer::Member{}}}, ""};
  const std::int64_t inside = *std::max_element(p.in_domain.begin(), p.in_domain.end());
  const double ll = Latencies(kLL, p, hw).pairwise(inside, p.domains);
  const double simple = Latencies(kSimple, p, hw).pairwise(inside, p.domains);
  const bool small = ll + alone / bandwidth_share(kLL, p) <= simple + alone;
  const Protocol& proto = small ? kLL : kSimple;
  const Reach most = all_to_all_reach(hw), reach{most.up * proto.payload, most.out * proto.payload, proto.payload};
  return {to_transfer(time_from_seconds(small ? ll : simple), loads, bandwidth_share(proto, p), reach, hw), proto.name};
}

}  // namespace moesim
