// The progress line of long runs: only on a terminal, and gone when the run is over.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"

namespace moesim {
namespace {

/// What the program writes to a terminal that is its standard error, until it has shown progress (then it is ended) or is over.
std::string on_terminal(const std::vector<std::string>& args, bool until_progress) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) throw std::runtime_error("no pseudo-terminal");
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    std::vector<char*> words{const_cast<char*>(MOESIM_PROGRAM)};
    for (const std::string& a : args) words.push_back(const_cast<char*>(a.c_str()));
    words.push_back(nullptr);
    if (chdir(MOESIM_SOURCE_DIR) == 0) execv(MOESIM_PROGRAM, words.data());
    _exit(127);
  }
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<std::size_t>(n));
    if (until_progress && out.find("micro-batch") != std::string::npos) kill(child, SIGTERM);
  }
  close(terminal);
  waitpid(child, nullptr, 0);
  return out;
}

class ProgressLine : public testing::Test {
 protected:
  void SetUp() override {
    int terminal = -1, program = -1;
    if (openpty(&terminal, &program, nullptr, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo-terminals here: " << std::strerror(errno);
    close(terminal);
    close(program);
  }
};

// As many micro-batches as there may be: minutes of work, of which the first two seconds are waited for.
const std::vector<std::string> kLong{"train", "mixtral-8x7b-64xh100", "--seq-length", "8", "--global-batch-size", "1048576", "--allow-oom"};

TEST_F(ProgressLine, SaysOnATerminalHowFarALongRunIs) {
  const std::string out = on_terminal(kLong, true);
  EXPECT_NE(out.find("\r\x1b[Kmoesim: simulating, "), std::string::npos) << out;
  EXPECT_NE(out.find(" of 65536"), std::string::npos) << out;
}

TEST_F(ProgressLine, SaysThatItWatchesTheFirstOfManySamples) {
  std::vector<std::string> args = kLong;
  args.insert(args.end(), {"--samples", "9"});
  const std::string out = on_terminal(args, true);
  EXPECT_NE(out.find(" of 65536 of the first of 9 samples"), std::string::npos) << out;
}

TEST_F(ProgressLine, IsNotWrittenByAShortRun) { EXPECT_EQ(on_terminal({"train", "first-moe-8xh100"}, false), ""); }

}  // namespace
}  // namespace moesim
