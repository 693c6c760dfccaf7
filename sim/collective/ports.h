// The ports of one GPU as the engine sees them, and how transfers are put together from port loads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collective/placement.h"
#include "engine/transfer.h"
#include "hw/profile.h"

namespace moesim {

/// Bytes per second of a port: the profile's peak of one direction of one GPU, whole, at least 1. Of the uplinks the share of a GPU of a full place.
std::int64_t capacity(const HwProfile&, Port);

/// ceil(bytes * numerator / denominator) without overflow for results that fit.
std::int64_t share_of(std::int64_t bytes, std::int64_t numerator, std::int64_t denominator);

/// Peak bytes per second that one of `members` GPUs of a domain can send to the others: all its links behind a switch, only the
/// links to the other members on a mesh.
double domain_rate(const HwProfile&, std::int64_t members);

/// Of a port's peak, what a kind of traffic reaches, by fabric: efficiency of the profile and payload of the protocol. A collective is
/// many streams already (NCCL's channels, one a CTA), so several together reach no more than one.
struct Reach {
  double up = 1, out = 1, uplinks = 1;
};

/// What the ports can carry: no transfer is faster than at their peak, whatever is said of its time.
class PeakRates {
 public:
  explicit PeakRates(const HwProfile&, const Reach& = {});

  const Transfer::Taken& taken() const { return taken_; }

  /// `done`, or when the member's bytes have got through its ports if that is later. Both directions of a fabric are equally fast.
  Time not_before(Time done, const Transfer::Member& m) const {
    const Time out = not_before(not_before(done, std::max(m.bytes[0], m.bytes[1]), 0), std::max(m.bytes[2], m.bytes[3]), 1);
    return (m.bytes[4] | m.bytes[5]) == 0 ? out : not_before(out, std::max(m.bytes[4], m.bytes[5]), 2);
  }

 private:
  Time not_before(Time done, std::int64_t bytes, std::size_t fabric) const {
    // Clear cases first: the margin is far above the rounding of both products.
    const double work = static_cast<double>(bytes) * work_[fabric], room = static_cast<double>(done.count()) * room_[fabric];
    return work * (1 + 1e-12) < room ? done : passed(done, bytes, fabric);
  }
  Time passed(Time done, std::int64_t bytes, std::size_t fabric) const;

  // By fabric.
  std::array<std::int64_t, 3> rate_;
  Transfer::Taken taken_;
  std::array<double, 3> work_, room_;   // of one byte, in bytes times picoseconds a second; of one picosecond, the same
};

/// What an exchange puts on one member, and how long each direction takes it at the rates that the machine reaches.
struct PortLoad {
  std::array<std::int64_t, kPorts> bytes{};
  double out_seconds = 0, in_seconds = 0;
};

/// Sources and destinations change places: the way back of an exchange.
void reverse(std::vector<PortLoad>&);

/// The longest direction of any member, in seconds.
double slowest(std::span<const PortLoad>);

/// A transfer in which member m ends when all that is meant for it has arrived: when its own ports have received and the slowest
/// sender has sent. Times are divided by `share`, the part of the bandwidth that the wire protocol leaves.
Transfer to_transfer(Time latency, std::span<const PortLoad>, double share, const Reach&, const HwProfile&);

/// A transfer whose members all end together after `seconds`.
Transfer to_transfer(Time latency, double seconds, std::vector<Transfer::Member> members, const Reach&, const HwProfile&);

}  // namespace moesim
