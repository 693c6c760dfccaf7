#include "collective/ring.h"

#include <algorithm>
#include <utility>

#include "collective/ports.h"
#include "collective/uplinks.h"

namespace moesim {
namespace {

constexpr std::size_t kUpOut = 0, kUpIn = 1, kNicOut = 2, kNicIn = 3;

/// What each member of domain `d` carries in an all-gather. A domain passes on all but what the next one starts with; channels go
/// round in different orders, so "the next one" is the mean over the others, (n - m) / (k - 1) members. Thus a load depends on the
/// size of the domain only, never on its number.
Transfer::Member gather_load(std::int64_t bytes, const Placement& p, std::size_t d) {
  const std::int64_t n = p.ranks, k = p.domains, m = p.in_domain[d];
  Transfer::Member load;
  load.bytes[kUpOut] = load.bytes[kUpIn] = share_of(bytes, m - 1, m);
  if (k == 1) return load;
  load.bytes[kNicIn] = share_of(bytes, n - m, n * m);
  load.bytes[kNicOut] = share_of(bytes, (k - 1) * n - (n - m), (k - 1) * n * m);
  return load;
}

template <class LoadOf>
RingWork ring(const Placement& p, const HwProfile& hw, LoadOf load_of) {
  RingWork work;
  std::vector<Transfer::Member> of_domain;
  const bool alike = p.symmetric();
  for (std::size_t d = 0; d < p.in_domain.size(); ++d) {
    of_domain.push_back(load_of(d));
    const auto& b = of_domain.back().bytes;
    const double nic = hw.scale_out.per_gpu.value.count() * hw.scale_out.ring_efficiency.value;
    work.across = std::max(work.across, static_cast<double>(std::max(b[kNicOut], b[kNicIn])) / nic);
    if (p.in_domain[d] > 1)
      work.inside = std::max(work.inside, static_cast<double>(b[kUpOut]) / (domain_rate(hw, p.in_domain[d]) * hw.scale_up.ring_efficiency.value));
    if (alike) break;
  }
  // Each domain passes on to the next one: of a place in order only the last crosses.
  if (Uplinks uplinks(p); uplinks.any()) {
    for (std::size_t d = 0; d < p.in_domain.size(); ++d)
      uplinks.between(d, (d + 1) % p.in_domain.size(), of_domain[of_domain.size() == 1 ? 0 : d].bytes[kNicOut] * p.in_domain[d]);
    uplinks.load(of_domain);
  }
  if (of_domain.size() == 1) {
    work.members = std::move(of_domain);
  } else {
    for (const std::int64_t d : p.domain_of) work.members.push_back(of_domain[static_cast<std::size_t>(d)]);
  }
  return work;
}

Transfer::Member backwards(Transfer::Member m) {
  std::swap(m.bytes[kNicOut], m.bytes[kNicIn]);
  return m;
}

}  // namespace

RingWork ring_all_gather(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  return ring(p, hw, [&](std::size_t d) { return gather_load(bytes, p, d); });
}

RingWork ring_reduce_scatter(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  return ring(p, hw, [&](std::size_t d) { return backwards(gather_load(bytes, p, d)); });
}

RingWork ring_broadcast(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  return ring(p, hw, [&](std::size_t d) {
    const std::int64_t up = p.in_domain[d] > 1 ? bytes : 0, nic = p.domains > 1 ? ceil_div(bytes, p.in_domain[d]) : 0;
    Transfer::Member load;
    load.bytes = {up, up, nic, nic};
    return load;
  });
}

RingWork ring_all_reduce(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  return ring(p, hw, [&](std::size_t d) {
    Transfer::Member sum = gather_load(bytes, p, d);
    const Transfer::Member back = backwards(sum);
    for (std::size_t port = 0; port < kPorts; ++port) sum.bytes[port] += back.bytes[port];
    return sum;
  });
}

}  // namespace moesim
