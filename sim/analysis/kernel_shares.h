// What a segment is made of, in shares that are looked up once a segment id and rescaled to each instance: the composition of a segment
// changes little with its load, its length is exact.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/time_class.h"
#include "engine/observer.h"
#include "train/train_step.h"

namespace moesim {

/// Of the time of a class of kernels, by number format: what their FLOPs take at the machine's peak of that format. Sums to at most 1.
using PeakShares = std::array<double, kDTypes>;

struct KernelShares {
  struct Part {
    TimeClass what{};
    double share = 0;                                   // of device time
    PeakShares at_peak{};                               // matrix kernels only, and not those that recompute
  };
  std::vector<Part> parts;                              // shares sum to 1; empty without device time
  std::array<double, kProvenances> by_provenance{};     // of device time
  double flops = 0;                                     // FLOP executed per second of device time
};

class KernelShareTable {
 public:
  explicit KernelShareTable(const TrainStep&);
  const KernelShares& of(ActorId, std::uint32_t id, BlockTag);

 private:
  KernelShares make(const SegmentInfo&) const;
  double picoseconds_at_peak(const SegmentInfo::Item&) const;

  const TrainStep& step_;
  std::array<double, kDTypes> peak_{};  // FLOP/s, 0 where the machine states none
  std::vector<KernelShares> table_;     // by id
  std::vector<bool> known_;
};

}  // namespace moesim
