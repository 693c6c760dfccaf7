// Chains of files in which one extends another. Each keeps its own document, so that every number keeps its own source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/document.h"

namespace moesim {

/// The document, what it extends, what that extends, and so on. "extends" is a name under `folder` or a path relative to the document
/// that says it. Throws InputError: not found, or more than 8 in a chain (a circle).
std::vector<Document> extension_chain(const Document& document, const std::string& what, const std::filesystem::path& folder);

/// The "name" of a document, or that of its file where there is none.
std::string own_name(const Document&);

}  // namespace moesim
