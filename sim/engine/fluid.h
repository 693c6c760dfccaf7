// How transfers that load the same ports share them: progressive filling, max-min fair in bytes per second on each transfer's heaviest
// load, never faster than alone. Integers throughout, and sums do not depend on order: symmetric copies of a problem
// get identical rates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace moesim {

using Wide = __int128;

constexpr int kSpeedBits = 30;                          // speed 1 (as fast as alone) is 1 << 30
constexpr std::int64_t kFullSpeed = std::int64_t{1} << kSpeedBits;

struct FluidLoad {
  std::uint32_t port = 0;
  std::int64_t bytes = 0;                               // over the whole transfer, > 0
};

struct FluidFlow {
  std::vector<FluidLoad> loads;                         // not empty
  std::int64_t heaviest = 0;                            // the largest of loads[].bytes
  std::int64_t alone = 0;                               // bytes per second on the heaviest load at full speed, > 0
  std::int64_t speed = kFullSpeed;                      // result, >= 1
};

/// Sets the speeds of `flows`. `capacity[port]` in bytes per second.
class FluidSolver {
 public:
  explicit FluidSolver(std::vector<std::int64_t> capacity);
  void solve(std::span<FluidFlow* const> flows);
  std::int64_t capacity(std::uint32_t port) const { return capacity_[port]; }

 private:
  struct PortState {
    Wide used = 0;                                      // by frozen flows, << 32
    Wide weight = 0;                                    // of flows not yet frozen, << 32
    std::uint32_t round = 0;                            // of solve(): state is fresh if equal
  };
  void start(std::span<FluidFlow* const> flows);
  std::int64_t level() const;
  void freeze(FluidFlow&, std::int64_t rate);

  std::vector<std::int64_t> capacity_;
  std::vector<PortState> ports_;
  std::vector<std::uint32_t> touched_;
  std::vector<FluidFlow*> open_;
  std::uint32_t round_ = 0;
};

}  // namespace moesim
