#include "collective/held.h"

#include <algorithm>
#include <cmath>

namespace moesim {

namespace {

constexpr std::int64_t kChannelsOfNic = 2;

}  // namespace

std::int32_t collective_sms(CollectiveOp op, const Placement& p, const Stack& stack) {
  if (op == CollectiveOp::send_recv) return static_cast<std::int32_t>(stack.p2p_sms.value);
  const std::int64_t most = stack.collective_sms.value;
  if (p.domains == 1) return static_cast<std::int32_t>(most);
  const std::int64_t nics = *std::max_element(p.in_domain.begin(), p.in_domain.end());
  return static_cast<std::int32_t>(std::min(most, std::max(stack.network_sms.value, kChannelsOfNic * nics)));
}

double memory_touches(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_reduce: return 2.5;   // half of it sums, half of it copies
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce: return 3;
    case CollectiveOp::send_recv: return 1;      // the sender reads, the receiver writes
    case CollectiveOp::all_gather:
    case CollectiveOp::all_to_all:
    case CollectiveOp::broadcast: break;
  }
  return 2;
}

std::int32_t memory_taken(const Transfer& t, double touches, const HwProfile& hw) {
  if (t.span <= Time{0}) return 0;
  std::int64_t most = 0;
  for (const Transfer::Member& m : t.members)
    most = std::max(most, std::max(m.bytes[0] + m.bytes[2], m.bytes[1] + m.bytes[3]));
  const double rate = touches * static_cast<double>(most) / seconds(t.span);
  return static_cast<std::int32_t>(std::lround(std::min(1.0, rate / hw.gpu.memory_bandwidth.value.count()) * 1000));
}

}  // namespace moesim
