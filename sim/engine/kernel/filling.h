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
  /// `full` is nominal_rate(heaviest, span), for callers that ask again and again.
  std::uint32_t add_transfer(std::int64_t heaviest, Time span, Rate full);
  std::uint32_t add_transfer(std::int64_t heaviest, Time span) { return add_transfer(heaviest, span, nominal_rate(heaviest, span)); }
  void add_port(std::int64_t capacity);
  /// A load on the port added last.
  void add_load(std::uint32_t transfer, std::int64_t bytes);
  /// A load on the port added last, of a transfer that is not to be solved: it goes on as it was found before.
  void add_settled_load(std::int64_t bytes, std::int64_t heaviest, Time span, Speed, Rate);
  void solve();
  Speed speed(std::uint32_t transfer) const { return transfers_[transfer].speed; }
  /// The common rate at which it was frozen: its own rate.
  Rate rate(std::uint32_t transfer) const { return transfers_[transfer].rate; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct TransferState {
    Rate full;
    std::int64_t heaviest;
    Time span;
    Speed speed = 0;
    Rate rate = 0;
    std::uint32_t first = kNone;   // load
    bool frozen = false;
  };
  struct PortState {
    Rate left;                     // capacity not given away yet
    Int128 weights = 0;            // of transfers not frozen
    std::uint32_t begin, end;      // its loads
    std::uint32_t version = 0;     // of its level
    bool stale = true;             // its level is to be found again
  };
  struct Load {
    std::uint32_t transfer, port, next;
    std::uint64_t weight;          // bytes / heaviest, 60-bit fraction, rounded up
    std::int64_t bytes;
  };

  /// The common rate at which a port is full. Outdated once the port has another version.
  struct Level {
    Rate rate;
    std::uint32_t port, version;
  };
  struct Full {
    Rate rate;
    std::uint32_t transfer;
  };

  void begin();
  void find_levels();
  bool lowest_level(Rate& level);
  std::size_t freeze_full(Rate level);
  std::size_t freeze_on_full_ports(Rate level, Rate rate);
  void freeze(TransferState&, Rate level, bool full);

  std::vector<TransferState> transfers_;
  std::vector<PortState> ports_;
  std::vector<Load> loads_;
  std::vector<Level> levels_;             // heap, lowest first
  std::vector<Full> full_;                // heap of transfers, slowest first
  std::vector<std::uint32_t> stale_;      // ports
  std::vector<std::uint32_t> full_ports_;
};

}  // namespace moesim::kernel
