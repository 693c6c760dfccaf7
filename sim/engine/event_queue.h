// Pending events in a total order (time, sequence): a 4-ary heap of 16-byte entries. Nothing is erased: an event carries a sequence
// number that its owner compares with the one it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace moesim {

struct Event {
  Time time{0};
  std::uint64_t key = 0;   // sequence << 24 | owner

  std::uint32_t owner() const { return static_cast<std::uint32_t>(key & 0xFFFFFF); }
  std::uint64_t sequence() const { return key >> 24; }
  bool before(const Event& o) const { return time != o.time ? time < o.time : key < o.key; }
};
static_assert(sizeof(Event) == 16);

class EventQueue {
 public:
  static constexpr std::uint32_t kMaxOwners = 1u << 24;

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Event& top() const { return heap_.front(); }

  /// Returns the sequence number of the new event.
  std::uint64_t push(Time time, std::uint32_t owner) {
    const std::uint64_t sequence = next_++;
    heap_.push_back({});
    sift_up(heap_.size() - 1, {time, sequence << 24 | owner});
    return sequence;
  }

  Event pop() {
    const Event out = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return out;
  }

 private:
  void sift_up(std::size_t i, Event e) {
    while (i > 0) {
      const std::size_t parent = (i - 1) / 4;
      if (!e.before(heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = e;
  }

  void sift_down(Event e) {
    std::size_t i = 0;
    const std::size_t n = heap_.size();
    while (true) {
      const std::size_t first = 4 * i + 1;
      if (first >= n) break;
      std::size_t least = first;
      for (std::size_t c = first + 1; c < first + 4 && c < n; ++c)
        if (heap_[c].before(heap_[least])) least = c;
      if (!heap_[least].before(e)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = e;
  }

  std::vector<Event> heap_;
  std::uint64_t next_ = 1;
};

}  // namespace moesim
