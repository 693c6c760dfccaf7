#include "support/program.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace moesim {
namespace fs = std::filesystem;
namespace {

/// In the child: never returns.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& args, const RunOptions& o, const fs::path& out, const fs::path& err) {
  const auto redirect = [](const fs::path& file, int to) {
    const int from = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (from < 0 || dup2(from, to) < 0) _exit(126);
  };
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  unsetenv("MOESIM_DATA");   // the test's, not the caller's
  for (const auto& [key, value] : o.environment) setenv(key.c_str(), value.c_str(), 1);
  if (chdir(o.directory.empty() ? MOESIM_SOURCE_DIR : o.directory.c_str()) != 0) _exit(126);
  if (o.largest_file) {
    std::signal(SIGXFSZ, SIG_IGN);   // so that a write fails, as on a full disk
    const rlimit limit{static_cast<rlim_t>(*o.largest_file), static_cast<rlim_t>(*o.largest_file)};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(126);
  }
  constexpr int kNobody = 65534;
  if (o.unprivileged && geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(126);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& a : args) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

}  // namespace

ProgramRun moesim_run(const std::vector<std::string>& args, const RunOptions& o) {
  const Scratch scratch;
  const std::string program = o.program.empty() ? MOESIM_PROGRAM : o.program;
  const fs::path out = o.out_to.empty() ? scratch / "out" : fs::path(o.out_to), err = scratch / "err";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(program, args, o, out, err);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), o.out_to.empty() ? file_text(out) : "", file_text(err)};
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "moesim-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder in " + fs::temp_directory_path().string());
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code none;
  fs::remove_all(path_, none);
}

std::string file_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void put_text(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& e : fs::directory_iterator(folder)) out.push_back(e.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace moesim
