// What one simulated training step says, as values. Rendering is report's job.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/critical_items.h"
#include "analysis/time_class.h"
#include "analysis/waterfall.h"
#include "cost/cost_model.h"
#include "engine/engine.h"
#include "train/memory.h"
#include "train/train_step.h"

namespace moesim {

struct TrainReport {
  std::string version;
  std::string scenario_name, model, hardware, stack, layout;   // layout: "TP1 PP16 EP64 ..., 120 micro-batches"
  std::string detail;                    // "fold", "fold: approximate", "ranks"
  std::string merged;                    // what fold merged, in words
  std::int64_t gpus = 0;
  std::uint64_t seed = 0;

  double step_time_s = 0;
  std::vector<double> sample_step_times_s;            // when loads or GPUs are drawn and more than one sample was run, sorted
  std::optional<double> unshared_step_time_s;         // if every transfer had its ports for itself; on request
  double tokens_per_s = 0, tokens_per_s_per_gpu = 0;
  double tflops_per_gpu = 0;             // model FLOPs: Megatron's count of all tokens, dropped ones included
  double mfu = 0, hfu = 0;               // model FLOPs, and FLOPs executed, over mfu_peak_tflops whatever the precision
  double mfu_peak_tflops = 0;            // dense bf16 peak of a GPU, as Megatron and the published rows divide
  double bubble_fraction = 0;

  MemoryReport memory;
  std::array<double, kTimeClasses> time_by_class_s{};  // mean over ranks; adds up to step_time_s
  std::vector<Bar> waterfall;                          // adds up to step_time_s
  std::vector<CriticalItem> critical_path;             // by class, adds up to step_time_s
  std::array<double, kProvenances> provenance{};       // share of kernel time
  std::optional<MoeStatistics> moe;
  double interval_low_s = 0, interval_high_s = 0;
  std::vector<std::string> warnings, defaults;
  std::string resolved_scenario;                       // JSON text
  EngineCounters engine;
  std::optional<double> dollars_per_step, dollars_per_million_tokens;
};

struct TrainOptions {
  Detail detail = Detail::fold;
  std::int64_t samples = 1;          // optimizer steps to draw when loads or GPUs are random, at most kMostSamples
  /// Called once before the first sample runs, to add observers of it. The step outlives their run, not this call's end.
  std::function<void(const TrainStep&, std::vector<Observer*>&)> watch;
  bool unshared = false;             // run it a second time, without sharing of ports
  std::int64_t path_spans = 20'000'000; // a run of more has no critical path, and says so
};

/// Runs the step and reports it.
TrainReport train(const TrainScenario&, const TrainOptions& = {});

}  // namespace moesim
