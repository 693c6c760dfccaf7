// moesim compare
#include "analysis/train_report.h"
#include "app/command.h"
#include "app/options.h"
#include "app/scenario_options.h"
#include "base/error.h"
#include "report/compare_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

class CompareCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim compare A B [OPTIONS]\n\nSimulates two training scenarios (files or names) and shows where the difference\n"
           "in step time comes from. Options apply to both. Exit status 1 if one\ndoes not fit in memory.\n\n" + describe(scenario_options());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = scenario_options();
    auto add = known.add_options();
    add("a", po::value<std::string>());
    add("b", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"a", "b"});
    if (!v.count("a") || !v.count("b")) throw InputError("compare: expected two scenarios");
    const auto report = [&](const std::string& key) { return train(read_train_scenario(scenario_document(v, key, context), context.data)); };
    const TrainReport a = report("a"), b = report("b");
    context.out << compare_text(a, b, context.width);
    return a.memory.fits() && b.memory.fits() ? 0 : 1;
  }
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace moesim
