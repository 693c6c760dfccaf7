#include "app/scenario_options.h"

#include <array>

#include "base/json.h"
#include "base/named_file.h"
#include "base/reader.h"

namespace po = boost::program_options;

namespace moesim {
namespace {

struct Flag {
  const char* name;
  const char* path;      // in the scenario
  const char* help;
};
constexpr std::array kFlags{
    Flag{"gpus", "gpus", "GPUs in all"},
    Flag{"tp", "parallel.tp", "tensor parallel size"},
    Flag{"pp", "parallel.pp", "pipeline parallel size"},
    Flag{"vpp", "parallel.vpp", "model chunks per pipeline rank"},
    Flag{"ep", "parallel.ep", "expert parallel size"},
    Flag{"etp", "parallel.etp", "expert tensor parallel size (default: tp)"},
    Flag{"seq-length", "batch.seq_length", "tokens of a sequence (default 4096)"},
    Flag{"micro-batch-size", "batch.micro_batch_size", "sequences of a micro-batch (default 1)"},
    Flag{"global-batch-size", "batch.global_batch_size", "sequences of a step (default: 16 micro-batches a pipeline)"},
};

Document from_flags(const po::variables_map& v) {
  Json j = Json::object();
  for (const auto& [flag, key] : {std::pair{"model", "model"}, {"hw", "hardware"}, {"stack", "stack"}})
    if (v.count(flag)) j[key] = v[flag].as<std::string>();
  for (const Flag& f : kFlags)
    if (v.count(f.name)) j[Json::json_pointer("/" + [&] { std::string p = f.path; for (char& c : p) if (c == '.') c = '/'; return p; }())] = v[f.name].as<std::int64_t>();
  return Document::parse(j.dump(), "command line");
}

}  // namespace

po::options_description scenario_options() {
  po::options_description out("Scenario, instead of a file or on top of it");
  auto add = out.add_options();
  add("model", po::value<std::string>(), "model name, or a Hugging Face config.json");
  add("hw", po::value<std::string>(), "machine name, or a profile JSON");
  add("stack", po::value<std::string>(), "software stack name, or its JSON");
  for (const Flag& f : kFlags) add(f.name, po::value<std::int64_t>(), f.help);
  add("set", po::value<std::vector<std::string>>()->composing(), "override: --set parallel.ep=16 (repeatable)");
  add("seed", po::value<std::int64_t>(), "seed of random expert loads");
  return out;
}

Document scenario_document(const po::variables_map& v, const std::string& key, const CommandContext& context) {
  Document doc = from_flags(v);
  if (v.count(key)) {
    const Document file = Document::load(resolve_named_file(v[key].as<std::string>(), context.data / "scenarios" / "train", "scenario"));
    (void)file.root();   // merging into anything but an object would hide what the file holds
    doc = file.merged(doc);
  } else {
    doc = doc.with("kind=train");
  }
  if (v.count("set"))
    for (const std::string& s : v["set"].as<std::vector<std::string>>()) doc = doc.with(s);
  if (v.count("seed")) doc = doc.with("seed=" + std::to_string(v["seed"].as<std::int64_t>()));
  return doc;
}

}  // namespace moesim
