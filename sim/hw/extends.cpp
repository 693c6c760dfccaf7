#include "hw/extends.h"

#include "base/error.h"
#include "base/named_file.h"
#include "base/reader.h"

namespace moesim {

namespace {

constexpr std::size_t kLongestChain = 8;

bool is_path(const std::string& text) { return text.find('/') != std::string::npos || text.ends_with(".json"); }

// File of the profile that `document` calls `base`.
std::filesystem::path base_file(const Document& document, const std::string& base, const std::string& what,
                                const std::filesystem::path& folder) {
  if (is_path(base)) return std::filesystem::path(document.name()).parent_path() / base;
  try {
    return resolve_named_file(base, folder, what);
  } catch (const InputError& e) {
    document.root().fail("extends", e.what());
  }
}

}  // namespace

std::vector<Document> extension_chain(const Document& document, const std::string& what, const std::filesystem::path& folder) {
  std::vector<Document> chain{document};
  while (const std::optional<std::string> base = chain.back().root().find_text("extends")) {
    if (chain.size() == kLongestChain)
      document.root().fail("extends", "found a chain of more than " + std::to_string(kLongestChain) + " profiles; does one extend itself?");
    chain.push_back(Document::load(base_file(chain.back(), *base, what, folder)));
  }
  return chain;
}

std::string own_name(const Document& document) {
  const std::optional<std::string> name = document.root().find_text("name");
  return name ? *name : std::filesystem::path(document.name()).stem().string();
}

}  // namespace moesim
