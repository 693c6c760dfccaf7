#include "train/step/kernels.h"

#include <algorithm>
#include <cmath>

namespace moesim {
namespace {

constexpr std::size_t kKeptApart = 6;

/// Rounded up.
Time longer(Time t, double factor) {
  if (factor == 1) return t;
  const double picoseconds = std::ceil(static_cast<double>(t.count()) * factor);
  if (picoseconds > static_cast<double>(kLongestTime.count())) throw_too_long();
  return Time{static_cast<std::int64_t>(picoseconds)};
}

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
  return launches(host_.launch(op), alone(op, speed), op.kernels);
}

Time StepKernels::alone(const Op& op, double speed) const { return at_speed(cost_.cost(op).time, speed) + host_.device_gap(op); }

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
  Template t{label, phase, std::move(nodes), false, {}, {}, {}};
  for (const SegmentNode& n : t.nodes) t.needs_load |= std::holds_alternative<ExpertKernel>(n);
  for (const double speed : speeds_) t.pieces.push_back(compose(t.nodes, speed));
  t.last.resize(speeds_.size());
  t.apart.resize(speeds_.size());
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

/// The op's launches share its times equally, as in launches().
void StepKernels::take_apart(const Op& op, double speed, Apart& out) const {
  const Beside sms_only{out.beside.sms, out.beside.margin, 0};
  const Time own = at_speed(cost_.cost(op).time, speed), gap = host_.device_gap(op), host = host_.launch(op);
  const Time by_sms = longer(own, cost_.stretch(op, sms_only)) + gap, beside = out.beside.memory == 0 ? by_sms : longer(own, cost_.stretch(op, out.beside)) + gap;
  const auto n = static_cast<std::int64_t>(std::max<std::uint32_t>(op.kernels, 1));
  const auto share = [n](Time t, std::int64_t i) { return Time{t.count() * (i + 1) / n - t.count() * i / n}; };
  for (std::int64_t i = 0; i < n; ++i) {
    PacedKernel k{n == 1 ? host : Time{ceil_div(host.count(), n)}, share(own + gap, i), share(by_sms, i), share(beside, i)};
    k.by_sms = std::max(k.by_sms, k.alone);
    k.beside = std::max(k.beside, k.by_sms);
    out.kernels.push_back(k);
    out.map.segment = out.map.segment.then(Segment::kernel(k.host, k.beside));
    out.map.by_sms += k.by_sms;
  }
}

StepKernels::Apart StepKernels::take_apart(const Template& t, double speed, const RankLoad* load, Beside b) const {
  Apart out{load ? *load : RankLoad{}, b, {}, {}};
  for (const SegmentNode& node : t.nodes) {
    if (const auto* work = std::get_if<HostWork>(&node)) {
      out.kernels.push_back({work->time, Time{0}, Time{0}, Time{0}});
      out.map.segment = out.map.segment.then({work->time, Time{0}, work->time, 0});
    } else {
      const auto* expert = std::get_if<ExpertKernel>(&node);
      take_apart(expert ? at_load(*expert, *load) : std::get<Kernel>(node).op, speed, out);
    }
  }
  out.map.latency = host_.launch_latency();
  out.map.segment.lag += out.map.latency;
  return out;
}

PacedSegment StepKernels::paced(std::uint32_t id, std::size_t speed, const RankLoad* load, Beside b) {
  Template& t = templates_[id];
  std::vector<Apart>& known = t.apart[speed];
  const auto found = std::find_if(known.begin(), known.end(), [&](const Apart& a) { return a.beside == b && (!t.needs_load || same(a.load, *load)); });
  if (found != known.end()) {
    std::rotate(known.begin(), found, found + 1);
  } else {
    if (known.size() == kKeptApart) known.pop_back();
    known.insert(known.begin(), take_apart(t, speeds_[speed], t.needs_load ? load : nullptr, b));
  }
  PacedSegment out = known.front().map;
  out.kernels = known.front().kernels;
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
    out.items.push_back({op, host_.launch(op), at_speed(cost.time, speeds_[speed]) + host_.device_gap(op), cost.provenance});
  }
  return out;
}

}  // namespace moesim
