#include "train/scenario.h"

#include <array>
#include <limits>

#include "base/error.h"
#include "train/scenario/defaults.h"
#include "train/scenario/parts.h"

namespace moesim {
namespace {

constexpr std::array<std::string_view, 15> kTopLevel{"kind",  "name",    "description", "model",     "hardware",
                                                     "stack", "gpus",    "parallel",    "batch",     "precision",
                                                     "moe",   "overlap", "recompute",   "optimizer", "perturb"};

/// Slips in top-level names come first: a misspelt section would otherwise show up as a strange rule about its defaults.
void refuse_unknown_top_level(const Document& doc) {
  Reader reader = doc.root();
  for (const std::string_view key : kTopLevel) reader.ignore(key);
  reader.ignore("seed");
  reader.done();
}

std::string default_name(const Document& doc) {
  const std::string stem = std::filesystem::path(doc.name()).stem().string();
  return stem.empty() ? "train" : stem;
}

}  // namespace

bool has_random_load(const TrainScenario& s) { return s.model.moe() && !load_laws().make(s.moe.load_law)->exactly_balanced(); }

bool has_random_steps(const TrainScenario& s) { return (s.gpu_speed_spread && s.hardware.gpu.speed_spread.value > 0) || has_random_load(s); }

TrainScenario read_train_scenario(const Document& doc, const std::filesystem::path& data) {
  refuse_unknown_top_level(doc);
  TrainScenario s;
  Section root(doc.root(), s.defaults);
  if (const std::string kind = root.text("kind"); kind != "train")
    root.fail("kind", "found \"" + shortened(kind) + "\", allowed is \"train\"");
  if (const auto name = root.reader().find_text("name"); name && printable(*name).find_first_not_of(' ') == std::string::npos)
    root.fail("name", "found \"" + shortened(*name) + "\", allowed is a text that names the scenario; left out, it is the file's name");
  s.name = printable(root.reader().find_text("name").value_or(default_name(doc)));
  root.mirror("name", s.name);
  root.find_text("description");
  read_sources(root, doc, data, s);
  read_parallel(root, s);
  read_batch(root, s);
  read_precision(root, s);
  read_moe(root, s);
  read_overlap(root, s);
  check_held_sms(root, s);
  read_recompute(root, s);
  s.seed = static_cast<std::uint64_t>(root.integer_or("seed", {0, std::numeric_limits<std::int64_t>::max()}, scenario_default::kSeed));
  read_perturb(root, s);
  root.done();
  add_warnings(s);
  note_idle_settings(s);
  s.resolved = root.resolved().dump(2);
  return s;
}

}  // namespace moesim
