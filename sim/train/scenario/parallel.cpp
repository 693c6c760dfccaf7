#include <algorithm>
#include <array>

#include "parallel/rules.h"
#include "train/scenario/defaults.h"
#include "train/scenario/parts.h"
#include "train/schedule.h"

namespace moesim {
namespace {

namespace preset = scenario_default;

constexpr IntegerRange kSize{1, 1 << 20};

void read_sizes(Section& in, const TrainScenario& s, ParallelSizes& sizes) {
  const MoeMlp* moe = s.model.moe();
  sizes.tp = in.integer_or("tp", kSize, preset::kSize);
  sizes.pp = in.integer_or("pp", kSize, preset::kSize);
  sizes.ep = in.integer_or("ep", kSize, preset::kSize);
  if (moe)
    sizes.etp = in.integer_or("etp", kSize, sizes.tp);
  else if (const std::int64_t etp = in.reader().find_integer("etp", kSize).value_or(1); etp > 1)
    in.fail("etp", "found " + std::to_string(etp) + ", allowed is 1: the model has no experts");
  if (const std::int64_t cp = in.reader().find_integer("cp", kSize).value_or(1); cp > 1)
    in.fail("cp", "found " + std::to_string(cp) + ", allowed is 1: context parallelism is not simulated yet");
  sizes.order = in.text_or("order", sizes.order);
}

StageLayout read_stages(Section& in, const TrainScenario& s, ParallelSizes& sizes) {
  const std::optional<std::string> layout = in.find_text("pipeline_layout");
  std::int64_t vpp = preset::kSize;
  if (layout) {
    try {
      vpp = std::max<std::int64_t>(1, StageLayout::count_chunks(*layout) / sizes.pp);
    } catch (const InputError& e) { in.fail("pipeline_layout", e.what()); }
  }
  sizes.vpp = in.integer_or("vpp", kSize, vpp);
  try {
    if (layout) return StageLayout::parse(*layout, s.model.num_layers(), s.model.mtp_layers, sizes.pp, sizes.vpp);
    return StageLayout::balanced(s.model.num_layers(), s.model.mtp_layers, sizes.pp, sizes.vpp);
  } catch (const InputError& e) { in.fail(layout ? "pipeline_layout" : sizes.vpp > 1 ? "vpp" : "pp", e.what()); }
}

}  // namespace

void fail_rule(const Section& root, const std::string& message) {
  const std::string word = message.substr(0, message.find(": "));
  const auto names = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
  };
  if (names({"tp", "pp", "cp", "ep", "etp", "vpp", "order"})) throw InputError(root.file() + ": parallel." + message);
  if (names({"seq_length"})) throw InputError(root.file() + ": batch." + message);
  if (names({"gpus"})) throw InputError(root.file() + ": " + message);
  root.fail("parallel", message);
}

void read_parallel(Section& root, TrainScenario& s) {
  Section in = root.open("parallel");
  s.parallel.gpus = root.integer("gpus", {1, kMaxGpus});
  read_sizes(in, s, s.parallel);
  s.stages = read_stages(in, s, s.parallel);
  s.sequence_parallel = in.flag_or("sequence_parallel", s.parallel.tp > 1);
  s.schedule = in.text_or("schedule", s.parallel.vpp > 1 ? "interleaved_1f1b" : "1f1b");
  const std::vector<std::string> known = schedules().names();
  if (std::find(known.begin(), known.end(), s.schedule) == known.end()) {
    try {
      schedules().make(s.schedule);
    } catch (const InputError& e) { in.fail("schedule", e.what()); }
  }
  root.close("parallel", std::move(in));
  try {
    s.parallel = ParallelLayout(s.parallel).sizes();
  } catch (const InputError& e) { fail_rule(root, e.what()); }
}

void read_batch(Section& root, TrainScenario& s) {
  constexpr std::int64_t kMostTokens = 1 << 27, kMostMicroBatches = 1 << 16;
  const ParallelLayout layout(s.parallel);
  Section in = root.open("batch");
  s.seq_length = in.integer_or("seq_length", {1, kMostTokens}, preset::kSeqLength);
  s.micro_batch_size = in.integer_or("micro_batch_size", {1, kMostTokens / s.seq_length}, preset::kMicroBatchSize);
  const std::int64_t per_micro_batch = layout.dp() * s.micro_batch_size;
  try {
    s.global_batch_size = in.integer_or("global_batch_size", {1, kMostMicroBatches * per_micro_batch},
                                        preset::kMicroBatchesPerStage * s.parallel.pp * per_micro_batch);
  } catch (const InputError& e) {
    throw InputError(std::string(e.what()) + ": at most " + std::to_string(kMostMicroBatches) + " micro-batches of dp * micro_batch_size = " +
                     std::to_string(per_micro_batch));
  }
  if (s.global_batch_size % per_micro_batch != 0)
    in.fail("global_batch_size", "found " + std::to_string(s.global_batch_size) +
                                     ", allowed is a multiple of dp * micro_batch_size = " + std::to_string(layout.dp()) + " * " +
                                     std::to_string(s.micro_batch_size) + " = " + std::to_string(per_micro_batch));
  s.num_micro_batches = s.global_batch_size / per_micro_batch;
  root.close("batch", std::move(in));
  try {
    check_model_fits_layout(s.model, layout, {s.seq_length, s.sequence_parallel, true});
  } catch (const InputError& e) { fail_rule(root, e.what()); }
  try {
    schedules().make(s.schedule)->check({s.parallel.pp, s.parallel.vpp, s.num_micro_batches});
  } catch (const InputError& e) { root.fail("parallel.schedule", e.what()); }
}

}  // namespace moesim
