#include "base/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace moesim {
namespace fs = std::filesystem;
namespace {

/// Beside the target, a name that nobody else uses.
fs::path beside(const fs::path& target) {
  fs::path out = target;
  for (int n = 0;; ++n) {
    out = target;
    out += ".part" + std::to_string(n);
    std::error_code none;
    if (!fs::exists(fs::symlink_status(out, none))) return out;
  }
}

[[noreturn]] void fail(const fs::path& target, const std::string& reason) { throw InputError("cannot write " + target.string() + ": " + reason); }

std::string last_reason() { return errno ? std::strerror(errno) : "unknown error"; }

/// The N of /dev/fd/N and /proc/self/fd/N: opened anew it would have a position of its own and overwrite what stands there.
std::optional<int> descriptor(const fs::path& target) {
  for (const std::string prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::string text = target.string(), digits = text.substr(std::min(prefix.size(), text.size()));
    if (text.starts_with(prefix) && !digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos) return std::stoi(digits);
  }
  return std::nullopt;
}

/// Where the links at `target` lead, step by step: a link is not replaced by a file, and one into /proc (/dev/stdout is one) is not resolved
/// to the file behind a redirection.
fs::path followed(fs::path target) {
  std::error_code none;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(target, none)); ++links) {
    if (target.string().starts_with("/proc/") || descriptor(target)) break;
    target = target.parent_path() / fs::read_symlink(target, none);
  }
  return target;
}

void write_to_descriptor(int fd, std::string_view text, const fs::path& target) {
  while (!text.empty()) {
    errno = 0;
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(target, last_reason());
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

namespace {

/// A file without a name in `folder`, which goes with the process however that ends; where the file system has none, -1.
int open_unnamed(const fs::path& folder) {
#if defined(O_TMPFILE) && !defined(__EMSCRIPTEN__)
  return open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
  (void)folder;
  return -1;
#endif
}

fs::path path_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace

struct OutputFile::State {
  ~State() {
    if (unnamed >= 0) close(unnamed);
  }

  /// Gives the unnamed file the name of the temporary one.
  bool take_name() {
    do temporary = beside(target);
    while (linkat(AT_FDCWD, path_of(unnamed).c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0 && errno == EEXIST);
    std::error_code none;
    return fs::exists(temporary, none);
  }

  int unnamed = -1;
  fs::path target, temporary;   // the latter empty while the file has no name
  std::ofstream stream;
  bool committed = false;
};

OutputFile::OutputFile(fs::path target) : state_(std::make_unique<State>()) {
  state_->target = followed(std::move(target));
  std::error_code none;
  if (fs::is_directory(state_->target, none)) fail(state_->target, "it is a folder");
  state_->unnamed = open_unnamed(state_->target.parent_path());
  if (state_->unnamed >= 0) state_->stream.open(path_of(state_->unnamed), std::ios::binary);
  if (state_->stream.is_open()) return;
  state_->stream.clear();
  state_->temporary = beside(state_->target);
  errno = 0;
  state_->stream.open(state_->temporary, std::ios::binary);
  if (!state_->stream) fail(state_->target, last_reason());
}

OutputFile::~OutputFile() {
  if (state_->committed) return;
  state_->stream.close();
  std::error_code none;
  if (!state_->temporary.empty()) fs::remove(state_->temporary, none);
}

std::ostream& OutputFile::stream() { return state_->stream; }

void OutputFile::commit() {
  if (state_->stream) errno = 0;   // else it says why an earlier write failed
  state_->stream.close();
  if (!state_->stream) fail(state_->target, last_reason());
  if (state_->temporary.empty() && !state_->take_name()) fail(state_->target, last_reason());
  std::error_code error;
  if (const fs::file_status old = fs::status(state_->target, error); fs::exists(old)) fs::permissions(state_->temporary, old.permissions(), error);
  error.clear();
  fs::rename(state_->temporary, state_->target, error);
  if (error) fail(state_->target, error.message());
  state_->committed = true;
}

void write_file(const fs::path& target, std::string_view text) {
  const fs::path real = followed(target);
  if (const auto fd = descriptor(real)) return write_to_descriptor(*fd, text, target);
  std::error_code none;
  if (fs::exists(real, none) && !fs::is_regular_file(real, none) && !fs::is_directory(real, none)) {
    errno = 0;
    std::ofstream out(real, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail(target, last_reason());
    return;
  }
  OutputFile file(real);
  errno = 0;
  file.stream() << text;
  file.commit();
}

}  // namespace moesim
