#include "base/file_text.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/error.h"

namespace moesim {

std::string read_file(const std::filesystem::path& file) {
  constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(status)) throw InputError(file.string() + ": cannot read: it is a folder");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  for (std::vector<char> chunk(1 << 16); in && text.size() <= kMaxBytes;) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kMaxBytes) throw InputError(file.string() + ": cannot read: larger than 256 MiB");
  if (!in.eof()) throw InputError(file.string() + ": cannot read: " + (errno ? std::strerror(errno) : "unknown error"));
  return text;
}

}  // namespace moesim
