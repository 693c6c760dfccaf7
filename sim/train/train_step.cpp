#include "train/train_step.h"

#include <algorithm>

#include "base/error.h"
#include "train/layer_settings.h"
#include "train/step/gpu_speeds.h"
#include "train/step/step_workload.h"
#include "train/too_long.h"

namespace moesim {

std::string_view name(StepStream s) {
  constexpr std::string_view names[] = {"compute", "pp forward send", "pp forward recv", "pp backward send", "pp backward recv", "dp", "expert dp", "tp"};
  return names[static_cast<std::size_t>(s)];
}

std::string_view name(TransferKind k) {
  constexpr std::string_view names[] = {"tp", "ep dispatch", "ep combine", "etp", "cp", "pp", "grad reduce", "param gather", "grad norm"};
  return names[static_cast<std::size_t>(k)];
}

namespace {

bool exactly_balanced(const TrainScenario& s) { return s.model.moe() == nullptr || load_laws().make(s.moe.load_law)->exactly_balanced(); }

/// Says of what takes too long which number it is for.
template <class F>
auto in_time(const TrainScenario& s, F make) {
  try {
    return make();
  } catch (const TooLong&) {
    throw InputError(too_long_text(s));
  }
}

std::vector<double> distinct(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return v;
}

}  // namespace

struct TrainStep::Impl {
  Impl(const TrainScenario& scenario, Detail detail, std::int64_t sample)
      : s(scenario), layout(scenario.parallel), layer(layer_settings(s)), actors(make_actors(s, layout, detail, exactly_balanced(s), gpu_speeds(s, sample))),
        loads(s, layout, actors, layer.settings.routed_tokens(), sample), speeds(distinct(actors.gpu_speed)), kernels(s, speeds),
        moves(s, layer.settings, actors, loads), program(s, layout, layer.settings, kernels, moves) {
    for (const double v : actors.gpu_speed)
      speed_of.push_back(static_cast<std::size_t>(std::lower_bound(speeds.begin(), speeds.end(), v) - speeds.begin()));
  }

  const TrainScenario& s;
  ParallelLayout layout;
  OwnedLayerSettings layer;
  Actors actors;
  StepLoads loads;
  std::vector<double> speeds;
  StepKernels kernels;
  StepMoves moves;
  StepProgram program;
  std::vector<std::size_t> speed_of;   // of each actor: index in speeds
};

TrainStep::TrainStep(const TrainScenario& s, Detail detail, std::int64_t sample)
    : impl_(in_time(s, [&] { return std::make_unique<Impl>(s, detail, sample); })) {}
TrainStep::~TrainStep() = default;

void TrainStep::visit(const std::function<void(Workload&)>& use) {
  Impl& i = *impl_;
  StepWorkload work(i.s, i.actors, i.program, i.kernels, i.moves, i.loads, i.speed_of);
  use(work);
}

RunResult TrainStep::run(std::span<Observer* const> observers, const EngineOptions& options) {
  RunResult out;
  in_time(impl_->s, [&] { visit([&](Workload& w) { out = moesim::run(w, observers, options); }); });
  return out;
}

const TrainScenario& TrainStep::scenario() const { return impl_->s; }
const std::vector<ActorInfo>& TrainStep::actors() const { return impl_->actors.info; }
bool TrainStep::merges_loads() const { return impl_->actors.approximate; }
bool TrainStep::merges_speeds() const { return impl_->actors.merges_speeds; }

SegmentInfo TrainStep::segment_info(ActorId a, std::uint32_t id, BlockTag tag) const {
  const RankLoad* load = impl_->kernels.needs_load(id) ? &impl_->loads.of(a, tag) : nullptr;
  return impl_->kernels.info(id, impl_->speed_of[a.index()], load);
}

TransferKind TrainStep::transfer_kind(std::uint32_t id) const { return impl_->moves.kind(id); }
std::string_view TrainStep::transfer_label(std::uint32_t id) const { return impl_->moves.label(id); }
Bytes TrainStep::memory_delta(ActorId a, std::uint32_t mark, BlockTag tag) const {
  const MemoryMark& m = impl_->program.mark(mark);
  const std::int64_t copies = m.saved.per_token_copy().count() > 0 ? impl_->loads.of(a, tag).tokens : 0;
  const Bytes bytes = m.saved.at(copies);
  return m.allocate ? bytes : Bytes{0} - bytes;
}

MoeStatistics TrainStep::moe_statistics() const { return impl_->loads.statistics(); }

}  // namespace moesim
