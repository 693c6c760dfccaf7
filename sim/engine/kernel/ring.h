// A first-in first-out queue in one power-of-two block that grows when full and is never given back while it lives, so that a run
// allocates nothing once it is warm.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace moesim::kernel {

template <class T>
class Ring {
 public:
  bool empty() const { return head_ == tail_; }
  std::uint32_t size() const { return tail_ - head_; }
  T& front() { return data_[head_ & mask_]; }
  const T& front() const { return data_[head_ & mask_]; }
  /// The i-th from the front.
  const T& operator[](std::uint32_t i) const { return data_[(head_ + i) & mask_]; }
  void pop() { ++head_; }

  /// A place at the back, to be filled by the caller.
  T& push() {
    if (size() == capacity_) grow();
    return data_[tail_++ & mask_];
  }

 private:
  void grow() {
    const std::uint32_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
    std::unique_ptr<T[]> data(new T[capacity]);  // not zeroed: every place is written before it is read
    const std::uint32_t count = size();
    for (std::uint32_t i = 0; i < count; ++i) data[i] = data_[(head_ + i) & mask_];
    data_ = std::move(data);
    capacity_ = capacity;
    mask_ = capacity - 1;
    head_ = 0;
    tail_ = count;
  }

  std::unique_ptr<T[]> data_;
  std::uint32_t head_ = 0, tail_ = 0, mask_ = 0, capacity_ = 0;
};

}  // namespace moesim::kernel
