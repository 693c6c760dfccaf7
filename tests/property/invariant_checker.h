// Watches a run and holds what happened against the program and the ports: the invariants of sim/README.md that any run must keep.
// Independent of the engine: works from programs and spans alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "property/wrapped_workload.h"

namespace moesim::test {

class InvariantChecker : public Observer {
 public:
  explicit InvariantChecker(RecordedWorkload& work) : work_(work), operations_(work.actors() * work.streams()) {}

  void on_segment(const SegmentSpan&) override;
  void on_transfer(const TransferSpan&) override;

  /// What is broken, one line each; empty if nothing is.
  std::vector<std::string> violations(const RunResult&);
  /// Every span with its times, folded into one number.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct Operation {                 // of one stream: a segment or a transfer
    bool is_transfer = false;
    std::uint32_t id = 0;
    Time issued{0}, ready{0}, end{0};
    Segment segment;
  };
  struct Meeting {                   // one transfer of a group
    std::uint32_t id = 0;
    BlockTag tag;
    Time last_joined{0}, started{0}, end{0};
    std::vector<std::pair<ActorId, Time>> ends;
  };
  void fail(const std::string& what) { broken_.push_back(what); }
  void mix(std::uint64_t value);
  void check_program(ActorId, Time end);
  void check_operation(ActorId, const Step&, const Operation&, Time floor, Time host);
  void check_meetings();
  void check_ports(const std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::array<std::int64_t, 3>>>& loads);

  RecordedWorkload& work_;
  std::vector<std::vector<Operation>> operations_;                  // [actor * streams + stream]
  std::map<std::pair<std::uint32_t, std::uint64_t>, Meeting> meetings_;  // by group and number
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> joined_; // by group and actor
  std::vector<std::string> broken_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace moesim::test
