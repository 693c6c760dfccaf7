// Files that are either whole or absent: written apart, then renamed to the target.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string_view>

namespace moesim {

class OutputFile {
 public:
  /// Opens a file in the folder of `target` that has no name yet, so that nothing stays if the process is killed; where the file system has no
  /// such files, a temporary one beside `target`. Throws InputError ("cannot write X: reason").
  explicit OutputFile(std::filesystem::path target);
  /// Removes the temporary file unless commit() succeeded.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream();
  /// Flushes, checks and renames. Throws InputError when the disk is full or the rename fails; the old target is then untouched.
  /// A target that was there keeps its permissions.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole of `text` into `target`, or an InputError and no change. A link is followed, not replaced; "/dev/stdout" and other
/// non-regular files are written directly.
void write_file(const std::filesystem::path& target, std::string_view text);

}  // namespace moesim
