#include "engine/kernel/pace.h"

#include <algorithm>

#include "engine/kernel/fixed.h"

namespace moesim::kernel {
namespace {

void run_for(Position& p, const PacedKernel& k, Time t) {
  p.busy += t;
  p.free += t;
  p.rest -= t;
  if (k.by_sms > k.alone) p.stolen += static_cast<double>(t.count()) * static_cast<double>((k.by_sms - k.alone).count()) / static_cast<double>(k.beside.count());
}

/// What is left of the kernel at work, at the pace that it has now.
void change_pace(Position& p, Time whole) {
  if (p.whole == whole) return;
  const Int128 rest = p.whole == Time{0} ? Int128{0} : (Int128{p.rest.count()} * whole.count() + (p.whole.count() - 1)) / p.whole.count();
  p.rest = Time{static_cast<std::int64_t>(rest)};
  p.whole = whole;
}

}  // namespace

bool go_on(Position& p, const PacedSegment& s, Time until) {
  while (p.kernel < s.kernels.size()) {
    const PacedKernel& k = s.kernels[p.kernel];
    if (!p.begun) {
      const Time start = std::max(p.free, p.launched + k.host + s.latency);
      if (start >= until) return false;
      p.begun = true;
      p.free = start;
      p.whole = p.rest = k.beside;
    }
    change_pace(p, k.beside);
    if (p.free + p.rest > until) {
      run_for(p, k, until - p.free);
      return false;
    }
    run_for(p, k, p.rest);
    p.launched += k.host;
    p.begun = false;
    ++p.kernel;
  }
  return p.free <= until;
}

}  // namespace moesim::kernel
