// A training scenario: one optimizer step of a model on a machine with a layout, resolved and checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/document.h"
#include "block/settings.h"
#include "hw/profile.h"
#include "hw/stack.h"
#include "model/spec.h"
#include "moe/expert_load.h"
#include "parallel/layout.h"
#include "parallel/stage_layout.h"

namespace moesim {

struct OverlapSettings {
  bool grad_reduce = false;      // gradient reduce-scatter behind the last backward
  bool param_gather = false;     // parameter all-gather behind the first forward
  bool p2p = false;              // default: what the schedule does
  bool tp = false;               // backward of column-split linears: gather behind the input gradient, scatter behind the weight gradient
};

struct MoeSettings {
  std::string load_law = "multinomial";
  LoadParameters load;
  CapacityRule capacity;
  std::string dispatcher = "alltoall";
  std::optional<std::int64_t> dispatcher_sms;   // of its kernels; what the back end chooses unless given
};

struct TrainScenario {
  std::string name;
  ModelSpec model;
  HwProfile hardware;
  Stack stack;
  ParallelSizes parallel;                       // etp resolved
  StageLayout stages;
  std::string schedule = "1f1b";
  bool sequence_parallel = true;
  bool distributed_optimizer = true;
  DType optimizer_moments = DType::fp32;        // what both of Adam's moments are kept in
  std::int64_t seq_length = 0, micro_batch_size = 1, global_batch_size = 0;
  std::int64_t num_micro_batches = 0;           // global_batch_size / (dp * micro_batch_size)
  Precision precision;
  MoeSettings moe;
  OverlapSettings overlap;
  Recompute recompute;
  std::uint64_t seed = 0;
  std::map<std::int64_t, double> gpu_speed;     // speed factor of single ranks, default 1 ("perturb": {"gpu_speed": {"3": 0.9}})
  bool gpu_speed_spread = false;                // each GPU's speed is drawn with the profile's gpu.speed_spread ("perturb": {"gpu_speed_spread": true})
  std::map<std::int64_t, double> nic_speed;     // NIC bandwidth factor of single ranks
  std::vector<std::string> defaults;            // "moe.dispatcher = alltoall": chosen because the scenario is silent
  std::vector<std::string> warnings;
  std::string resolved;                         // the scenario with all defaults, as JSON text
  std::vector<std::filesystem::path> files;     // every file that was read for it
};

/// Whether its steps differ by the random load of the experts.
bool has_random_load(const TrainScenario&);
/// Whether they differ at all: by that, or by the GPUs that are drawn.
bool has_random_steps(const TrainScenario&);

/// Reads and checks everything: unknown keys, wrong types, impossible layouts are InputError with file and JSON path. Relative model and
/// profile paths are relative to the scenario's folder.
TrainScenario read_train_scenario(const Document&, const std::filesystem::path& data);

}  // namespace moesim
