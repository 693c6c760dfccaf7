// Max-min fair progressive filling of one connected component, in integers.
//
// Given transfers with a full-speed rate each and ports with a capacity each, where transfer t at rate x loads port p with x * weight:
// raises all rates together until a port is full, which freezes its transfers, or until a transfer reaches its full-speed rate.
// The result does not depend on the order in which transfers and ports were added.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernel/fixed.h"

namespace moesim::kernel {

/// Bytes per second, times 2^20.
using Rate = Int128;
constexpr unsigned kRateBits = 20;
/// Capacities from here on never bind (70 TB/s).
constexpr std::int64_t kUnlimited = std::int64_t{1} << 46;

/// floor(bytes / span) as a Rate. bytes >= 0, span > 0.
Rate nominal_rate(std::int64_t bytes, Time span);

class Filling {
 public:
  void clear();
  std::uint32_t add_transfer(std::int64_t heaviest, Time span);
  void add_port(std::int64_t capacity);
  /// A load on the port added last.
  void add_load(std::uint32_t transfer, std::int64_t bytes);
  void solve();
  Speed speed(std::uint32_t transfer) const { return transfers_[transfer].speed; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct TransferState {
    Rate full;
    std::int64_t heaviest;
    Time span;
    Speed speed = 0;
    std::uint32_t first = kNone;   // load
    bool frozen = false;
  };
  struct PortState {
    Rate left;                     // capacity not given away yet
    Int128 weights = 0;            // of transfers not frozen
    Rate level = 0;                // the common rate at which it is full
    std::uint32_t begin, end;      // its loads
    bool stale = true;             // level
    bool is_full = false;
  };
  struct Load {
    std::uint32_t transfer, port, next;
    std::uint64_t weight;          // bytes / heaviest, 60-bit fraction, rounded up
    std::int64_t bytes;
  };

  bool lowest_level(Rate& level);
  std::size_t freeze_full(Rate level);
  std::size_t freeze_on_full_ports(Rate level, Rate rate);
  void freeze(TransferState&, Rate level, bool full);

  std::vector<TransferState> transfers_;
  std::vector<PortState> ports_;
  std::vector<Load> loads_;
};

}  // namespace moesim::kernel
