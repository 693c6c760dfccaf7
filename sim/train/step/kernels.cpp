#include "train/step/kernels.h"

#include <cmath>

namespace moesim {
namespace {

/// The device time at a GPU speed factor, rounded up.
Time at_speed(Time t, double speed) {
  if (speed == 1) return t;
  const double picoseconds = std::ceil(static_cast<double>(t.count()) / speed);
  if (picoseconds > static_cast<double>(kLongestTime.count())) throw_too_long();
  return Time{static_cast<std::int64_t>(picoseconds)};
}

/// `n` launches that share an op's host and device time equally.
Segment launches(Time host, Time device, std::uint32_t n) {
  if (n <= 1) return Segment::kernel(host, device);
  const Time h{ceil_div(host.count(), n)}, d{ceil_div(device.count(), n)};
  return {h * n, device, std::max(h + device, h * n + d), n};
}

bool same(const RankLoad& a, const RankLoad& b) {
  return a.tokens == b.tokens && a.received == b.received && a.max_expert == b.max_expert && a.touched == b.touched;
}

}  // namespace

StepKernels::StepKernels(const TrainScenario& s, std::vector<double> speeds)
    : cost_(s.hardware), host_(s.stack, s.hardware.host), speeds_(std::move(speeds)) {}

Segment StepKernels::of(const Op& op, double speed) const {
  return launches(host_.launch(op), at_speed(cost_.cost(op).time, speed), op.kernels);
}

std::vector<StepKernels::Piece> StepKernels::compose(const std::vector<SegmentNode>& nodes, double speed) const {
  std::vector<Piece> out;
  for (const SegmentNode& node : nodes) {
    if (const auto* expert = std::get_if<ExpertKernel>(&node)) {
      out.push_back(*expert);
      continue;
    }
    const auto* work = std::get_if<HostWork>(&node);
    const Segment next = work ? Segment{work->time, Time{0}, work->time, 0} : of(std::get<Kernel>(node).op, speed);
    if (!out.empty() && std::holds_alternative<Segment>(out.back())) out.back() = std::get<Segment>(out.back()).then(next);
    else out.push_back(next);
  }
  return out;
}

std::uint32_t StepKernels::add(std::string_view label, Phase phase, std::vector<SegmentNode> nodes) {
  Template t{label, phase, std::move(nodes), false, {}, {}};
  for (const SegmentNode& n : t.nodes) t.needs_load |= std::holds_alternative<ExpertKernel>(n);
  for (const double speed : speeds_) t.pieces.push_back(compose(t.nodes, speed));
  t.last.resize(speeds_.size());
  templates_.push_back(std::move(t));
  return static_cast<std::uint32_t>(templates_.size() - 1);
}

Segment StepKernels::segment(std::uint32_t id, std::size_t speed, const RankLoad* load) {
  Template& t = templates_[id];
  Template::Memo& memo = t.last[speed];
  if (memo.valid && (!t.needs_load || same(memo.load, *load))) return memo.segment;
  Segment out;
  for (const Piece& p : t.pieces[speed]) {
    const auto* fixed = std::get_if<Segment>(&p);
    out = out.then(fixed ? *fixed : of(at_load(std::get<ExpertKernel>(p), *load), speeds_[speed]));
  }
  out.lag += host_.launch_latency();
  memo = {t.needs_load ? *load : RankLoad{}, out, true};
  return out;
}

SegmentInfo StepKernels::info(std::uint32_t id, std::size_t speed, const RankLoad* load) const {
  const Template& t = templates_[id];
  SegmentInfo out{t.label, t.phase, {}};
  for (const SegmentNode& n : t.nodes) {
    if (std::holds_alternative<HostWork>(n)) continue;
    const auto* expert = std::get_if<ExpertKernel>(&n);
    const Op op = expert ? at_load(*expert, *load) : std::get<Kernel>(n).op;
    const Cost cost = cost_.cost(op);
    out.items.push_back({op, host_.launch(op), at_speed(cost.time, speeds_[speed]), cost.provenance});
  }
  return out;
}

}  // namespace moesim
