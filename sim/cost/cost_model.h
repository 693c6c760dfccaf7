// Op -> time on one GPU of a machine, and how we know.
#pragma once

#include <memory>
#include <string>

#include "cost/closed_form.h"
#include "cost/contention.h"
#include "cost/cost.h"
#include "hw/profile.h"
#include "hw/stack.h"
#include "model/op.h"

namespace moesim {

/// Whose kernels: those of training libraries, those of inference engines (their attention differs), or none in particular: the closed form.
enum class Kernels : std::uint8_t { training, inference, closed_form };

/// The curves of kernels that were timed on this device, or that its profile borrows from another, carried over to its clocks; where there
/// are none, the closed form of HwProfile::compute.
class CostModel {
 public:
  explicit CostModel(const HwProfile&, Clocks = Clocks::sustained, Kernels = Kernels::training);   // keeps a copy of what it needs

  /// > 0 for any valid op. Throws TooLong past kLongestTime, InputError for a GEMM in a format that the machine does not
  /// compute in.
  Cost cost(const Op&) const;
  /// How much longer it takes beside what transfers hold (contention.h); >= 1.
  double stretch(const Op&, Beside) const;

 private:
  struct Carried;
  KernelSeconds kernel_seconds(const Op&) const;
  KernelSeconds burst_seconds(const Op&) const;
  [[noreturn]] void refuse(DType) const;

  std::string machine_;
  KernelNumbers numbers_;
  std::shared_ptr<const Carried> curves_;
};

/// What the host spends on an op before the device can start it. Times of the stack are for the reference host; all results here
/// are for this one.
class HostModel {
 public:
  HostModel(const Stack&, const HostProfile&);
  Time launch(const Op&) const;           // all kernels of the op; nothing for those of a CUDA graph
  Time device_gap(const Op&) const;       // device time between its kernels beyond their own times
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
