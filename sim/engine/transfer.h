// What a group of actors moves together: a collective, or a point-to-point pair. One pattern with an end mark per member, never
// N^2 flows.
//
// A transfer starts when its last member has joined, waits `latency`, then moves for `span` if nobody contends. `bytes` say what it
// sends through each member's ports over the whole span; while what transfers take of a port exceeds its capacity, they share it
// max-min fairly in bytes per second on their heaviest load and progress more slowly. Member m is finished when the
// progress, counted in alone-time, reaches done[m]; the ports stay loaded until it reaches span.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/units.h"

namespace moesim {

/// The ports of an actor: egress and ingress of the scale-up fabric (NVLink), of the NIC, and its share of the uplinks of the fabric.
enum class Port : std::uint8_t { scale_up_out, scale_up_in, scale_out_out, scale_out_in, uplink_out, uplink_in };
constexpr std::size_t kPorts = 6;

/// A link that no single actor owns: a cable between switches, the uplinks of a rack.
using LinkId = Id<struct LinkTag>;

struct Transfer {
  struct Member {
    std::array<std::int64_t, kPorts> bytes{};   // >= 0
    Time done{0};                               // 0 <= done <= span
    bool operator==(const Member&) const = default;
  };

  /// A byte of traffic that fills a port takes 2^20.
  static constexpr unsigned kTakenBits = 20;
  using Taken = std::array<std::int64_t, kPorts / 2>;   // by fabric: scale-up, scale-out, uplinks

  Time latency{0};  // >= 0
  Time span{0};     // >= 0
  /// One entry a member, in group order; or exactly one, meaning that every member is like it.
  std::vector<Member> members;
  /// What a byte takes of a port, in 2^-20 bytes of its capacity: more than 2^20 for traffic that cannot fill it, alone or in company.
  Taken taken{1 << kTakenBits, 1 << kTakenBits, 1 << kTakenBits};

  /// A link that the transfer passes as a whole, in bytes of its capacity; each link at most once.
  struct LinkLoad {
    LinkId link;
    std::int64_t bytes = 0;                     // >= 0
    bool operator==(const LinkLoad&) const = default;
  };
  std::vector<LinkLoad> links{};

  /// Memory bandwidth that it takes of each member from when its loads begin until the member's end, in units of the workload's.
  std::int32_t memory = 0;

  const Member& member(std::size_t i) const { return members.size() == 1 ? members.front() : members[i]; }
  /// Bytes of its capacity that `m` takes of a port.
  std::int64_t load(const Member& m, std::size_t port) const {
    return static_cast<std::int64_t>((__extension__ static_cast<__int128>(m.bytes[port]) * taken[port / 2]) >> kTakenBits);
  }
};

}  // namespace moesim
