// Timed causal attention, carried over to a machine and its clocks.
#pragma once

#include <array>
#include <vector>

#include "cost/cost.h"
#include "hw/measured.h"
#include "model/op.h"

namespace moesim {

/// The ratios of measured time to closed form, times the closed form of `here`; logarithms of times are linear between logarithms of
/// sizes, and rise with length, work, head size and the number of key/value heads. Outside the timed sizes the closed form goes on. A
/// window cuts a sequence into overlapping ones of its length, as many as look at as many pairs.
class AttentionCurve {
 public:
  /// `dims`: sizes of query/key and value heads, 0 = the head sizes of the axis. `own`: timed on this device.
  AttentionCurve(const MeasuredAttention&, const KernelNumbers& here, std::int64_t qk_dim, std::int64_t v_dim, bool own);
  KernelSeconds at(const Op& forward) const;

 private:
  static constexpr std::size_t kAxes = 4;
  using Place = std::array<double, kAxes>;   // seq, work, sharing, head_dim
  Op op_at(const Place&) const;
  double log_seconds(const Place&) const;

  KernelNumbers here_;
  std::int64_t qk_dim_, v_dim_;
  bool own_;
  Place smallest_{}, largest_{};              // timed
  std::array<std::vector<double>, kAxes> axis_, log_axis_;
  std::vector<double> log_seconds_;
};

}  // namespace moesim
