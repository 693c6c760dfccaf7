// The parts of a training scenario, one reader each. Every function reads its section, checks what can be checked there, and
// refuses unknown keys of the section.
#pragma once

#include <filesystem>

#include "train/scenario.h"
#include "train/scenario/section.h"

namespace moesim {

/// model, hardware and stack: a name in the data folder, a path (relative to the scenario's folder), or, for the first two, the
/// thing itself with "extends". `doc` is the whole scenario.
void read_sources(Section& root, const Document& doc, const std::filesystem::path& data, TrainScenario&);

/// parallel -> sizes, sequence_parallel, stages, schedule (not yet checked against the micro-batches).
void read_parallel(Section& root, TrainScenario&);
/// batch -> lengths, sizes and num_micro_batches; checks the schedule.
void read_batch(Section& root, TrainScenario&);
void read_precision(Section& root, TrainScenario&);
void read_moe(Section& root, TrainScenario&);
void read_overlap(Section& root, TrainScenario&);
void read_recompute(Section& root, TrainScenario&);
void read_perturb(Section& root, TrainScenario&);

/// Refuses SMs of transfers that, with those of all that may run beside kernels at once, are as many as the GPU has.
void check_held_sms(const Section& root, const TrainScenario&);

/// Of settings that a dense model has no use for.
inline constexpr const char* kNeedsExperts = "a MoE model";

/// What Megatron, or somebody who has done this before, would warn about.
void add_warnings(TrainScenario&);
/// Warns of settings that have no effect here, and says why.
void note_idle_settings(TrainScenario&);

/// Fails with the place of the key that the message of a layout rule starts with ("ep: found 48, allowed is ...").
[[noreturn]] void fail_rule(const Section& root, const std::string& message);

}  // namespace moesim
