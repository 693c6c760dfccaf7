#include "base/output_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

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

}  // namespace

struct OutputFile::State {
  fs::path target, temporary;
  std::ofstream stream;
  bool committed = false;
};

OutputFile::OutputFile(fs::path target) : state_(std::make_unique<State>()) {
  state_->target = std::move(target);
  std::error_code none;
  if (fs::is_directory(state_->target, none)) fail(state_->target, "it is a folder");
  state_->temporary = beside(state_->target);
  errno = 0;
  state_->stream.open(state_->temporary, std::ios::binary);
  if (!state_->stream) fail(state_->target, last_reason());
}

OutputFile::~OutputFile() {
  if (state_->committed) return;
  state_->stream.close();
  std::error_code none;
  fs::remove(state_->temporary, none);
}

std::ostream& OutputFile::stream() { return state_->stream; }

void OutputFile::commit() {
  errno = 0;
  state_->stream.close();
  if (!state_->stream) fail(state_->target, last_reason());
  std::error_code error;
  if (const fs::file_status old = fs::status(state_->target, error); fs::exists(old)) fs::permissions(state_->temporary, old.permissions(), error);
  error.clear();
  fs::rename(state_->temporary, state_->target, error);
  if (error) fail(state_->target, error.message());
  state_->committed = true;
}

void write_file(const fs::path& target, std::string_view text) {
  std::error_code none;
  if (fs::exists(target, none) && !fs::is_regular_file(target, none) && !fs::is_directory(target, none)) {
    errno = 0;
    std::ofstream out(target, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail(target, last_reason());
    return;
  }
  OutputFile file(target);
  file.stream() << text;
  file.commit();
}

}  // namespace moesim
