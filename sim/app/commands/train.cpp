// moesim train
#include <charconv>

#include "analysis/sample_times.h"
#include "analysis/train_report.h"
#include "app/command.h"
#include "app/options.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/scenario_options.h"
#include "report/chrome_trace.h"
#include "report/memory_text.h"
#include "report/train_json.h"
#include "report/train_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

po::options_description outputs() {
  po::options_description out("Output and detail");
  auto add = out.add_options();
  add("json", po::value<std::string>(), "write the report as JSON to a file (- for standard output, instead of the text)");
  add("csv", po::value<std::string>(), "write one CSV line with its header (- as for --json)");
  add("trace", po::value<std::string>(), "write a Chrome/Perfetto trace, of at most a million events (- as for --json)");
  add("trace-ranks", po::value<std::string>(), "ranks that the trace shows: 0,8 (default: each class; of over 16 ranks the first of each stage)");
  add("save", po::value<std::string>(), "write the scenario with all defaults made explicit (- as for --json)");
  add("detail", po::value<std::string>()->default_value("fold"), "fold: one actor per class of equal ranks; ranks: every rank");
  add("samples", po::value<std::int64_t>()->default_value(1), "optimizer steps to draw when expert loads or GPU speeds are, 1 to 100000");
  add("allow-oom", po::bool_switch(), "simulate a layout that does not fit in memory");
  return out;
}

Detail detail_of(const std::string& text) {
  if (text == "fold") return Detail::fold;
  if (text == "ranks") return Detail::ranks;
  throw InputError("--detail: found \"" + shortened(text) + "\", allowed is fold or ranks");
}

std::vector<std::int64_t> trace_ranks_of(const po::variables_map& v) {
  std::vector<std::int64_t> out;
  if (!v.count("trace-ranks")) return out;
  if (!v.count("trace")) throw InputError("--trace-ranks: only with --trace");
  const std::string text = v["trace-ranks"].as<std::string>();
  for (const char *at = text.data(), *end = at + text.size(); ; ++at) {
    std::int64_t rank = -1;
    const auto [stop, error] = std::from_chars(at, end, rank);
    if (error != std::errc{} || rank < 0 || (stop != end && *stop != ','))
      throw InputError("--trace-ranks: found \"" + shortened(text) + "\", allowed are ranks separated by commas");
    out.push_back(rank);
    at = stop;
    if (at == end) return out;
  }
}

/// Traces are bounded: says what this one leaves out.
void note_left_out(const ChromeTrace& trace, const TrainReport& report, std::ostream& err) {
  const std::string left_out = trace.left_out(time_from_seconds(report.step_time_s));
  if (!left_out.empty()) err << "moesim: the trace shows " << left_out << "; --trace-ranks chooses ranks, and fewer reach further\n";
}

std::int64_t samples_of(std::int64_t n) {
  if (n < 1 || n > kMostSamples) throw InputError("--samples: found " + std::to_string(n) + ", allowed is 1 to " + std::to_string(kMostSamples));
  return n;
}

class TrainCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim train SCENARIO [OPTIONS]\n"
           "       moesim train --model NAME|config.json --hw NAME|profile.json --gpus N ...\n\n"
           "Simulates one optimizer step. SCENARIO is a JSON file or a name that\n`moesim list scenarios` shows.\n\n" +
           describe(scenario_options()) + "\n" + describe(outputs());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = scenario_options();
    known.add(outputs()).add_options()("scenario", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"scenario"});
    const Detail detail = detail_of(v["detail"].as<std::string>());
    const std::int64_t samples = samples_of(v["samples"].as<std::int64_t>());
    Outputs out(v, {"json", "csv", "trace", "save"}, context);
    TrainScenario scenario = read_scenario(scenario_document(v, "scenario", context), given_values(v), context);
    out.refuse_inputs(scenario.files);
    if (samples > 1 && !has_random_steps(scenario)) scenario.warnings.push_back("--samples has no effect: nothing is drawn at random");
    out.put("save", scenario.resolved + "\n");
    if (!v["allow-oom"].as<bool>()) refuse_if_too_big(scenario, out);

    std::unique_ptr<ChromeTrace> trace;
    const std::vector<std::int64_t> ranks = trace_ranks_of(v);
    TrainReport report = simulate(scenario, {detail, samples, {}}, context, [&](const TrainStep& step, std::vector<Observer*>& observers) {
      if (!out.wanted("trace")) return;
      trace = std::make_unique<ChromeTrace>(step, TraceLimits{.ranks = ranks});
      observers.push_back(trace.get());
    });
    report.version = MOESIM_VERSION;
    // Files first: if one cannot be written, nothing is printed.
    if (out.wanted("json")) out.put("json", to_json(report));
    if (out.wanted("csv")) out.put("csv", to_csv(report));
    if (trace) out.put("trace", trace->text());
    out.print(to_text(report, context.width));
    if (trace) note_left_out(*trace, report, context.err);
    return 0;
  }

 private:
  static void refuse_if_too_big(const TrainScenario& scenario, const Outputs& out) {
    const MemoryReport m = memory(scenario);
    if (m.fits()) return;
    out.print("");   // the scenario, if it was to be saved there
    throw AnswerNo(does_not_fit(m) + "; --allow-oom simulates it anyway");
  }
};

}  // namespace

std::unique_ptr<Command> make_train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace moesim
