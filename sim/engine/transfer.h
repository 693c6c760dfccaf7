// What a group of actors moves together: a collective, or a point-to-point pair. One pattern with an end mark per member, never
// N^2 flows.
//
// A transfer starts when its last member has joined, waits `latency`, then moves for `span` if nobody contends. `bytes` say what it
// loads on each member's ports over the whole span; while the sum of such loads on a port exceeds its capacity, transfers share it
// max-min fairly in bytes per second on their heaviest load and progress more slowly. Member m is finished when the
// progress, counted in alone-time, reaches done[m]; the ports stay loaded until it reaches span.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace moesim {

/// The ports of an actor: egress and ingress of the scale-up fabric (NVLink) and of the NIC.
enum class Port : std::uint8_t { scale_up_out, scale_up_in, scale_out_out, scale_out_in };
constexpr std::size_t kPorts = 4;

struct Transfer {
  struct Member {
    std::array<std::int64_t, kPorts> bytes{};   // >= 0
    Time done{0};                               // 0 <= done <= span
    bool operator==(const Member&) const = default;
  };

  Time latency{0};  // >= 0
  Time span{0};     // >= 0
  /// One entry a member, in group order; or exactly one, meaning that every member is like it.
  std::vector<Member> members;

  const Member& member(std::size_t i) const { return members.size() == 1 ? members.front() : members[i]; }
};

}  // namespace moesim
