// moesim hw
#include "app/command.h"
#include "app/options.h"
#include "report/hw_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

class HwCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim hw NAME|profile.json\n\nPrints a machine profile: peaks, what long runs sustain, links, and every\nnumber with its grade and source.\n";
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known;
    known.add_options()("hardware", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"hardware"});
    if (!v.count("hardware")) throw InputError("hw: expected a name (see `moesim list hardware`) or a profile JSON");
    const HwProfile profile = load_hw_profile(v["hardware"].as<std::string>(), context.data);
    for (const std::string& w : profile.warnings) context.err << "moesim: warning: " << w << "\n";
    context.out << hw_text(profile, context.width);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_hw_command() { return std::make_unique<HwCommand>(); }

}  // namespace moesim
