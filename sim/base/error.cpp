#include "base/error.h"

#include <algorithm>
#include <vector>

namespace moesim {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Insertions, deletions, substitutions and swaps of neighbours cost two, another case of a letter one.
std::size_t edit_cost(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = std::move(row);
    row.assign(b.size() + 1, 2 * i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      row[j] = std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 2);
    }
  }
  return row[b.size()];
}

bool is_continuation(unsigned char c) { return (c & 0xC0) == 0x80; }

/// Characters that act on a terminal or turn the text around instead of being shown: control characters, and marks of direction and line.
bool acts(std::string_view c) {
  const auto first = static_cast<unsigned char>(c[0]);
  if (c.size() == 1) return first < 0x20 || first == 0x7F;
  const auto second = static_cast<unsigned char>(c[1]);
  if (c.size() == 2) return first == 0xC2 && second < 0xA0;
  if (c.size() != 3 || first != 0xE2) return false;
  const auto third = static_cast<unsigned char>(c[2]);
  return (second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE))) || (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

/// Length of the well-formed UTF-8 character at the front, 0 if it is broken.
std::size_t character(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x80) return 1;
  const std::size_t n = c >= 0xF0 && c < 0xF5 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
  if (n == 0 || c >= 0xF5 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if (!is_continuation(static_cast<unsigned char>(text[i]))) return 0;
  return n;
}

/// Takes the first character off `text` and appends it, escaped byte by byte if it cannot be shown.
void take_character(std::string_view& text, std::string& out) {
  static constexpr char hex[] = "0123456789abcdef";
  const std::size_t n = character(text), length = std::max<std::size_t>(n, 1);
  if (n != 0 && !acts(text.substr(0, n))) out += text.substr(0, n);
  else
    for (const char byte : text.substr(0, length)) out += {'\\', 'x', hex[static_cast<unsigned char>(byte) >> 4], hex[byte & 15]};
  text.remove_prefix(length);
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 64) return "";
  // A slip changes a few characters: up to a third of the word, at least one, at most four.
  constexpr std::size_t one_slip = 2;
  std::size_t best = 2 * std::clamp<std::size_t>(word.size() / 3, 1, 4) + 1;
  std::string found, longer;
  for (const std::string& c : candidates) {
    if (word.size() >= 4 && c.starts_with(word) && (longer.empty() || c.size() < longer.size())) longer = c;
    if (c.size() > word.size() + 4) continue;
    const std::size_t d = edit_cost(word, c);
    if (d < best) {
      best = d;
      found = c;
    }
  }
  // The beginning of a name says more than a likeness: "qwen3-235b" is "qwen3-235b-a22b" rather than "qwen3-32b".
  return longer.empty() || best <= one_slip ? found : longer;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string n = nearest(word, candidates);
  return n.empty() ? "" : "; did you mean \"" + n + "\"?";
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string out;
  while (!text.empty() && out.size() < most) take_character(text, out);
  return text.empty() ? out : out + "...";
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) take_character(text, out);
  return out;
}

}  // namespace moesim
