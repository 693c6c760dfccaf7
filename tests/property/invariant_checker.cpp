#include "property/invariant_checker.h"

#include <algorithm>

namespace moesim::test {
namespace {

std::string at(ActorId a, std::uint8_t stream, Time t) {
  return "actor " + std::to_string(a.value()) + ", stream " + std::to_string(stream) + ", " + std::to_string(t.count()) + " ps: ";
}

}  // namespace

void InvariantChecker::mix(std::uint64_t value) {
  fingerprint_ = (fingerprint_ ^ value) * 0x9E3779B97F4A7C15ull;
  fingerprint_ ^= fingerprint_ >> 29;
}

void InvariantChecker::on_segment(const SegmentSpan& s) {
  for (const Time t : {s.issued, s.ready, s.end}) mix(static_cast<std::uint64_t>(t.count()));
  mix(s.actor.value());
  mix(s.id);
  operations_[s.actor.index() * work_.streams() + s.stream].push_back({false, s.id, s.issued, s.ready, s.end, s.segment});
  const Time alone = std::max(s.ready + s.segment.device, s.issued + s.segment.lag), slower = s.stolen + s.shared;
  const bool beside = slower > Time{0};
  if (std::min(s.stolen, s.shared) < Time{0}) fail(at(s.actor, s.stream, s.end) + "something beside a segment made it faster");
  if (beside ? s.end < std::max(alone, s.ready + s.segment.device + slower) || s.end > alone + slower : s.end != alone)
    fail(at(s.actor, s.stream, s.end) + "a segment ends at another time than its kernels give");
}

void InvariantChecker::on_transfer(const TransferSpan& t) {
  for (const Time u : {t.joined, t.started, t.end}) mix(static_cast<std::uint64_t>(u.count()));
  mix(t.actor.value());
  mix(t.id);
  operations_[t.actor.index() * work_.streams() + t.stream].push_back({true, t.id, Time{0}, t.joined, t.end, {}});
  Meeting& m = meetings_[{t.group.value(), joined_[{t.group.value(), t.actor.value()}]++}];
  if (m.ends.empty()) {
    m.id = t.id;
    m.tag = t.tag;
    m.started = t.started;
    m.last_joined = t.joined;
  }
  if (m.id != t.id || m.started != t.started) fail(at(t.actor, t.stream, t.end) + "members of one transfer disagree");
  m.last_joined = std::max(m.last_joined, t.joined);
  m.end = std::max(m.end, t.end);
  m.ends.emplace_back(t.actor, t.end);
}

std::vector<std::string> InvariantChecker::violations(const RunResult& run) {
  for (std::uint32_t a = 0; a < work_.actors(); ++a) check_program(ActorId(a), run.end);
  check_meetings();
  return broken_;
}

/// Replays one program: every operation once, in order, after what it has to wait for.
void InvariantChecker::check_program(ActorId a, Time end) {
  std::vector<std::size_t> next(work_.streams(), 0);
  std::vector<Time> floor(work_.streams(), Time{0});
  std::map<std::uint16_t, Time> slot;
  Time host{0};
  for (const Block& block : work_.program(a))
    for (const Step& step : block.steps) {
      switch (step.kind) {
        case StepKind::record: slot[step.slot] = std::max(floor[step.stream], host); break;
        case StepKind::wait:
          if (slot.count(step.slot)) floor[step.stream] = std::max(floor[step.stream], slot[step.slot]);
          break;
        case StepKind::host_wait:
          if (slot.count(step.slot)) host = std::max(host, slot[step.slot]);
          break;
        case StepKind::mark: break;
        case StepKind::segment:
        case StepKind::transfer: {
          const auto& seen = operations_[a.index() * work_.streams() + step.stream];
          if (next[step.stream] == seen.size()) return fail(at(a, step.stream, end) + "a step never ran");
          const Operation& o = seen[next[step.stream]++];
          check_operation(a, step, o, floor[step.stream], host);
          floor[step.stream] = o.end;
          if (step.kind == StepKind::segment) host = o.issued + o.segment.host;
          if (o.end > end) fail(at(a, step.stream, o.end) + "ends after the end of the run");
        }
      }
    }
  for (std::uint8_t s = 0; s < work_.streams(); ++s)
    if (next[s] != operations_[a.index() * work_.streams() + s].size()) fail(at(a, s, end) + "ran more than its program");
}

void InvariantChecker::check_operation(ActorId a, const Step& step, const Operation& o, Time floor, Time host) {
  if (o.is_transfer != (step.kind == StepKind::transfer) || o.id != step.id) fail(at(a, step.stream, o.ready) + "ran another step than its program says");
  if (o.ready < floor) fail(at(a, step.stream, o.ready) + "began before what it waits for, at " + std::to_string(floor.count()) + " ps");
  if (o.end < o.ready) fail(at(a, step.stream, o.end) + "the clock went back");
  if (o.is_transfer ? o.ready < host : o.issued < host) fail(at(a, step.stream, o.ready) + "was issued before the host got there, at " + std::to_string(host.count()) + " ps");
}

/// All members take part; nobody moves before the last one is there or faster than alone; what moves fits through the ports.
void InvariantChecker::check_meetings() {
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::array<std::int64_t, 3>>> loads;   // of each port: begin, end, bytes
  for (auto& [key, m] : meetings_) {
    const GroupId group(key.first);
    const std::string which = "transfer " + std::to_string(m.id) + " of group " + std::to_string(key.first) + ": ";
    const auto members = work_.members(group);
    if (m.ends.size() != members.size()) fail(which + "not every member took part");
    if (m.started != m.last_joined) fail(which + "did not start with its last member");
    const Transfer t = work_.transfer(group, m.id, m.tag);
    for (const auto& [actor, end] : m.ends) {
      const auto index = static_cast<std::size_t>(std::find(members.begin(), members.end(), actor) - members.begin());
      if (end < m.started + t.latency + t.member(index).done) fail(which + "a member was faster than alone");
      for (std::size_t p = 0; p < kPorts; ++p)
        if (t.load(t.member(index), p) > 0 && t.span > Time{0})
          loads[{actor.value(), p}].push_back({(m.started + t.latency).count(), m.end.count(), t.load(t.member(index), p)});
    }
  }
  check_ports(loads);
}

/// What moves entirely between two instants is at most what the port carries between them.
void InvariantChecker::check_ports(const std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::array<std::int64_t, 3>>>& loads) {
  for (auto [port, moved] : loads) {
    const double capacity = static_cast<double>(work_.capacity(ActorId(port.first), static_cast<Port>(port.second)));
    std::sort(moved.begin(), moved.end());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      std::int64_t end = moved[i][1];
      for (std::size_t last = i; last < moved.size() && moved[last][0] <= end; ++last) {   // a run of overlapping transfers
        end = std::max(end, moved[last][1]);
        double bytes = 0;
        for (std::size_t k = i; k <= last; ++k)
          if (moved[k][1] <= end) bytes += static_cast<double>(moved[k][2]);
        if (bytes > capacity * static_cast<double>(end - moved[i][0]) * 1e-12 * (1 + 1e-9) + 1) {
          fail("actor " + std::to_string(port.first) + ", port " + std::to_string(port.second) + ": more bytes than it carries");
          return;
        }
      }
    }
  }
}

}  // namespace moesim::test
