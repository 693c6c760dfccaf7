#include "hw/stack.h"
#include "model/load.h"
#include "train/scenario/parts.h"

namespace moesim {
namespace {

constexpr const char* kDefaultStack = "megatron-core-2026.04";

/// Relative paths count from the scenario's folder; names stay names. The result holds from any working directory.
std::string locate(const std::string& name_or_path, const std::string& scenario_file) {
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (!is_path) return name_or_path;
  const std::filesystem::path folder = std::filesystem::path(scenario_file).parent_path();
  return std::filesystem::absolute(folder / name_or_path).lexically_normal().generic_string();
}

/// The object under `key` as a document of its own, in the scenario's folder.
Document inline_document(const Json& value, const std::string& key, const Document& doc) {
  return Document::parse(value.dump(), doc.name() + ": " + key);
}

/// `load` takes a located name or a Document.
template <class Load>
auto read_source(Section& root, const char* key, const Document& doc, const Load& load) {
  const auto found = doc.json().find(key);
  if (found != doc.json().end() && found->is_object()) {
    root.reader().ignore(key);
    Json value = *found;
    if (const auto base = value.find("extends"); base != value.end() && base->is_string())
      *base = locate(base->get<std::string>(), doc.name());
    root.mirror(key, value);
    return load(inline_document(value, key, doc));  // its errors name the place already
  }
  const std::string located = locate(root.text(key), doc.name());
  root.mirror(key, located);
  try {
    return load(located);
  } catch (const InputError& e) { root.fail(key, e.what()); }
}

}  // namespace

void read_sources(Section& root, const Document& doc, const std::filesystem::path& data, TrainScenario& out) {
  out.model = read_source(root, "model", doc, [&](const auto& source) { return load_model(source, data); });
  out.hardware = read_source(root, "hardware", doc, [&](const auto& source) { return load_hw_profile(source, data); });
  const std::string stack = locate(root.text_or("stack", kDefaultStack), doc.name());
  root.mirror("stack", stack);
  try {
    out.stack = load_stack(stack, data);
  } catch (const InputError& e) { root.fail("stack", e.what()); }
}

}  // namespace moesim
