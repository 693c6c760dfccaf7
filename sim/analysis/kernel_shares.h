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

struct KernelShares {
  std::vector<std::pair<TimeClass, double>> by_class;   // of device time; sums to 1, or empty without device time
  std::array<double, kProvenances> by_provenance{};     // of device time
  double flops = 0;                                     // FLOP executed per second of device time
};

class KernelShareTable {
 public:
  explicit KernelShareTable(const TrainStep& step) : step_(step) {}
  const KernelShares& of(ActorId, std::uint32_t id, BlockTag);

 private:
  KernelShares make(const SegmentInfo&) const;
  const TrainStep& step_;
  std::vector<KernelShares> table_;     // by id
  std::vector<bool> known_;
};

}  // namespace moesim
