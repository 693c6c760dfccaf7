// moesim validate
#include "app/command.h"
#include "app/options.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "validation/bounds.h"
#include "validation/published.h"
#include "validation/residuals.h"
#include "validation/validation_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

po::options_description options() {
  po::options_description out("Options");
  auto add = out.add_options();
  add("group", po::value<std::string>(), "only the rows of one group");
  add("json", po::value<std::string>(), "write the report as JSON to a file (- for standard output, instead of the text)");
  add("csv", po::value<std::string>(), "write one CSV line a row (- as for --json)");
  add("check", po::bool_switch(), "exit with 1 if a group misses its bound in validate/published/bounds.json");
  add("residuals", po::bool_switch(), "print the spread of the errors as sim/analysis/interval.cpp holds it");
  return out;
}

class ValidateCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim validate published [OPTIONS]\n\nSimulates every published training step under validate/published/ and compares:\n"
           "measured, predicted, error, and how well each group does. No constant belongs\nto a row.\n\n" + describe(options());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = options();
    known.add_options()("what", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"what"});
    if (!v.count("what")) throw InputError("validate: expected what to validate: published");
    if (const std::string what = v["what"].as<std::string>(); what != "published")
      throw InputError("validate: found \"" + shortened(what) + "\", allowed is published");
    const std::string group = v.count("group") ? v["group"].as<std::string>() : "";
    if (v.count("group") && group.empty()) throw InputError("--group: found \"\", allowed is the name of a group");
    Outputs out(v, {"json", "csv"}, context);
    const ValidationReport report = [&] {
      const Progress progress(context.terminal);
      return validate_published(context.data, group);
    }();
    if (v["residuals"].as<bool>()) {
      context.out << residuals_text(report.rows);
      return 0;
    }
    if (out.wanted("json")) out.put("json", to_json(report));
    if (out.wanted("csv")) out.put("csv", to_csv(report));
    out.print(to_text(report));
    return v["check"].as<bool>() ? check(report, group.empty(), context) : 0;
  }

 private:
  static int check(const ValidationReport& report, bool all_groups, const CommandContext& context) {
    const auto bounds = read_bounds(context.data / "validate" / "published" / "bounds.json");
    const std::vector<std::string> missed = missed_bounds(all_groups ? bounded_summaries(report) : report.summary, bounds, all_groups);
    for (const std::string& m : missed) context.err << "moesim: bound missed: " << m << "\n";
    return missed.empty() ? 0 : 1;
  }
};

}  // namespace

std::unique_ptr<Command> make_validate_command() { return std::make_unique<ValidateCommand>(); }

}  // namespace moesim
