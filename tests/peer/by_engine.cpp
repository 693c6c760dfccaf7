#include <algorithm>
#include <ctime>

#include "engine/engine.h"
#include "peer/flows.h"

namespace moesim::peer {
namespace {

/// Actor i: nothing until its flow starts, then the flow.
class Flows : public Workload {
 public:
  explicit Flows(const Network& n) : network_(n), given_(n.flows.size(), false) {
    for (std::uint32_t i = 0; i < n.flows.size(); ++i) {
      const Flow& f = n.flows[i];
      const std::vector<std::uint32_t>& route = n.routes[f.route];
      std::int64_t narrowest = n.capacity[route.front()], latency_ns = 0;
      Transfer t;
      for (const std::uint32_t l : route) {
        narrowest = std::min(narrowest, n.capacity[l]);
        latency_ns += n.latency_ns[l];
        t.links.push_back({LinkId{l}, f.bytes});
      }
      t.latency = kNanosecond * latency_ns;
      t.span = time_from_seconds(static_cast<double>(f.bytes) / static_cast<double>(narrowest));
      t.members = {{{}, t.span}};
      transfers_.push_back(std::move(t));
      members_.push_back(ActorId{i});
    }
  }

  std::size_t actors() const override { return given_.size(); }
  std::size_t streams() const override { return 1; }
  std::size_t event_slots() const override { return 0; }
  std::size_t groups() const override { return given_.size(); }
  std::optional<Block> next_block(ActorId a) override {
    if (given_[a.index()]) return std::nullopt;
    given_[a.index()] = true;
    return Block{steps_, {}};
  }
  GroupId group(ActorId a, std::uint16_t) const override { return GroupId{a.value()}; }
  std::span<const ActorId> members(GroupId g) const override { return std::span(members_).subspan(g.index(), 1); }
  Segment segment(ActorId a, std::uint32_t, BlockTag) override {
    return Segment::kernel(Time{0}, kMicrosecond * network_.flows[a.index()].start_us);
  }
  const Transfer& transfer(GroupId g, std::uint32_t, BlockTag) override { return transfers_[g.index()]; }
  std::int64_t capacity(ActorId, Port) const override { return 1; }
  std::size_t links() const override { return network_.capacity.size(); }
  std::int64_t link_capacity(LinkId l) const override { return network_.capacity[l.index()]; }

 private:
  const Network& network_;
  std::vector<bool> given_;
  std::vector<Transfer> transfers_;
  std::vector<ActorId> members_;
  std::vector<Step> steps_{{StepKind::segment, 0, 0, 0}, {StepKind::transfer, 0, 0, 0}};
};

class EndTimes : public Observer {
 public:
  explicit EndTimes(std::vector<double>& ends) : ends_(ends) {}
  void on_transfer(const TransferSpan& s) override { ends_[s.group.index()] = seconds(s.end); }

 private:
  std::vector<double>& ends_;
};

}  // namespace

Ends by_engine(const Network& n) {
  Flows flows(n);
  Ends out{std::vector<double>(n.flows.size()), 0};
  EndTimes ends(out.seconds);
  Observer* const observer = &ends;
  const std::clock_t before = std::clock();
  run(flows, std::span(&observer, 1));
  out.cpu_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return out;
}

}  // namespace moesim::peer
