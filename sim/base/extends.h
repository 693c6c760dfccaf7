// Chains of files in which one extends another.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"

namespace moesim {

/// The document, what it extends, what that extends, and so on: each keeps its own name, so that every value can keep its own source.
/// "extends" is a name under `folder` (of a `what`) or a path relative to the document that says it. Throws InputError: not found, not an
/// object, a circle (with its files), more than 16 in a chain.
std::vector<Document> extension_chain(const Document& document, const std::string& what, const std::filesystem::path& folder);

/// The chain as one document under the name of the first: keys of the extending document win, "extends" itself is gone. `facts` are keys
/// that say something about a document as it is: one that changes anything (but remarks, whose keys start with "_") does not inherit them.
Document with_extends(const Document& document, const std::string& what, const std::filesystem::path& folder,
                      std::span<const std::string_view> facts = {}, Null = Null::removes);

/// The "name" of a document, or that of its file where there is none.
std::string own_name(const Document&);

}  // namespace moesim
