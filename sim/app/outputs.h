// Where a command's results go: files, or standard output for at most one of them, which then stands there instead of the text.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"

namespace moesim {

class Outputs {
 public:
  /// `options` are names of options whose value is a file or "-". Throws InputError: an empty name, "-" twice, one file for two outputs.
  Outputs(const boost::program_options::variables_map&, const std::vector<std::string>& options, const CommandContext&);

  bool wanted(const std::string& option) const { return find(option) != nullptr; }
  /// Throws InputError if an output is one of the files that the command reads.
  void refuse_inputs(const std::vector<std::filesystem::path>& inputs) const;
  /// Writes a file at once; what goes to standard output is printed by print().
  void put(const std::string& option, std::string_view text);
  /// What went to "-", or else `text`.
  void print(const std::string& text) const;
  bool takes_standard_output() const { return on_standard_output_; }

 private:
  struct Target {
    std::string option, file;
  };
  const Target* find(const std::string& option) const;

  std::vector<Target> targets_;
  bool on_standard_output_ = false;
  std::string kept_;
  const CommandContext& context_;
};

}  // namespace moesim
