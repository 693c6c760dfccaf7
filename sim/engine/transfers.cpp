#include <algorithm>
#include <string>

#include <limits>

#include "base/error.h"
#include "engine/simulation.h"

namespace moesim {

Simulation::Place Simulation::place(std::uint32_t actor, std::uint16_t slot) {
  std::vector<Place>& mine = places_[actor];
  if (slot >= mine.size()) mine.resize(slot + 1u);
  Place& p = mine[slot];
  if (p.member != kNone) return p;
  p.group = workload_.group(ActorId(actor), slot);
  const auto members = groups_.at(p.group.index()).members;
  const auto it = std::find(members.begin(), members.end(), ActorId(actor));
  if (it == members.end()) throw InternalError("actor " + std::to_string(actor) + " is not in group " + std::to_string(p.group.value()));
  p.member = static_cast<std::uint32_t>(it - members.begin());
  return p;
}

std::uint32_t Simulation::open_instance(Group& g, GroupId id, std::uint64_t number, const Issued& step) {
  std::uint32_t& open = g.open[number & 1];
  if (open != kNone) return open;
  if (free_instances_.empty()) {
    if (instances_.size() == EventQueue::kMaxOwners) throw InternalError("too many transfers in flight");
    instances_.emplace_back();
    free_instances_.push_back(static_cast<std::uint32_t>(instances_.size() - 1));
  }
  open = free_instances_.back();
  free_instances_.pop_back();
  Instance& i = instances_[open];
  i.group = id;
  i.id = step.step.id;
  i.joined = 0;
  i.start = Time{0};
  i.cause = kNoSpan;
  i.members.assign(g.members.size(), {Time{-1}, kNoSpan});
  i.what = nullptr;
  return open;
}

void Simulation::join(std::uint32_t actor, std::uint8_t index, const Issued& step) {
  const Place p = place(actor, step.step.slot);
  Group& g = groups_[p.group.index()];
  if (g.stream[p.member] == 0xFF) g.stream[p.member] = index;
  if (g.stream[p.member] != index) throw InternalError("group " + std::to_string(p.group.value()) + " is used from two streams of actor " + std::to_string(actor));
  const std::uint32_t which = open_instance(g, p.group, g.joins[p.member]++, step);
  Instance& i = instances_[which];
  if (i.id != step.step.id)
    throw InternalError("group " + std::to_string(p.group.value()) + ": actor " + std::to_string(actor) + " joins transfer " +
                        std::to_string(step.step.id) + " where others join " + std::to_string(i.id));
  Stream& s = stream(actor, index);
  s.in_transfer = true;
  const bool late = step.at > s.free;
  Joined& j = i.members[p.member];
  j = {late ? step.at : s.free, late ? step.host_cause : s.cause};
  if (i.joined++ == 0 || j.at > i.start) {
    i.start = j.at;
    i.cause = j.cause;
  }
  i.tag = step.tag;
  if (i.joined == g.members.size()) start(which);
}

void Simulation::start(std::uint32_t index) {
  Instance& i = instances_[index];
  const Group& g = groups_[i.group.index()];
  i.what = &workload_.transfer(i.group, i.id, i.tag);
  if (i.what->members.size() != 1 && i.what->members.size() != g.members.size()) throw InternalError("a transfer with members of another group");
  ++result_.counters.transfers;
  i.moving = i.shared = false;
  i.finished = 0;
  i.progress = 0;
  i.order.clear();
  if (i.what->members.size() > 1) {
    for (std::uint32_t m = 0; m < g.members.size(); ++m) i.order.push_back(m);
    std::sort(i.order.begin(), i.order.end(), [&](auto a, auto b) {
      const Time x = i.what->members[a].done, y = i.what->members[b].done;
      return x != y ? x < y : a < b;
    });
  }
  i.event = queue_.push(i.start + i.what->latency, index);
}

void Simulation::add_loads(Instance& i, const Group& g) {
  i.flow.loads.clear();
  i.flow.heaviest = 0;
  for (std::size_t m = 0; m < g.members.size(); ++m) {
    const Transfer::Member& member = i.what->member(m);
    for (std::size_t p = 0; p < kPorts; ++p) {
      if (member.bytes[p] <= 0) continue;
      i.flow.loads.push_back({static_cast<std::uint32_t>(g.members[m].value() * kPorts + p), member.bytes[p]});
      i.flow.heaviest = std::max(i.flow.heaviest, member.bytes[p]);
    }
  }
  if (i.flow.heaviest > 0)
    i.flow.alone = static_cast<std::int64_t>(std::clamp<Wide>(Wide(i.flow.heaviest) * 1'000'000'000'000 / i.what->span.count(), 1, std::int64_t{1} << 62));
}

/// Whether its ports must be shared: with another transfer, or because even alone it asks for more than a port gives.
bool Simulation::crowded(const Instance& i) const {
  for (const FluidLoad& l : i.flow.loads) {
    if (!port_users_[l.port].empty()) return true;
    if (Wide(l.bytes) * 1'000'000'000'000 > Wide(solver_.capacity(l.port)) * i.what->span.count()) return true;
  }
  return false;
}

void Simulation::begin_moving(Instance& i, std::uint32_t index) {
  i.moving = true;
  i.updated = i.start + i.what->latency;
  i.flow.speed = kFullSpeed;
  i.flow.loads.clear();
  if (i.what->span > Time{0}) add_loads(i, groups_[i.group.index()]);
  const bool share = crowded(i);
  for (const FluidLoad& l : i.flow.loads) port_users_[l.port].push_back(index);
  if (share) dirty_.push_back(index);
}

/// The event at which its next member is finished at the present speed.
void Simulation::schedule(std::uint32_t index) {
  Instance& i = instances_[index];
  const Time done = i.what->member(i.order.empty() ? 0 : i.order[i.finished]).done;
  const Wide left = std::max<Wide>(0, (Wide(done.count()) << kSpeedBits) - i.progress);
  const Wide wait = (left + i.flow.speed - 1) / i.flow.speed;
  if (wait > std::numeric_limits<std::int64_t>::max() / 2) throw InternalError("a transfer takes longer than 50 days");
  i.event = queue_.push(i.updated + Time{static_cast<std::int64_t>(wait)}, index);
}

void Simulation::update(Instance& i, Time now) {
  i.progress += Wide(i.flow.speed) * (now - i.updated).count();
  i.updated = now;
}

void Simulation::on_event(std::uint32_t index, Time now) {
  Instance& i = instances_[index];
  if (!i.moving) {
    begin_moving(i, index);
    schedule(index);
    return;
  }
  update(i, now);
  while (i.finished < i.members.size()) {
    const std::uint32_t m = i.order.empty() ? static_cast<std::uint32_t>(i.finished) : i.order[i.finished];
    if ((Wide(i.what->member(m).done.count()) << kSpeedBits) > i.progress) return schedule(index);
    ++i.finished;
    finish_member(i, m, now);
  }
  close(index);
}

void Simulation::finish_member(Instance& i, std::uint32_t member, Time now) {
  const ActorId actor = groups_[i.group.index()].members[member];
  const std::uint8_t index = groups_[i.group.index()].stream[member];
  Stream& s = stream(actor.value(), index);
  s.in_transfer = false;
  s.free = now;
  s.cause = next_span_++;
  for (Observer* o : observers_)
    o->on_transfer({s.cause, i.cause, actor, i.group, index, i.id, i.tag, i.members[member].at, i.start, now});
  advance(actor.value());
}

/// The instance leaves its ports; who shared them with it goes faster.
void Simulation::close(std::uint32_t index) {
  Instance& i = instances_[index];
  for (const FluidLoad& l : i.flow.loads) {
    std::vector<std::uint32_t>& users = port_users_[l.port];
    users.erase(std::find(users.begin(), users.end(), index));
    dirty_.insert(dirty_.end(), users.begin(), users.end());
  }
  Group& g = groups_[i.group.index()];
  for (std::uint32_t& open : g.open)
    if (open == index) open = kNone;
  if (i.shared) ++result_.counters.contended_transfers;
  i.moving = false;
  i.event = 0;
  free_instances_.push_back(index);
}

/// Adds an instance and all that share ports with it, directly or not.
void Simulation::collect(std::uint32_t first) {
  if (!instances_[first].moving || instances_[first].visited) return;
  std::size_t next = component_.size();
  instances_[first].visited = true;
  component_.push_back(first);
  for (; next < component_.size(); ++next)
    for (const FluidLoad& l : instances_[component_[next]].flow.loads)
      for (const std::uint32_t user : port_users_[l.port]) {
        if (instances_[user].visited) continue;
        instances_[user].visited = true;
        component_.push_back(user);
      }
}

void Simulation::share_ports(Time now) {
  component_.clear();
  for (const std::uint32_t d : dirty_) collect(d);
  dirty_.clear();
  if (component_.empty()) return;
  std::vector<FluidFlow*> flows;
  std::vector<std::int64_t> before;
  for (const std::uint32_t c : component_) {
    flows.push_back(&instances_[c].flow);
    before.push_back(instances_[c].flow.speed);
  }
  solver_.solve(flows);
  ++result_.counters.solves;
  for (std::size_t n = 0; n < component_.size(); ++n) {
    Instance& i = instances_[component_[n]];
    i.visited = false;
    if (i.flow.speed == before[n]) continue;
    i.shared = true;
    const std::int64_t speed = i.flow.speed;
    i.flow.speed = before[n];
    update(i, now);
    i.flow.speed = speed;
    schedule(component_[n]);
  }
}

}  // namespace moesim
