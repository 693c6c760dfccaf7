// moesim compare
#include "analysis/train_report.h"
#include "app/command.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/scenario_options.h"
#include "base/error.h"
#include "report/compare_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

po::options_description what_if() {
  po::options_description out("What is different");
  out.add_options()("set-b", po::value<std::vector<std::string>>()->composing(), "change a value of B only: --set-b moe.capacity_factor=1.5 (repeatable)");
  return out;
}

class CompareCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim compare A B [OPTIONS]\n       moesim compare A --set-b PATH=VALUE [OPTIONS]\n"
           "       moesim compare --model M --hw H --gpus N --set-b PATH=VALUE [OPTIONS]\n\n"
           "Simulates two training scenarios (files or names) and shows where the difference\n"
           "in step time comes from. Without B, it is A as changed by --set-b. The other\noptions apply to both. Exit status 1 if one does not fit in memory.\n\n" +
           describe(what_if()) + "\n" + describe(scenario_options());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = scenario_options();
    auto add = known.add(what_if()).add_options();
    add("a", po::value<std::string>());
    add("b", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"a", "b"});
    if (!v.count("set-b") && !v.count("b")) throw InputError("compare: expected two scenarios, or one and --set-b");
    TrainOptions options;
    options.unshared = true;
    const auto report = [&](const Document& doc, const std::vector<GivenValue>& given) { return simulate(read_scenario(doc, given, context), options, context); };
    const std::vector<GivenValue> given = given_values(v);
    std::vector<GivenValue> of_b = given;
    if (v.count("set-b"))
      for (const std::string& change : v["set-b"].as<std::vector<std::string>>()) of_b.push_back(given_by_set("--set-b", change));
    const TrainReport a = report(scenario_document(v, "a", context), given), b = report(other(v, a.scenario_name, context), of_b);
    context.out << compare_text(a, b, context.width);
    return a.memory.fits() && b.memory.fits() ? 0 : 1;
  }

 private:
  /// B, or else A with a name that says what was changed.
  static Document other(const po::variables_map& v, const std::string& name_of_a, const CommandContext& context) {
    Document doc = scenario_document(v, v.count("b") ? "b" : "a", context);
    if (!v.count("set-b")) return doc;
    const auto changes = v["set-b"].as<std::vector<std::string>>();
    std::string name = name_of_a + " with";
    for (const std::string& change : changes) name += " " + change;
    if (!v.count("b")) doc = doc.with("name=" + name);
    for (const std::string& change : changes) doc = with_set(doc, change, "--set-b");
    return doc;
  }
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace moesim
