#include "base/extends.h"

#include <algorithm>

#include "base/error.h"
#include "base/named_file.h"
#include "base/reader.h"

namespace moesim {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestChain = 16;

fs::path base_file(const Document& document, const std::string& base, const std::string& what, const fs::path& folder) {
  if (is_path(base)) return (fs::path(document.name()).parent_path() / base).lexically_normal();
  try {
    return resolve_named_file(base, folder, what);
  } catch (const InputError& e) {
    document.root().fail("extends", e.what());
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  return fs::equivalent(a, b, none);
}

/// Whether a document that extends another says anything of its own.
bool changes_something(const Document& document) {
  const std::vector<std::string> keys = document.root().keys();
  return std::any_of(keys.begin(), keys.end(), [](const std::string& key) { return key != "extends" && !key.starts_with("_"); });
}

/// `file` is in the chain already: the files from there on, and back.
[[noreturn]] void refuse_circle(const std::vector<Document>& chain, const std::string& base, const fs::path& file) {
  std::string files;
  bool inside = false;
  for (const Document& d : chain) {
    inside = inside || same_file(d.name(), file);
    if (inside) files += fs::path(d.name()).lexically_normal().string() + " -> ";
  }
  chain.back().root().fail("extends", "found \"" + shortened(base) + "\", which closes a circle: " + files + file.lexically_normal().string());
}

}  // namespace

std::vector<Document> extension_chain(const Document& document, const std::string& what, const fs::path& folder) {
  std::vector<Document> chain{document};
  while (const std::optional<std::string> base = chain.back().root().find_text("extends")) {
    const fs::path file = base_file(chain.back(), *base, what, folder);
    if (std::any_of(chain.begin(), chain.end(), [&](const Document& d) { return same_file(d.name(), file); })) refuse_circle(chain, *base, file);
    if (chain.size() == kLongestChain)
      document.root().fail("extends", "found a chain of more than " + std::to_string(kLongestChain) + " files");
    Document next = Document::load(file);
    (void)next.root();  // refuses what is not an object
    chain.push_back(std::move(next));
  }
  return chain;
}

Document with_extends(const Document& document, const std::string& what, const fs::path& folder, std::span<const std::string_view> facts, Null null) {
  const std::vector<Document> chain = extension_chain(document, what, folder);
  Document out = chain.back();
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    if (changes_something(chain[i]))
      for (const std::string_view fact : facts) out = out.without(fact);
    out = out.merged(chain[i].without("extends"), null).renamed(chain[i].name());
  }
  return out;
}

std::string own_name(const Document& document) {
  const std::optional<std::string> name = document.root().find_text("name");
  return name ? *name : short_name(document.name());
}

}  // namespace moesim
