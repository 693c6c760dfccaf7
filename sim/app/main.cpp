// moesim: the command line. Exit status: 0 ok, 1 the answer is no, 2 bad input, 3 internal error.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "app/command.h"
#include "app/data_dir.h"
#include "app/printable_stream.h"
#include "base/error.h"

namespace {

using namespace moesim;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) return std::min<std::size_t>(size.ws_col, 160);
  const char* columns = std::getenv("COLUMNS");
  const long set = columns ? std::strtol(columns, nullptr, 10) : 0;
  return set >= 60 && set <= 160 ? static_cast<std::size_t>(set) : 80;
}

void print_help(std::ostream& out) {
  out << "moesim simulates training steps of Mixture-of-Experts models on GPU machines.\n\nUsage: moesim COMMAND [ARGUMENTS]\n\nCommands:\n";
  const Registry<Command> registry = commands();
  for (const auto& e : registry.entries()) out << "  " << e.name << std::string(10 - std::min<std::size_t>(9, e.name.size()), ' ') << e.help << "\n";
  out << "\n`moesim help COMMAND` describes one. Exit status: 0 ok, 1 the answer is no (does\n"
         "not fit), 2 bad input, 3 internal error. Data: $MOESIM_DATA, else as installed.\n";
}

/// `moesim help`, `moesim help COMMAND`.
int help(const std::vector<std::string>& args, std::ostream& out) {
  if (args.size() > 1) throw InputError("help: expected one command");
  if (args.empty()) print_help(out);
  else out << commands().make(args[0])->usage();
  return 0;
}

int run(std::vector<std::string> args, std::ostream& out, std::ostream& err) {
  if (args.empty()) {
    print_help(err);
    return 2;
  }
  const std::string word = args[0];
  args.erase(args.begin());
  const auto asks = [](const std::string& a) { return a == "--help" || a == "-h"; };
  if (word == "help" || asks(word)) return help(args, out);
  if (word == "--version") {
    out << "moesim " << MOESIM_VERSION << "\n";
    return 0;
  }
  const auto command = commands().make(word);
  if (std::any_of(args.begin(), args.end(), asks)) return help({word}, out);
  return command->run(args, {data_dir(), out, err, terminal_width(), isatty(STDERR_FILENO) == 1 ? &std::cerr : nullptr});
}

/// An error is one line, whatever it quotes.
int fail(std::ostream& err, const std::string& message, int status) {
  err << "moesim: " << moesim::printable(message) << "\n";
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  PrintableStream out(std::cout), err(std::cerr);
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    for (const std::string& a : args)
      if (!is_utf8(a)) throw InputError("found the argument \"" + shortened(a) + "\", allowed is UTF-8");
    const int status = run(args, out, err);
    if (!out.flush()) throw InputError("cannot write standard output");
    return status;
  } catch (const InputError& e) {
    return fail(err, e.what(), 2);
  } catch (const AnswerNo& e) {
    return fail(err, e.what(), 1);
  } catch (const std::filesystem::filesystem_error& e) {   // folders without permission, links that go in a circle
    return fail(err, e.path1().string() + ": cannot read: " + e.code().message(), 2);
  } catch (const std::bad_alloc&) {
    return fail(err, "out of memory: fewer micro-batches (batch.global_batch_size) or layers take less, and so does --detail fold instead of ranks", 3);
  } catch (const std::exception& e) { return fail(err, std::string("internal error: ") + e.what(), 3); }
}
