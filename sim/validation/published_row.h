// One published training step: a scenario that reproduces it beside the figure somebody measured. A file of validate/published/:
//
//   { "group": "dense Hopper", "tier": 2,
//     "scenario": { ... as for `moesim train` ... },
//     "measured": { "metric": "tokens_per_s_per_gpu", "value": 1602, "unit": "tokens/s/GPU", "confidence": "P", "source": "..." },
//     "measured_memory": { "value": 61.35, "unit": "GiB", "confidence": "P" },      the peak of a GPU, where the same source gives it
//     "settled":  [ "grad_reduce: bf16 in Megatron-Bridge rows" ],      what the source does not print, and how it was settled
//     "lacks":    [ "TP overlap: ..." ] }                               what the run had and moesim does not simulate
//
// Tier 1: the source prints the whole layout; 2: part of it is settled by a default. Confidence as in the sources' notes: P read in the
// primary source, D derived from primary values, S second-hand, M from memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/document.h"

namespace moesim {

enum class PublishedMetric : std::uint8_t { step_time_s, tokens_per_s_per_gpu, tflops_per_gpu, mfu };

std::string_view name(PublishedMetric);

struct PublishedFigure {
  PublishedMetric metric = PublishedMetric::step_time_s;
  double value = 0;                                // in the unit of the metric: s, tokens/s/GPU, TFLOP/s/GPU, %
  std::string unit, confidence, source;
  std::optional<double> peak_tflops;               // mfu only: the peak that its authors divide by
  std::optional<double> gigaflops_per_token;       // where their FLOP count differs from Megatron's formula for the scenario's model
};

/// The peak memory of a GPU as the row's source prints it: GB or GiB.
struct PublishedMemory {
  double value = 0;
  std::string unit, confidence;
  double bytes() const;
};

struct PublishedRow {
  std::string id;                                  // the file's name without its ending
  std::string group;
  std::int64_t tier = 1;
  Document scenario;
  PublishedFigure measured;
  std::optional<PublishedMemory> measured_memory;
  std::vector<std::string> settled, lacks;
};

/// A published row that no scenario can express, and why.
struct LeftOutRow {
  std::string id, reason;
};

/// Throws InputError: one line with file, path, what was found and what is allowed.
PublishedRow read_published_row(const std::filesystem::path& file);

/// Every row of the folder, by name; bounds.json and not_expressible.json are not rows. Throws InputError if there is none.
std::vector<PublishedRow> read_published_rows(const std::filesystem::path& folder);

std::vector<LeftOutRow> read_left_out_rows(const std::filesystem::path& file);

/// The step time that the figure says, for a step of `tokens` on `gpus` GPUs of `flops_per_token` by Megatron's formula.
double step_time_of(const PublishedFigure&, double tokens, double gpus, double flops_per_token);

}  // namespace moesim
