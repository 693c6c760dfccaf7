#include "analysis/critical_items.h"

#include <algorithm>
#include <array>

#include "analysis/kernel_shares.h"

namespace moesim {

std::vector<CriticalItem> critical_items(const TrainStep& step, const CriticalPath& path, Time end) {
  KernelShareTable shares(step);
  std::array<double, kTimeClasses> by_class{};
  const auto add = [&](TimeClass c, double s) { by_class[static_cast<std::size_t>(c)] += s; };
  /// What of a segment's `s` seconds it took longer beside transfers.
  const auto add_slower = [&](const PathItem& i, double s) {
    const double stolen = std::min(s, seconds(i.stolen)), shared = std::min(s - stolen, seconds(i.shared));
    add(TimeClass::sm_theft, stolen);
    add(TimeClass::memory_sharing, shared);
    return stolen + shared;
  };
  for (const PathItem& i : path.items(end)) {
    const double s = seconds(i.end - i.begin);
    if (i.kind == PathItem::Kind::host) {
      add(TimeClass::launch_stall, s);
      continue;
    }
    if (i.kind == PathItem::Kind::transfer) {
      add(moving(step.transfer_kind(i.id)), s);
      continue;
    }
    const double slower = add_slower(i, s);
    const KernelShares& made_of = shares.of(i.actor, i.id, i.tag);
    if (made_of.parts.empty()) add(TimeClass::launch_stall, s - slower);
    else
      for (const KernelShares::Part& p : made_of.parts) add(p.what, (s - slower) * p.share);
  }
  std::vector<CriticalItem> out;
  for (std::size_t c = 0; c < kTimeClasses; ++c)
    if (by_class[c] > 0) out.push_back({std::string(name(static_cast<TimeClass>(c))), by_class[c]});
  std::stable_sort(out.begin(), out.end(), [](const CriticalItem& a, const CriticalItem& b) { return a.seconds > b.seconds; });
  return out;
}

}  // namespace moesim
