// Runs the built moesim as a user would, and keeps what it said.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace moesim {

struct ProgramRun {
  int status = 0;        // exit status; a signal is 128 + its number, as in a shell
  std::string out, err;
};

struct RunOptions {
  std::map<std::string, std::string> environment{};  // on top of the test's own
  std::filesystem::path directory{};                // where it runs; empty: the source folder
  std::string out_to{};                             // a file that standard output goes to, instead of `out`
  std::optional<long> largest_file{};               // bytes a file may have, as with `ulimit -f`
  bool unprivileged = false;                        // not as root, even if the test is
  std::string program{};                            // empty: the one that was built
};

ProgramRun moesim_run(const std::vector<std::string>& args, const RunOptions& = {});

/// A folder of its own, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string file_text(const std::filesystem::path&);
void put_text(const std::filesystem::path&, const std::string& text);
std::vector<std::string> lines_of(const std::string& text);
/// Names in a folder, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace moesim
