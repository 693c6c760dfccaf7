#include "app/scenario_options.h"

#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "base/named_file.h"
#include "base/reader.h"
#include "train/scenario/defaults.h"

namespace po = boost::program_options;

namespace moesim {
namespace {

namespace fs = std::filesystem;
namespace preset = scenario_default;

/// Sections that are a name, a path or an object: flag and key.
constexpr std::pair<const char*, const char*> kSources[]{{"model", "model"}, {"hw", "hardware"}, {"stack", "stack"}};

struct Flag {
  const char* name;
  const char* section;   // of the scenario, "" = the top
  const char* key;
  std::string help;
};

std::vector<Flag> flags() {
  const auto chosen = [](const std::string& what, const std::string& value) { return what + " (default: " + value + ")"; };
  const auto size = [&](const std::string& what) { return chosen(what, std::to_string(preset::kSize)); };
  return {
      {"gpus", "", "gpus", "GPUs in all"},
      {"tp", "parallel", "tp", size("tensor parallel size")},
      {"pp", "parallel", "pp", size("pipeline parallel size")},
      {"vpp", "parallel", "vpp", size("model chunks per pipeline rank")},
      {"ep", "parallel", "ep", size("expert parallel size")},
      {"etp", "parallel", "etp", chosen("expert tensor parallel size", "tp")},
      {"seq-length", "batch", "seq_length", chosen("tokens of a sequence", std::to_string(preset::kSeqLength))},
      {"micro-batch-size", "batch", "micro_batch_size", chosen("sequences of a micro-batch", std::to_string(preset::kMicroBatchSize))},
      {"global-batch-size", "batch", "global_batch_size", chosen("sequences of a step", std::to_string(preset::kMicroBatchesPerStage) + " * pp micro-batches a pipeline")},
      {"seed", "", "seed", chosen("seed of random expert loads", std::to_string(preset::kSeed))},
  };
}

/// Paths on the command line count from where the command runs, wherever the scenario lies.
std::string from_here(const std::string& name_or_path) { return is_path(name_or_path) ? fs::absolute(name_or_path).lexically_normal().string() : name_or_path; }

Document from_flags(const po::variables_map& v) {
  Json j = Json::object();
  for (const auto& [flag, key] : kSources)
    if (v.count(flag)) j[key] = from_here(v[flag].as<std::string>());
  for (const Flag& f : flags())
    if (v.count(f.name)) (*f.section ? j[f.section] : j)[f.key] = v[f.name].as<std::int64_t>();
  return Document::parse(j.dump(), "command line");
}

/// The value of "path=value" if it is a path of a model, machine or stack.
std::optional<std::string> path_in(const std::string& assignment, const std::string& key) {
  for (const char* suffix : {"=", ".extends="}) {
    if (!assignment.starts_with(key + suffix)) continue;
    const std::string value = assignment.substr(assignment.find('=') + 1);
    if (is_path(value) && value[0] != '{' && value[0] != '"') return value;
  }
  return std::nullopt;
}

/// `--set ep=16` and `--set hw.x=...`: the words of flags where the scenario has others.
void refuse_flag_as_path(const std::string& option, const std::string& assignment) {
  const std::string first = assignment.substr(0, assignment.find_first_of(".=["));
  const auto refuse = [&](const std::string& meant) {
    throw InputError(option + ": found \"" + shortened(assignment) + "\"; did you mean \"" + shortened(meant + assignment.substr(first.size())) + "\"?");
  };
  for (const Flag& f : flags())
    if (*f.section && first == f.key) refuse(std::string(f.section) + "." + f.key);
  if (first == "hw") refuse("hardware");
}

/// `--ep 8 --set parallel.ep=16` says two things.
void refuse_both(const po::variables_map& v, const std::string& assignment) {
  const std::string path = assignment.substr(0, assignment.find('='));
  const auto refuse = [&](const std::string& flag, const std::string& key) {
    if (v.count(flag) && path == key) throw InputError("--" + flag + " and --set " + shortened(assignment) + ": found two values of " + key + ", allowed is one");
  };
  for (const auto& [flag, key] : kSources) refuse(flag, key);
  for (const Flag& f : flags()) refuse(f.name, (*f.section ? std::string(f.section) + "." : "") + f.key);
}

/// Flags alone must name a model, a machine and its size.
void refuse_incomplete(const Document& doc) {
  std::string missing;
  for (const auto& [flag, key] : {std::pair{"--model", "model"}, {"--hw", "hardware"}, {"--gpus", "gpus"}})
    if (!doc.json().contains(key)) missing += (missing.empty() ? "" : ", ") + std::string(flag);
  if (!missing.empty()) throw InputError("expected a scenario (`moesim list scenarios`), or --model, --hw and --gpus; missing: " + missing);
}

/// "qwen3-30b-a3b-64xalps-gh200", as shipped scenarios are called.
std::string name_of_flags(const po::variables_map& v) {
  if (!v.count("model") || !v.count("hw") || !v.count("gpus")) return "command line";
  return short_name(v["model"].as<std::string>()) + "-" + std::to_string(v["gpus"].as<std::int64_t>()) + "x" + short_name(v["hw"].as<std::string>());
}

}  // namespace

po::options_description scenario_options() {
  po::options_description out("Scenario, instead of a file or on top of it");
  auto add = out.add_options();
  add("model", po::value<std::string>(), "model name, or a Hugging Face config.json");
  add("hw", po::value<std::string>(), "machine name, or a profile JSON");
  add("stack", po::value<std::string>(), ("software stack name, or its JSON (default: " + std::string(preset::kStack) + ")").c_str());
  for (const Flag& f : flags()) add(f.name, po::value<std::int64_t>(), f.help.c_str());
  add("set", po::value<std::vector<std::string>>()->composing(),
      "change any value: --set parallel.ep=16, --set \"hardware.scale_out.per_gpu=400 Gb/s\" (repeatable; the last --set of a value wins)");
  return out;
}

Document with_set(Document doc, const std::string& assignment, const std::string& option) {
  refuse_flag_as_path(option, assignment);
  for (const auto& [flag, name] : kSources) {
    const std::string key = name;
    const auto found = doc.json().find(key);
    const bool left_out = found == doc.json().end() || found->is_null();
    if (assignment.starts_with(key + ".") && ((!left_out && found->is_string()) || (left_out && key == "stack")))
      doc = doc.with(key + "=" + Json({{"extends", left_out ? Json(preset::kStack) : *found}}).dump());
    if (const auto path = path_in(assignment, key)) return doc.with(assignment.substr(0, assignment.find('=') + 1) + Json(from_here(*path)).dump(), option);
  }
  return doc.with(assignment, option);
}

std::vector<GivenValue> given_values(const po::variables_map& v) {
  std::vector<GivenValue> out;
  for (const auto& [flag, key] : kSources)
    if (v.count(flag)) out.push_back({std::string("--") + flag, key});
  for (const Flag& f : flags())
    if (v.count(f.name)) out.push_back({std::string("--") + f.name, (*f.section ? std::string(f.section) + "." : "") + f.key});
  if (v.count("set"))
    for (const std::string& s : v["set"].as<std::vector<std::string>>()) out.push_back(given_by_set("--set", s));
  return out;
}

TrainScenario read_scenario(const Document& doc, const std::vector<GivenValue>& given, const CommandContext& context) {
  try {
    return read_train_scenario(doc, context.data);
  } catch (const InputError& e) { throw InputError(with_flags(e.what(), doc.name(), given)); }
}

Document scenario_document(const po::variables_map& v, const std::string& key, const CommandContext& context) {
  Document doc = from_flags(v);
  if (v.count(key)) {
    const Document file = Document::load(resolve_named_file(v[key].as<std::string>(), context.data / "scenarios" / "train", "scenario"));
    (void)file.root();   // merging into anything but an object would hide what the file holds
    doc = file.merged(doc);
  } else {
    doc = doc.with("kind=train").with("name=" + Json(name_of_flags(v)).dump());
  }
  if (v.count("set"))
    for (const std::string& s : v["set"].as<std::vector<std::string>>()) {
      refuse_both(v, s);
      doc = with_set(doc, s);
    }
  if (!v.count(key)) refuse_incomplete(doc);
  return doc;
}

}  // namespace moesim
