#include "engine/critical_path.h"

#include <algorithm>

namespace moesim {

void CriticalPath::add(SpanId id, const Span& s) {
  if (id >= limit_) return;
  while (id / kChunk >= chunks_.size()) chunks_.emplace_back(kChunk);
  chunks_[id / kChunk][id % kChunk] = s;
  const Time latest = span(last_).end;
  if (s.end > latest || (s.end == latest && id < last_)) last_ = id;
  size_ = std::max<std::size_t>(size_, id + 1);
}

void CriticalPath::on_segment(const SegmentSpan& s) {
  add(s.span, {s.end, s.cause, s.id, s.actor.value(), s.actor.value(), s.tag, s.stream, PathItem::Kind::segment, s.host_bound,
               s.segment.device + s.stolen + s.shared, s.stolen, s.shared});
}

void CriticalPath::on_transfer(const TransferSpan& t) {
  add(t.span, {t.end, t.cause, t.id, t.actor.value(), t.last.value(), t.tag, t.stream, PathItem::Kind::transfer, false, Time{0}, Time{0}, Time{0}});
}

/// A segment that the host held up is the host's until its kernels could have run back to back.
std::vector<PathItem> CriticalPath::items(Time end) const {
  std::vector<PathItem> out;
  if (size_ == 0 || !complete()) return out;
  SpanId at = last_;
  const auto item = [](const Span& s, PathItem::Kind kind, Time from, Time to) {
    if (kind == PathItem::Kind::host) return PathItem{kind, ActorId(s.host), s.stream, s.id, s.tag, from, to, Time{0}, Time{0}};
    return PathItem{kind, ActorId(s.actor), s.stream, s.id, s.tag, from, to, s.stolen, s.shared};
  };
  if (span(at).end < end) out.push_back(item(span(at), PathItem::Kind::host, span(at).end, end));
  while (at != kNoSpan) {
    const Span& s = span(at);
    const Time begin = s.cause == kNoSpan ? Time{0} : span(s.cause).end;
    const Time middle = s.host_bound ? std::max(begin, s.end - s.device) : begin;
    if (s.end > middle) out.push_back(item(s, s.kind, middle, s.end));
    if (middle > begin) out.push_back(item(s, PathItem::Kind::host, begin, middle));
    at = s.cause;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace moesim
