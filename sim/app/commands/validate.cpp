// moesim validate
#include "app/command.h"
#include "app/options.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "validation/bounds.h"
#include "validation/curves.h"
#include "validation/kernels.h"
#include "validation/published.h"
#include "validation/residuals.h"
#include "validation/validation_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

po::options_description options() {
  po::options_description out("Options");
  auto add = out.add_options();
  add("json", po::value<std::string>(), "write the report as JSON to a file (- for standard output, instead of the text)");
  add("csv", po::value<std::string>(), "write one CSV line a row (- as for --json)");
  add("group", po::value<std::string>(), "published: only the rows of one group");
  add("check", po::bool_switch(), "published: exit with 1 if a group misses its bound in validate/published/bounds.json");
  add("residuals", po::bool_switch(), "published: print the spread of the errors as sim/analysis/interval.cpp holds it");
  add("device", po::value<std::string>(), "kernels: only the timings of one device, as tables name it");
  add("table", po::value<std::string>(), ("kernels: only one kind of table: " + joined(kernel_table_names())).c_str());
  add("data", po::value<std::string>(), "kernels: a folder with your own tables (NAME.csv, NAME.csv.xz), scored by the curves of the shipped ones");
  add("cliffs", po::bool_switch(), "kernels: list each step of m where the time or the throughput of a measured GEMM falls by over 3 %");
  add("write", po::value<std::string>(), "kernels: write the fitted curves into this folder as hw_profiles/measured holds them (DEVICE.json, collectives/DEVICE.json), and stop");
  return out;
}

/// "" where the option is not given; given, it is not empty.
std::string text_of(const po::variables_map& v, const char* option, const char* what) {
  if (!v.count(option)) return "";
  std::string out = v[option].as<std::string>();
  if (out.empty()) throw InputError("--" + std::string(option) + ": found \"\", allowed is the name of a " + what);
  return out;
}

/// Options of the other subject are a slip.
void refuse(const po::variables_map& v, std::initializer_list<const char*> options, const std::string& subject) {
  for (const char* o : options)
    if (v.count(o) && !v[o].defaulted()) throw InputError("--" + std::string(o) + ": only with validate " + subject);
}

class ValidateCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim validate published|kernels [OPTIONS]\n\n"
           "published  simulates every published training step under validate/published/\n           and compares: measured, predicted, error, and how well each group\n           does. No constant belongs to a row.\n"
           "kernels    fits curves to tables of timed kernels and prints their errors, also\n           for whole shapes that the fit never saw; with --data, the errors of\n           those curves on your own timings.\n\n" +
           describe(options());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = options();
    known.add_options()("what", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"what"});
    if (!v.count("what")) throw InputError("validate: expected what to validate: published or kernels");
    const std::string what = v["what"].as<std::string>();
    if (what == "published") return published(v, context);
    if (what == "kernels") return kernels(v, context);
    const std::vector<std::string> known_subjects{"published", "kernels"};
    throw InputError("validate: found \"" + shortened(what) + "\", allowed is published or kernels" + did_you_mean(what, known_subjects));
  }

 private:
  static int published(const po::variables_map& v, const CommandContext& context) {
    refuse(v, {"device", "table", "data", "cliffs", "write"}, "kernels");
    const std::string group = text_of(v, "group", "group");
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
    out.print(to_text(report, context.width));
    return v["check"].as<bool>() ? check(report, group.empty(), context) : 0;
  }

  static int kernels(const po::variables_map& v, const CommandContext& context) {
    refuse(v, {"group", "check", "residuals"}, "published");
    Outputs out(v, {"json", "csv"}, context);
    const KernelChoice choice{text_of(v, "data", "folder"), text_of(v, "device", "device"), text_of(v, "table", "kind of table")};
    if (v.count("write")) return write(v, choice, context);
    const KernelReport report = [&] {
      const Progress progress(context.terminal);
      return validate_kernels(context.data, choice);
    }();
    if (out.wanted("json")) out.put("json", to_json(report));
    if (out.wanted("csv")) out.put("csv", to_csv(report));
    out.print(to_text(report, v["cliffs"].as<bool>() ? CliffDetail::all : CliffDetail::summary));
    return 0;
  }

  static int write(const po::variables_map& v, const KernelChoice& choice, const CommandContext& context) {
    if (!choice.table.empty()) throw InputError("--write: not with --table, a file has all curves of a device");
    for (const char* other : {"json", "csv"})
      if (v.count(other)) throw InputError("--write: not with --" + std::string(other) + ", it scores nothing");
    if (v["cliffs"].as<bool>()) throw InputError("--write: not with --cliffs, it scores nothing");
    const std::filesystem::path tables = choice.own.empty() ? context.data / "validate" / "kernels" / "tables" : choice.own;
    const std::filesystem::path folder = text_of(v, "write", "folder");
    for (const std::filesystem::path& file : write_curves(context.data, tables, folder, choice.device)) context.out << file.string() << "\n";
    return 0;
  }

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
