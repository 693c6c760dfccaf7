// Small random workloads: some actors, streams, slots and groups, short kernels, and whatever can meet.
#pragma once

#include <algorithm>
#include <random>

#include "unit/engine/reference.h"

namespace moesim::test {

/// mt19937_64 by itself, without std:: distributions: equal numbers everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 7919 + 17) {}
  /// 0 ... n - 1
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

/// Equal for equal seeds. With `crossed`, members may join groups in different orders, so that some workloads deadlock.
/// With `taking`, transfers hold SMs and use memory.
SmallWorkload random_workload(std::uint64_t seed, bool crossed, bool taking = false);

/// The programs as text, for failure messages.
std::string program_text(const SmallWorkload&);

}  // namespace moesim::test
