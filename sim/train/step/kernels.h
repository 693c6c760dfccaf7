// The segments of a step: runs of kernels without an edge to another stream, with their cost for any actor and load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "block/layer.h"
#include "cost/cost_model.h"
#include "engine/segment.h"
#include "train/step_plan.h"

namespace moesim {

using SegmentNode = std::variant<Kernel, ExpertKernel, HostWork>;

class StepKernels {
 public:
  /// `speeds`: the distinct speed factors of GPUs that occur.
  StepKernels(const TrainScenario&, std::vector<double> speeds);

  /// Adds a segment and returns its id. `perturb` is added to the device time of its first kernel (tests of causality).
  std::uint32_t add(std::string_view label, Phase, std::vector<SegmentNode> nodes);
  std::size_t size() const { return templates_.size(); }
  bool needs_load(std::uint32_t id) const { return templates_[id].needs_load; }

  /// `load` is read only if needs_load(id).
  Segment segment(std::uint32_t id, std::size_t speed, const RankLoad* load);
  /// The same beside transfers. Valid until the next call.
  PacedSegment paced(std::uint32_t id, std::size_t speed, const RankLoad* load, Beside);
  SegmentInfo info(std::uint32_t id, std::size_t speed, const RankLoad* load) const;
  const HostModel& host() const { return host_; }

 private:
  using Piece = std::variant<Segment, ExpertKernel>;   // fixed kernels are composed beforehand
  struct Apart {                                       // a segment taken apart, beside something
    RankLoad load;
    Beside beside;
    PacedSegment map;                                  // its kernels are those here
    std::vector<PacedKernel> kernels;
  };
  struct Template {
    std::string_view label;
    Phase phase;
    std::vector<SegmentNode> nodes;
    bool needs_load = false;
    std::vector<std::vector<Piece>> pieces;            // by speed
    struct Memo { RankLoad load; Segment segment; bool valid = false; };
    std::vector<Memo> last;                            // by speed
    std::vector<std::vector<Apart>> apart;             // by speed: the last few beside something, the latest first
  };
  Time alone(const Op&, double speed) const;
  Segment of(const Op&, double speed) const;
  void take_apart(const Op&, double speed, Apart&) const;
  Apart take_apart(const Template&, double speed, const RankLoad*, Beside) const;
  std::vector<Piece> compose(const std::vector<SegmentNode>&, double speed) const;

  CostModel cost_;
  HostModel host_;
  std::vector<double> speeds_;
  std::vector<Template> templates_;
};

}  // namespace moesim
