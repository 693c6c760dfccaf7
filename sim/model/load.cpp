#include "model/load.h"

#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/reader.h"
#include "model/count.h"
#include "model/families/family.h"

namespace moesim {

namespace {

constexpr double kMaxParams = 1e16;  // keeps every sum of count.h inside 64 bits

// Multimodal configs keep the decoder in a sub-object.
std::string decoder_key(const Reader& config) {
  for (const char* key : {"text_config", "language_config", "llm_config"})
    if (config.has(key)) return key;
  return "";
}

// The decoder's part of the config, with what only the outer level says.
Json decoder_json(const Json& whole, const std::string& key) {
  Json inner = whole.at(key);
  for (const char* outer : {"model_type", "tie_word_embeddings"})
    if (!inner.contains(outer) && whole.contains(outer)) inner[outer] = whole.at(outer);
  return inner;
}

// "llama4" and "llama4_text" are one type: which of them stands where depends on the file.
bool same_type(const std::string& a, const std::string& b) { return a == b || a == b + "_text" || a + "_text" == b; }

[[noreturn]] void unknown_type(const Reader& config, const std::vector<Family>& all, const std::string& type) {
  std::vector<std::string> types;
  for (const Family& family : all) types.insert(types.end(), family.model_types.begin(), family.model_types.end());
  std::string list;
  for (const std::string& t : types) list += (list.empty() ? "" : ", ") + t;
  const std::string found = type.empty() ? "missing" : "found \"" + shortened(type) + "\"";
  config.fail("model_type", found + ", allowed is one of " + list + (type.empty() ? "" : did_you_mean(type, types)));
}

struct Choice {
  FamilyReader read;
  std::string type;  // as builtin.def has it
};

Choice choose_family(Reader config) {
  const std::vector<Family> all = families();
  const std::string type = config.find_text("model_type").value_or("");
  for (const Family& family : all)
    for (const std::string& known : family.model_types)
      if (same_type(known, type)) return {family.read, known};
  unknown_type(config, all, type);
}

void check_size(const Reader& config, const ModelSpec& model) {
  std::vector<double> of_kind;
  for (const LayerKind& kind : model.kinds)
    of_kind.push_back(static_cast<double>(count_params(kind, model.hidden_size, model.norm_bias).total()));
  double sum = 0;
  for (std::uint16_t kind : model.layers) sum += of_kind[kind];
  if (model.mtp_layers != 0)
    sum += static_cast<double>(model.mtp_layers) *
           static_cast<double>(count_params(model.mtp_kind(), model.hidden_size, model.norm_bias).total());
  if (sum > kMaxParams) config.fail("the layers have over 1e16 parameters in all, allowed are fewer");
}

// A key that the reader asked for and that neither the config nor the table of class defaults has would be a guess.
void refuse_guesses(const Reader& config, const std::string& type) {
  if (config.absent().empty()) return;
  const std::string& key = config.absent().front();
  config.fail(key, "missing, and moesim does not know what " + type + " takes for it" + near_miss(config, key));
}

ModelSpec read_family(Reader& config, const Choice& family) {
  try {
    return family.read(config);
  } catch (const MissingKey& e) { throw InputError(e.what() + near_miss(config, e.key)); }
}

/// `json` is the decoder's part of a config, `path` where it stands in it.
ModelSpec read_decoder(const Json& json, const std::string& file, const std::string& path) {
  const Choice family = choose_family(Reader(json, file, path));
  const Json defaults = class_defaults(family.type);
  Json named = json;
  named["model_type"] = family.type;   // readers tell the types of one family apart by it
  Reader config(named, file, path, &defaults);
  ModelSpec model = read_family(config, family);
  refuse_guesses(config, family.type);
  warn_about_unread(config, model.warnings);
  check_size(config, model);
  return model;
}

double billions(Reader& config, std::string_view key) { return 1e9 * config.find_number(key).value_or(0); }

}  // namespace

ModelSpec parse_model(const Document& document) {
  Reader config = document.root();
  const std::string key = decoder_key(config);
  ModelSpec model;
  if (key.empty()) {
    model = read_decoder(document.json(), document.name(), "");
  } else {
    config.object(key);  // must be one
    model = read_decoder(decoder_json(document.json(), key), document.name(), key);
    config.ignore("tie_word_embeddings");
    warn_about_unread(config, model.warnings);
  }
  model.name = printable(document.name());
  model.published_total_params = billions(config, "_published_total_params_b");
  model.published_active_params = billions(config, "_published_active_params_b");
  return model;
}

}  // namespace moesim
