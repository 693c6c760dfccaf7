// Op -> time on one GPU of a machine, and how we know.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw/profile.h"
#include "hw/stack.h"
#include "model/op.h"

namespace moesim {

enum class Provenance : std::uint8_t { measured, interpolated, extrapolated, analytic };
constexpr std::size_t kProvenances = 4;
std::string_view name(Provenance);

/// Clocks and data under which a kernel runs: a benchmark of milliseconds, or a training step of minutes.
enum class Clocks : std::uint8_t { sustained, burst };

struct Cost {
  Time time{0};        // device time of all the op's kernels
  Provenance provenance = Provenance::analytic;
};

/// Roofline of HwProfile::compute: kernels * fixed + max(arithmetic, memory), see GemmProfile and AttentionProfile.
class CostModel {
 public:
  explicit CostModel(const HwProfile&, Clocks = Clocks::sustained);   // keeps a copy of what it needs

  /// > 0 for any valid op. Throws TooLong past kLongestTime, InputError for a GEMM in a format that the machine does not
  /// compute in.
  Cost cost(const Op&) const;

 private:
  double gemm_seconds(const Op&) const;
  double grouped_gemm_seconds(const Op&) const;
  double attention_seconds(const Op&) const;
  double matrix_seconds(const Op&, double flops, double reduction) const;
  double memory_seconds(const Op&, double share) const;
  double rate(DType) const;

  std::string machine_;
  ComputeProfile compute_;
  double bandwidth_;                                  // peak, bytes / s
  double attention_factor_;
  std::array<std::optional<double>, 4> rate_;         // FLOP/s of large GEMMs by format
};

/// What the host spends on an op before the device can start it. Times of the stack are for the reference host; all results here
/// are for this one.
class HostModel {
 public:
  HostModel(const Stack&, const HostProfile&);
  Time launch(const Op&) const;           // all kernels of the op
  Time launch_latency() const;
  Time sync() const;
  Time per_moe_layer(bool tensor_parallel) const;   // one pass, beyond launches and experts
  Time per_local_expert(DType = DType::bf16) const; // one pass
  Time per_recompute_module() const;
  Time per_step() const;
  Time work(Time reference) const;        // a time of the reference host on this one

 private:
  Stack stack_;
  double factor_;
};

}  // namespace moesim
