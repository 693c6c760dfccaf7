#include "calibration/table_file.h"

#include <lzma.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/file_text.h"

namespace moesim {
namespace {

std::string reason(lzma_ret code) {
  switch (code) {
    case LZMA_FORMAT_ERROR: return "not an xz file";
    case LZMA_DATA_ERROR: return "the xz data is damaged, or something else follows it";
    case LZMA_BUF_ERROR: return "the xz data is cut short";
    case LZMA_MEMLIMIT_ERROR: return "unpacking takes too much memory";
    default: return "xz cannot unpack it (error " + std::to_string(code) + ")";
  }
}

// Ends the decoder however its user leaves.
struct Decoder {
  lzma_stream stream = LZMA_STREAM_INIT;
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { lzma_end(&stream); }
};

}  // namespace

std::string unpacked_xz(std::string_view packed, const std::string& file, std::size_t most) {
  constexpr std::uint64_t kMemory = std::uint64_t{1} << 28;
  Decoder d;
  if (const lzma_ret code = lzma_stream_decoder(&d.stream, kMemory, LZMA_CONCATENATED); code != LZMA_OK) throw InputError(file + ": " + reason(code));
  d.stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  d.stream.avail_in = packed.size();
  std::string out;
  std::array<char, 1 << 16> piece;
  for (lzma_ret code = LZMA_OK; code != LZMA_STREAM_END;) {
    d.stream.next_out = reinterpret_cast<std::uint8_t*>(piece.data());
    d.stream.avail_out = piece.size();
    code = lzma_code(&d.stream, LZMA_FINISH);
    if (code != LZMA_OK && code != LZMA_STREAM_END) throw InputError(file + ": " + reason(code));
    out.append(piece.data(), piece.size() - d.stream.avail_out);
    if (out.size() > most) throw InputError(file + ": more than " + std::to_string(most) + " bytes when unpacked");
  }
  return out;
}

std::string read_table_text(const std::filesystem::path& path) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";   // that spreadsheets begin UTF-8 with
  std::string text = read_file(path);
  if (path.extension() == ".xz") text = unpacked_xz(text, path.string());
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string_view table_head(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size()), first = text.find_first_not_of(" \t\r", at);
    if (first < end && text[first] != '#') return text.substr(0, end);
    at = end + 1;
  }
  return text;
}

CsvTable load_csv(const std::filesystem::path& path) { return CsvTable::parse(read_table_text(path), path.string()); }

}  // namespace moesim
