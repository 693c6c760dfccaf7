// moesim memory
#include "app/command.h"
#include "app/options.h"
#include "app/outputs.h"
#include "app/scenario_options.h"
#include "report/memory_text.h"
#include "report/table.h"
#include "report/train_json.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

po::options_description outputs() {
  po::options_description out("Output");
  out.add_options()("json", po::value<std::string>(), "write the table as JSON to a file (- for standard output, instead of the text)");
  return out;
}

class MemoryCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim memory SCENARIO [OPTIONS]\n\nPrints what each pipeline stage must hold. Exit status 1 if the\nfullest does not fit.\n\n" +
           describe(scenario_options()) + "\n" + describe(outputs());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = scenario_options();
    known.add(outputs()).add_options()("scenario", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"scenario"});
    Outputs out(v, {"json"}, context);
    const TrainScenario scenario = read_scenario(scenario_document(v, "scenario", context), given_values(v), context);
    out.refuse_inputs(scenario.files);
    const MemoryReport report = memory(scenario);
    out.put("json", to_json(report));
    out.print(scenario.name + "\n" + stages_text(report) + wrap(likely_peak(report, scenario.hardware.name), 80, 0) + "\n");
    if (report.fits()) return 0;
    throw AnswerNo(does_not_fit(report));
  }
};

}  // namespace

std::unique_ptr<Command> make_memory_command() { return std::make_unique<MemoryCommand>(); }

}  // namespace moesim
