// The event queue: a 4-ary heap of 16-byte entries in the total order (time, sequence).
//
// Nothing is erased. The sequence number doubles as a generation stamp: the owner of a slot remembers the number of its latest
// event, and an event whose number differs is stale.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace moesim::kernel {

class EventQueue {
 public:
  static constexpr unsigned kSlotBits = 28;
  static constexpr std::uint32_t kMaxSlots = 1U << kSlotBits;

  struct Event {
    Time time;
    std::uint64_t key;  // sequence << kSlotBits | slot
    std::uint32_t slot() const { return static_cast<std::uint32_t>(key & (kMaxSlots - 1)); }
    std::uint64_t sequence() const { return key >> kSlotBits; }
  };

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  std::size_t max_size() const { return max_size_; }
  const Event& top() const { return heap_.front(); }

  /// The event's sequence number, >= 1.
  std::uint64_t push(Time time, std::uint32_t slot) {
    const std::uint64_t sequence = ++sequence_;
    if (sequence >> (64 - kSlotBits)) throw InternalError("event queue: more than 2^36 events in one run");
    const Event event{time, sequence << kSlotBits | slot};
    heap_.push_back(event);
    max_size_ = std::max(max_size_, heap_.size());
    std::size_t hole = heap_.size() - 1;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
    return sequence;
  }

  void pop() {
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }

 private:
  static bool before(const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.key < b.key; }

  void sink(const Event& event) {
    const std::size_t n = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = 4 * hole + 1;
      if (first >= n) break;
      const std::size_t end = std::min(first + 4, n);
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
  std::size_t max_size_ = 0;
};

}  // namespace moesim::kernel
