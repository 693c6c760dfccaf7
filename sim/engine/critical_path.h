// The chain of spans that decided the end of a run: walking back from the span that ended last, each to the one it waited for.
#pragma once

#include <vector>

#include "engine/observer.h"

namespace moesim {

struct PathItem {
  enum class Kind : std::uint8_t { segment, transfer, host };
  Kind kind{};
  ActorId actor;               // for host: whose host was in the way
  std::uint8_t stream = 0;
  std::uint32_t id = 0;        // of the segment or transfer; for host: of what it launched
  BlockTag tag;
  Time begin{0}, end{0};
  Time stolen{0}, shared{0};   // of a segment, as in its span
};

class CriticalPath : public Observer {
 public:
  /// Records at most `limit` spans; a longer run has no path.
  explicit CriticalPath(std::size_t limit = 20'000'000) : limit_(limit) {}

  void on_segment(const SegmentSpan&) override;
  void on_transfer(const TransferSpan&) override;

  bool complete() const { return size_ < limit_; }
  /// Items in the order of time, without holes, from 0 to the end of the last span, which must be `end` or the rest is host time.
  std::vector<PathItem> items(Time end) const;

 private:
  struct Span {
    Time end{0};
    SpanId cause = kNoSpan;
    std::uint32_t id = 0;
    std::uint32_t actor = 0;
    std::uint32_t host = 0;    // actor whose host was in the way before it
    BlockTag tag;
    std::uint8_t stream = 0;
    PathItem::Kind kind{};
    bool host_bound = false;
    Time device{0};            // of a host-bound segment, what is beside it counted
    Time stolen{0}, shared{0};
  };
  static constexpr std::size_t kChunk = 8192;
  void add(SpanId, const Span&);
  const Span& span(std::size_t id) const { return chunks_[id / kChunk][id % kChunk]; }

  std::size_t limit_, size_ = 0;
  SpanId last_ = 0;                          // the first of the spans that end last
  std::vector<std::vector<Span>> chunks_;    // by SpanId; in chunks, since a long run would copy one vector often as it grows
};

}  // namespace moesim
