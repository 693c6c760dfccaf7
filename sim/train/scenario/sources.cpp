#include "base/error.h"
#include "base/extends.h"
#include "base/named_file.h"
#include "base/reader.h"
#include "hw/stack.h"
#include "model/load.h"
#include "train/scenario/defaults.h"
#include "train/scenario/parts.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

struct Source {
  const char* key;
  const char* what;      // in messages
  fs::path folder;
};

/// Where to look, and what to save: the latter holds from any working directory.
struct Place {
  std::string here, anywhere;
};

/// Relative paths count from the scenario's folder; names stay names. Errors show what is inside the working directory from there.
Place locate(const std::string& name_or_path, const std::string& scenario_file) {
  if (!is_path(name_or_path)) return {name_or_path, name_or_path};
  const fs::path given = fs::path(scenario_file).parent_path() / name_or_path, whole = fs::absolute(given).lexically_normal();
  const fs::path inside = whole.lexically_relative(fs::current_path());
  const bool leaves = inside.empty() || *inside.begin() == "..";
  return {(leaves ? given.lexically_normal() : inside).generic_string(), whole.generic_string()};
}

/// The same, as something that the scenario's file extends.
std::string from_folder_of(const std::string& scenario_file, const Place& place) {
  if (!is_path(place.here) || fs::path(place.here).is_absolute()) return place.here;
  const fs::path folder = fs::path(scenario_file).parent_path();
  const fs::path out = folder.empty() ? fs::path(place.here) : fs::path(place.here).lexically_relative(folder);
  return out.empty() ? place.anywhere : is_path(out.generic_string()) ? out.generic_string() : "./" + out.generic_string();
}

/// The chain of an object in the scenario or of a file; its files are noted.
std::vector<Document> chain_of(const Document& doc, const Source& source, TrainScenario& out) {
  std::vector<Document> chain = extension_chain(doc, source.what, source.folder);
  for (const Document& d : chain) out.files.emplace_back(d.name());
  return chain;
}

/// What an object in the scenario is called: as it says, or after what it changes.
std::string title(const std::vector<Document>& chain) {
  const std::optional<std::string> name = chain.front().root().find_text("name");
  return printable(name ? *name : chain.size() > 1 ? own_name(chain[1]) + ", changed" : "as the scenario says");
}

/// `load` takes a located name or a Document, and gives something that has a name.
template <class Load>
auto read_source(Section& root, const Source& source, const Document& doc, TrainScenario& out, const Load& load, std::optional<std::string> fallback = {}) {
  const auto found = doc.json().find(source.key);
  if (found != doc.json().end() && found->is_object()) {
    root.reader().ignore(source.key);
    Json value = *found;
    Json saved = value;
    if (const auto base = value.find("extends"); base != value.end() && base->is_string()) {
      const Place place = locate(base->get<std::string>(), doc.name());
      *base = from_folder_of(doc.name(), place);
      saved["extends"] = place.anywhere;
    }
    root.mirror(source.key, saved);
    const Document inside = Document::parse(value.dump(), doc.name() + ": " + source.key);  // its errors name the place already
    auto loaded = load(inside);
    loaded.name = title(chain_of(inside, source, out));
    return loaded;
  }
  if (found != doc.json().end() && !found->is_null() && !found->is_string())
    root.fail(source.key, "found " + shortened(found->dump()) + ", allowed is a name, a path or an object");
  const Place place = locate(fallback ? root.text_or(source.key, *fallback) : root.text(source.key), doc.name());
  root.mirror(source.key, place.anywhere);
  try {
    auto loaded = load(place.here);
    chain_of(Document::load(resolve_named_file(place.here, source.folder, source.what)), source, out);
    return loaded;
  } catch (const InputError& e) { root.fail(source.key, e.what()); }
}

}  // namespace

void read_sources(Section& root, const Document& doc, const fs::path& data, TrainScenario& out) {
  out.files.emplace_back(doc.name());
  const Source model{"model", "model", data / "models"}, machine{"hardware", "hardware profile", data / "hw_profiles"},
      stack{"stack", "stack", data / "hw_profiles" / "stacks"};
  out.model = read_source(root, model, doc, out, [&](const auto& source) { return load_model(source, data); });
  out.hardware = read_source(root, machine, doc, out, [&](const auto& source) { return load_hw_profile(source, data); });
  out.stack = read_source(root, stack, doc, out, [&](const auto& source) { return load_stack(source, data); }, scenario_default::kStack);
}

}  // namespace moesim
