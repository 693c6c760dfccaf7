#include "calibration/exchange_table.h"

#include <algorithm>

#include "collective/ports.h"

namespace moesim {

double port_seconds(const ExchangeWork& w, const HwProfile& hw) {
  const double leaving = w.copies * (w.ranks - 1) / w.ranks * w.bytes;
  const double up = leaving / (static_cast<double>(capacity(hw, Port::scale_up_out)) * hw.scale_up.all_to_all_efficiency.value);
  const double out = w.nodes > 1 ? w.wire / (static_cast<double>(capacity(hw, Port::scale_out_out)) * hw.scale_out.all_to_all_efficiency.value) : 0;
  const double start = seconds(w.nodes > 1 ? hw.scale_out.base_latency.value : hw.scale_up.base_latency.value) + seconds(hw.scale_up.hop_latency.value) * log2_of(w.ranks);
  return start + w.tokens * std::max(up, out);
}

std::vector<const TimedRow*> rows_alike(std::span<const TimedSeries> all, const TimedSeries& s, const Seen& seen) {
  const std::vector<const TimedRow*> own = seen_rows(s, seen);
  const auto differs = [&](const TimedRow* r) { return r->shape != own.front()->shape; };
  if (own.empty() || std::any_of(own.begin(), own.end(), differs)) return {};
  std::vector<const TimedRow*> out;
  for (const TimedSeries& other : all)
    if (other.kernel == s.kernel && other.format == s.format && other.framework != s.framework)
      for (const TimedRow* r : seen_rows(other, seen)) out.push_back(r);
  return out;
}

}  // namespace moesim
