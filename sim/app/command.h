// One subcommand of the command line: parses its arguments, calls the library, prints results. One file each under commands/.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/registry.h"

namespace moesim {

struct CommandContext {
  std::filesystem::path data;    // folder with models/, hw_profiles/, scenarios/
  std::ostream& out;             // results only
  std::ostream& err;             // progress and diagnostics
  std::size_t width = 80;        // columns of the terminal
  std::ostream* terminal = nullptr;   // standard error, if it is a terminal: for what moves its cursor
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string usage() const = 0;     // the text of `moesim NAME --help`
  /// Returns the exit status; throws InputError, AnswerNo.
  virtual int run(const std::vector<std::string>& args, const CommandContext&) = 0;
};

Registry<Command> commands();

}  // namespace moesim
