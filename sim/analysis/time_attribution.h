// Splits every actor's step into time classes while the step runs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/kernel_shares.h"

namespace moesim {

class TimeAttribution : public Observer {
 public:
  explicit TimeAttribution(const TrainStep&);

  void on_segment(const SegmentSpan&) override;
  void on_transfer(const TransferSpan&) override;
  void on_wait(const WaitSpan&) override;
  /// Closes every actor's account at the end of the step.
  void finish(Time end);

  struct Account {
    std::array<std::int64_t, kTimeClasses> time{};   // picoseconds; sums to the step after finish()
    std::array<double, kProvenances> provenance{};   // picoseconds of kernel time
    std::array<double, kDTypes> at_peak{};           // of the time of matrix kernels, picoseconds: their FLOPs at the peak of their format
    double flops = 0;                                // executed, recomputation included
  };
  const Account& of(ActorId a) const { return accounts_[a.index()]; }

 private:
  struct Moved { std::uint32_t id = 0; SpanId span = kNoSpan; Time joined{0}, started{0}, end{0}; };
  struct Actor {
    Time accounted{0};                               // the compute stream is accounted for up to here
    std::array<Moved, kStepStreams> last;            // last transfer of each stream
  };
  Time add(ActorId, TimeClass, Time until);        // what was added
  void add_transfer(ActorId, const Moved&, Time until);

  const TrainStep& step_;
  KernelShareTable shares_;
  std::vector<Account> accounts_;
  std::vector<Actor> actors_;
};

}  // namespace moesim
