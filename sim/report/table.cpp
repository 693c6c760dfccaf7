#include "report/table.h"

#include <algorithm>
#include <cmath>

#include "base/unit_text.h"

namespace moesim {

std::size_t columns(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths(align_.size(), 0);
  for (const Row& r : rows_)
    for (std::size_t c = 0; c < r.cells.size(); ++c) widths[c] = std::max(widths[c], columns(r.cells[c]));
  std::string out;
  for (const auto& [cells, heading] : rows_) {
    if (cells.empty()) {
      out += heading + "\n";
      continue;
    }
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string pad(widths[c] - columns(cells[c]), ' ');
      line += (c ? "  " : "") + (align_[c] == Align::left ? cells[c] + pad : pad + cells[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string share_text(double share) { return significant(share * 100, std::abs(share) >= 0.1 ? 3 : 2) + " %"; }
std::string seconds_text(double seconds) { return to_text(time_from_seconds(seconds)); }

std::string bar(double share, std::size_t width) {
  static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto units = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8));
  std::string out;
  for (std::size_t i = 0; i < units / 8; ++i) out += "█";
  return out + std::string(eighths[units % 8]);
}

namespace {

/// Bytes of the first `n` characters.
std::size_t bytes_of(std::string_view utf8, std::size_t n) {
  std::size_t i = 0;
  for (; i < utf8.size(); ++i)
    if (columns(utf8.substr(i, 1)) == 1 && n-- == 0) break;
  return i;
}

/// Words of a text; those that no line of `room` columns holds, in pieces that fill one.
std::vector<std::string_view> words_of(std::string_view text, std::size_t room) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find_first_of(" \n\t"), text.size());
    std::string_view word = text.substr(0, space);
    for (; room > 0 && columns(word) > room; word.remove_prefix(bytes_of(word, room))) out.push_back(word.substr(0, bytes_of(word, room)));
    out.push_back(word);
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t used = indent;
  for (const std::string_view word : words_of(text, width > indent ? width - indent : 0)) {
    if (used > indent && used + 1 + columns(word) > width) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      out += " ";
      ++used;
    }
    out += word;
    used += columns(word);
  }
  return out;
}

}  // namespace moesim
