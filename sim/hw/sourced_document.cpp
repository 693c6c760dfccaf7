#include "hw/sourced_document.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/json.h"
#include "base/json_merge.h"

namespace moesim {

namespace {

// Values that are words about the machine rather than numbers.
constexpr std::array<std::string_view, 7> kTexts{"name", "description", "extends", "fabric", "kind", "curves", "fp8_format"};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// Takes { value, grade, source } apart in place and notes the origins.
class Splitter {
 public:
  Splitter(std::string file, std::map<std::string, ProfileNumber>& origins) : file_(std::move(file)), origins_(origins) {}

  void split(Json& node, const std::string& path) {
    if (node.is_object()) {
      for (auto& [key, child] : node.items())
        if (!key.starts_with("_")) member(child, key, joined(path, key));
    } else if (node.is_array()) {
      for (std::size_t i = 0; i < node.size(); ++i) split(node[i], joined(path, std::to_string(i)));
    }
  }

 private:
  void member(Json& child, const std::string& key, const std::string& path) {
    if (child.is_object() && child.contains("value")) {
      number(child, path);
    } else if (child.is_structured()) {
      split(child, path);
    } else if (!child.is_null() && !child.is_boolean() && std::find(kTexts.begin(), kTexts.end(), key) == kTexts.end()) {
      origins_[path] = {path, text_of(child), Grade::user, file_};
    }
  }

  void number(Json& node, const std::string& path) {
    static const std::vector<std::string> allowed{"value", "grade", "source"};
    for (const auto& [key, unused] : node.items())
      if (!key.starts_with("_") && std::find(allowed.begin(), allowed.end(), key) == allowed.end())
        fail(joined(path, key), "unknown key" + did_you_mean(key, allowed));
    ProfileNumber n{path, text_of(node["value"]), Grade::user, file_};
    if (node.contains("grade")) n.grade = grade(node["grade"], joined(path, "grade"));
    if (node.contains("source")) n.source = source(node["source"], joined(path, "source"));
    else if (n.grade != Grade::user) fail(joined(path, "source"), "missing");
    Json value = node["value"];
    node = std::move(value);
    origins_[path] = std::move(n);
  }

  Grade grade(const Json& value, const std::string& path) const {
    for (std::size_t g = 0; g < kGrades; ++g)
      if (value.is_string() && value.get_ref<const std::string&>() == name(static_cast<Grade>(g))) return static_cast<Grade>(g);
    fail(path, "found " + value.dump() + ", allowed is measured, spec, derived, assumed, recalled or user");
  }

  std::string source(const Json& value, const std::string& path) const {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      fail(path, "found " + value.dump() + ", allowed is a text that says where the value comes from");
    return value.get<std::string>();
  }

  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw InputError(file_ + ": " + path + ": " + message);
  }

  std::string file_;
  std::map<std::string, ProfileNumber>& origins_;
};

}  // namespace

SourcedDocument::SourcedDocument(const Document& document) : name_(document.name()) {
  (void)document.root();  // refuses what is not an object
  Json values = document.json();
  Splitter(name_, origins_).split(values, "");
  values_ = std::make_shared<const Json>(std::move(values));
}

SourcedDocument SourcedDocument::merged(const SourcedDocument& base, const SourcedDocument& over) {
  SourcedDocument out;
  out.name_ = over.name_;
  Json values = *base.values_;
  merge_json(values, *over.values_, over.name_);
  out.values_ = std::make_shared<const Json>(std::move(values));
  out.origins_ = base.origins_;
  for (const auto& [path, number] : over.origins_) out.origins_.insert_or_assign(path, number);
  return out;
}

Reader SourcedDocument::root() const { return Reader(*values_, name_, ""); }

const ProfileNumber& SourcedDocument::origin(const std::string& path) const {
  const auto found = origins_.find(path);
  if (found == origins_.end()) throw InternalError(name_ + ": " + path + ": a number without origin");
  return found->second;
}

SourcedReader::SourcedReader(const SourcedDocument& document, std::vector<ProfileNumber>& numbers)
    : document_(&document), numbers_(&numbers), reader_(document.root()) {}

SourcedReader::SourcedReader(const SourcedReader& parent, Reader reader, std::string path)
    : document_(parent.document_), numbers_(parent.numbers_), reader_(std::move(reader)), path_(std::move(path)) {}

SourcedReader SourcedReader::object(const std::string& key) {
  return SourcedReader(*this, reader_.object(key), joined(path_, key));
}

std::vector<SourcedReader> SourcedReader::objects(const std::string& key) {
  std::vector<SourcedReader> out;
  for (Reader& r : reader_.objects(key)) out.push_back(SourcedReader(*this, std::move(r), joined(joined(path_, key), std::to_string(out.size()))));
  return out;
}

Sourced<double> SourcedReader::share(const std::string& key, double most) {
  return take(key, reader_.number(key, {0.001, most}));
}

void SourcedReader::refuse(const std::string& key, const std::string& low, const std::string& high) const {
  const auto plain = [](std::string text) {  // "1.00 MB/s" -> "1 MB/s"
    const std::size_t point = text.find(".00 ");
    return point == std::string::npos ? text : text.erase(point, 3);
  };
  reader_.fail(key, "found \"" + shortened(document_->origin(joined(path_, key)).value) + "\", allowed is " + plain(low) + " to " + plain(high));
}

const ProfileNumber& SourcedReader::note(const std::string& key) {
  numbers_->push_back(document_->origin(joined(path_, key)));
  return numbers_->back();
}

}  // namespace moesim
