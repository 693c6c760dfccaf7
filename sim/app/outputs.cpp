#include "app/outputs.h"

#include "base/error.h"
#include "base/output_file.h"

namespace moesim {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStandardOutput = "-";

/// Whether writing one would replace the other. Devices may be shared.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  if (fs::exists(a, none) && !fs::is_regular_file(a, none)) return false;
  if (fs::exists(a, none) && fs::exists(b, none)) return fs::equivalent(a, b, none);
  return fs::weakly_canonical(fs::absolute(a, none), none) == fs::weakly_canonical(fs::absolute(b, none), none);
}

/// Before the work rather than after it. What only writing can tell (a full disk) is told then.
void refuse_unwritable(const fs::path& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) throw InputError("cannot write " + file.string() + ": it is a folder");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, none)) throw InputError("cannot write " + file.string() + ": No such file or directory");
}

}  // namespace

Outputs::Outputs(const boost::program_options::variables_map& v, const std::vector<std::string>& options, const CommandContext& context)
    : context_(context) {
  for (const std::string& option : options) {
    if (!v.count(option)) continue;
    const Target target{"--" + option, v[option].as<std::string>()};
    if (target.file.empty()) throw InputError(target.option + ": found \"\", allowed is a file, or - for standard output");
    for (const Target& other : targets_) {
      if (target.file == kStandardOutput && other.file == kStandardOutput)
        throw InputError(other.option + " and " + target.option + ": found - for both, allowed is standard output for one of them");
      if (target.file != kStandardOutput && other.file != kStandardOutput && same_file(target.file, other.file))
        throw InputError(other.option + " and " + target.option + ": found " + target.file + " for both, allowed is a file for each");
    }
    if (target.file != kStandardOutput) refuse_unwritable(target.file);
    on_standard_output_ = on_standard_output_ || target.file == kStandardOutput;
    targets_.push_back(target);
  }
}

const Outputs::Target* Outputs::find(const std::string& option) const {
  for (const Target& t : targets_)
    if (t.option == "--" + option) return &t;
  return nullptr;
}

void Outputs::refuse_inputs(const std::vector<fs::path>& inputs) const {
  for (const Target& t : targets_)
    for (const fs::path& input : inputs)
      if (t.file != kStandardOutput && same_file(t.file, input))
        throw InputError(t.option + ": found " + t.file + ", which this run reads; allowed is another file");
}

void Outputs::put(const std::string& option, std::string_view text) {
  const Target* target = find(option);
  if (!target) return;
  if (target->file == kStandardOutput) kept_ = text;
  else write_file(target->file, text);
}

void Outputs::print(const std::string& text) const { context_.out << (on_standard_output_ ? kept_ : text); }

}  // namespace moesim
