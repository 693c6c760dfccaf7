// Op -> time on one GPU of a machine, and how we know.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/profile.h"
#include "hw/stack.h"
#include "model/op.h"

namespace moesim {

enum class Provenance : std::uint8_t { measured, interpolated, extrapolated, analytic };
constexpr std::size_t kProvenances = 4;
std::string_view name(Provenance);

struct Cost {
  Time time{0};        // device time of all the op's kernels
  Provenance provenance = Provenance::analytic;
};

class CostModel {
 public:
  explicit CostModel(const HwProfile&);   // keeps a copy of what it needs

  /// Finite, > 0 for any valid op.
  Cost cost(const Op&) const;

 private:
  GpuProfile gpu_;
  ComputeProfile compute_;
};

/// What the host spends on an op before the device can start it.
class HostModel {
 public:
  HostModel(const Stack&, const HostProfile&);
  Time launch(const Op&) const;           // all kernels of the op
  Time launch_latency() const;
  Time sync() const;
  Time per_local_expert() const;
  Time per_recompute_module() const;
  Time per_step() const;

 private:
  Stack stack_;
  double factor_;
};

}  // namespace moesim
