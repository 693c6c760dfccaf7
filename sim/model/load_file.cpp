#include "base/error.h"
#include "base/extends.h"
#include "base/named_file.h"
#include "base/reader.h"
#include "model/load.h"

namespace moesim {
namespace {

// What somebody published of one model, not of what others make of it.
constexpr std::string_view kFacts[] = {"_published_total_params_b", "_published_active_params_b"};

}  // namespace

ModelSpec load_model(const Document& config, const std::filesystem::path& data) {
  ModelSpec model = parse_model(with_extends(config, "model", data / "models", kFacts, Null::stays));
  if (const auto base = config.root().find_text("extends")) model.name = printable(short_name(*base)) + ", changed";
  return model;
}

ModelSpec load_model(const std::string& name_or_path, const std::filesystem::path& data) {
  const std::filesystem::path file = resolve_named_file(name_or_path, data / "models", "model");
  ModelSpec model = load_model(Document::load(file), data);
  model.name = printable(short_name(file.string()));
  return model;
}

std::vector<std::string> model_names(const std::filesystem::path& data) { return json_names(data / "models"); }

}  // namespace moesim
