#include "engine/critical_path.h"

#include <algorithm>

namespace moesim {

void CriticalPath::add(SpanId id, const Span& s) {
  if (id >= limit_) return;
  if (id >= spans_.size()) spans_.resize(id + 1);
  spans_[id] = s;
}

void CriticalPath::on_segment(const SegmentSpan& s) {
  add(s.span, {s.end, s.cause, s.id, s.actor.value(), s.tag, s.stream, PathItem::Kind::segment, s.host_bound, s.segment.device});
}

void CriticalPath::on_transfer(const TransferSpan& t) {
  add(t.span, {t.end, t.cause, t.id, t.actor.value(), t.tag, t.stream, PathItem::Kind::transfer, false, Time{0}});
}

/// A segment that the host held up is the host's until its kernels could have run back to back.
std::vector<PathItem> CriticalPath::items(Time end) const {
  std::vector<PathItem> out;
  if (spans_.empty() || !complete()) return out;
  const auto last = std::max_element(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) { return a.end < b.end; });
  const auto item = [](const Span& s, PathItem::Kind kind, Time from, Time to) { return PathItem{kind, ActorId(s.actor), s.stream, s.id, s.tag, from, to}; };
  if (last->end < end) out.push_back(item(*last, PathItem::Kind::host, last->end, end));
  auto at = static_cast<SpanId>(last - spans_.begin());
  while (at != kNoSpan) {
    const Span& s = spans_[at];
    const Time begin = s.cause == kNoSpan ? Time{0} : spans_[s.cause].end;
    const Time middle = s.host_bound ? std::max(begin, s.end - s.device) : begin;
    if (s.end > middle) out.push_back(item(s, s.kind, middle, s.end));
    if (middle > begin) out.push_back(item(s, PathItem::Kind::host, begin, middle));
    at = s.cause;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace moesim
