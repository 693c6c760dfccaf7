#include "app/given_values.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"

namespace moesim {
namespace {

/// Sections whose own errors are led by their name and a colon: "model: hidden_size: found 0".
std::string dotted(std::string text) {
  for (const char* section : {"model: ", "hardware: ", "stack: "})
    if (text.starts_with(section)) text.replace(text.find(": "), 2, ".");
  return text;
}

bool mentions(const std::string& text, const std::string& word) {
  const auto inside = [&](std::size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '-'); };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !inside(at - 1)) && !inside(at + word.size())) return true;
  return false;
}

}  // namespace

std::string with_flags(const std::string& message, const std::string& file, const std::vector<GivenValue>& given) {
  const std::string text = message.starts_with(file + ": ") ? message.substr(file.size() + 2) : message;
  const std::string place = dotted(text);
  std::string exact, mentioned;
  for (const GivenValue& g : given) {
    if (text.starts_with(g.path + ": ") || place.starts_with(g.path + ": ") || place.starts_with(g.path + ".")) exact = g.flag;   // the last one wins
    if (mentions(text, g.path.substr(g.path.rfind('.') + 1)) && mentioned.find(g.flag) == std::string::npos) mentioned += (mentioned.empty() ? "" : ", ") + g.flag;
  }
  const std::string& blamed = exact.empty() ? mentioned : exact;
  return blamed.empty() ? message : message + " (given by " + blamed + ")";
}

GivenValue given_by_set(const std::string& flag, const std::string& assignment) {
  std::string path = assignment.substr(0, assignment.find('='));
  std::replace(path.begin(), path.end(), '[', '.');
  path.erase(std::remove(path.begin(), path.end(), ']'), path.end());
  return {flag + " " + shortened(assignment), path};
}

}  // namespace moesim
