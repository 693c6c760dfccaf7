// moesim collective
#include <algorithm>

#include "app/command.h"
#include "app/options.h"
#include "app/outputs.h"
#include "base/document.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/unit_text.h"
#include "validation/collectives.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50, kMostGpus = 1 << 20;
constexpr std::size_t kMostRows = 10'000;

po::options_description options() {
  po::options_description out("Options");
  auto add = out.add_options();
  add("hw", po::value<std::string>(), "machine: a name (`moesim list hardware`) or a profile JSON");
  add("gpus", po::value<std::string>(), "GPUs that take part, the first ones of the machine: N[,N..]");
  add("domain", po::value<std::string>(), "GPUs that take part of each scale-up domain, such as 64 of a rack of 72 (default: all)");
  add("bytes", po::value<std::string>(), "sizes as nccl-tests counts them: SIZE[,SIZE..], or MIN:MAX[:FACTOR] by factors (default 2); 64MB = 64e6 B, 64MiB and 64M (as in nccl-tests) = 2^26 B, a bare number is in bytes");
  add("kernel", po::value<std::string>(), "all_reduce: the kernel of a serving engine in NCCL's place: trtllm, vllm (in a CUDA graph) or vllm_eager");
  add("compare", po::value<std::string>(), "a file with what nccl-tests printed: its sizes, measured times and errors; --gpus only if it lists no ranks");
  add("json", po::value<std::string>(), "write the rows as JSON to a file (- for standard output, instead of the text)");
  add("csv", po::value<std::string>(), "write one CSV line a row (- as for --json)");
  return out;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == by) out.emplace_back();
    else out.back() += c;
  return out;
}

bool digits(const std::string& s) { return !s.empty() && s.size() < 19 && s.find_first_not_of("0123456789") == std::string::npos; }

/// "128M" of nccl-tests is 128 MiB.
std::string spelled_out(const std::string& text) {
  const bool short_form = text.size() > 1 && std::string("KMGTP").find(text.back()) != std::string::npos && digits(text.substr(0, text.size() - 1));
  return short_form ? text + "iB" : text;
}

std::int64_t size(const std::string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = digits(text) ? std::stoll(text) : parse_bytes(spelled_out(text)).count();
  } catch (const InputError& e) {
    throw InputError("--bytes: " + std::string(e.what()));
  }
  if (bytes < 1 || bytes > kMostBytes) throw InputError("--bytes: found \"" + shortened(text) + "\", allowed is 1 B to 1024 TiB");
  return bytes;
}

std::vector<std::int64_t> range(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() > 3) throw InputError("--bytes: found \"" + shortened(text) + "\", allowed is MIN:MAX or MIN:MAX:FACTOR");
  const std::int64_t first = size(parts[0]), last = size(parts[1]);
  if (last < first) throw InputError("--bytes: found \"" + shortened(text) + "\", allowed is MIN:MAX with MIN at most MAX");
  if (parts.size() == 3 && (!digits(parts[2]) || std::stoll(parts[2]) < 2)) throw InputError("--bytes: found \"" + shortened(text) + "\", allowed is MIN:MAX:FACTOR with a whole factor of 2 and more");
  const std::int64_t factor = parts.size() == 3 ? std::stoll(parts[2]) : 2;
  std::vector<std::int64_t> out;
  for (std::int64_t b = first;; b *= factor) {
    out.push_back(b);
    if (b > last / factor) return out;
  }
}

std::vector<std::int64_t> sizes(const std::string& text) {
  std::vector<std::int64_t> out;
  for (const std::string& part : split(text, ','))
    if (part.find(':') == std::string::npos) out.push_back(size(part));
    else
      for (const std::int64_t b : range(part)) out.push_back(b);
  return out;
}

std::vector<std::int64_t> gpu_counts(const std::string& text) {
  std::vector<std::int64_t> out;
  for (const std::string& part : split(text, ',')) {
    if (!digits(part) || std::stoll(part) < 2 || std::stoll(part) > kMostGpus)
      throw InputError("--gpus: found \"" + shortened(part) + "\", allowed is a whole number from 2 to " + std::to_string(kMostGpus));
    out.push_back(std::stoll(part));
  }
  return out;
}

class CollectiveCommand : public Command {
 public:
  std::string usage() const override {
    std::string names;
    for (const std::string& n : collective_test_names()) names += (names.empty() ? "" : n == "broadcast" ? ",\n    " : ", ") + n;
    return "Usage: moesim collective OP --hw NAME --gpus N[,N..] --bytes SIZES [OPTIONS]\n       moesim collective OP --hw NAME --compare LOG [--gpus N] [OPTIONS]\n\n"
           "Prints the time of a collective on idle links as nccl-tests does: algorithm,\nprotocol, time, algbw, busbw, and how it is known. With --compare, beside real\nnccl-tests output.\n\n"
           "OP  " + names + "\n\n" + describe(options());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = options();
    known.add_options()("op", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"op"});
    if (!v.count("op")) throw InputError("collective: expected a collective, such as all_reduce");
    CollectiveTest test = collective_test(v["op"].as<std::string>());
    require(v, v.count("compare") > 0);
    Outputs out(v, {"json", "csv"}, context);
    const std::optional<NcclTestsLog> log = v.count("compare") ? std::optional(read_log(v, out)) : std::nullopt;
    const HwProfile hw = machine(v, log, context);
    if (v.count("kernel")) test = fused_test(test, v["kernel"].as<std::string>(), hw);
    for (const std::string& w : hw.warnings) context.err << "moesim: warning: " << w << "\n";
    const CollectiveReport report = log ? compared(test, *log, v, hw) : predicted(test, v, hw);
    if (out.wanted("json")) out.put("json", to_json(report));
    if (out.wanted("csv")) out.put("csv", to_csv(report));
    out.print(to_text(report, context.width));
    return 0;
  }

 private:
  static NcclTestsLog read_log(const po::variables_map& v, const Outputs& out) {
    const std::string file = v["compare"].as<std::string>();
    out.refuse_inputs({file});
    return parse_nccl_tests(read_file(file), file);
  }

  static HwProfile named_machine(const std::string& name, const CommandContext& context) {
    try {
      return load_hw_profile(name, context.data);
    } catch (const InputError& e) {
      throw InputError(std::string(e.what()) + " (given by --hw)");
    }
  }

  /// GPUs of each domain that take part: as asked for, or as the log's hosts have them where a node is a domain; "" = all.
  static std::string domain_of(const po::variables_map& v, const std::optional<NcclTestsLog>& log, const HwProfile& hw) {
    if (v.count("domain")) return v["domain"].as<std::string>();
    if (!log || log->ranks_on.size() < 2 || hw.scale_up.domain != hw.gpus_per_node) return "";
    std::int64_t most = 0;
    for (const auto& [host, ranks] : log->ranks_on) most = std::max(most, ranks);
    return most < hw.scale_up.domain ? std::to_string(most) : "";
  }

  static HwProfile machine(const po::variables_map& v, const std::optional<NcclTestsLog>& log, const CommandContext& context) {
    const std::string base = v["hw"].as<std::string>();
    HwProfile whole = named_machine(base, context);
    const std::string domain = domain_of(v, log, whole);
    if (domain.empty()) return whole;
    if (!digits(domain) || std::stoll(domain) < 1 || std::stoll(domain) > whole.scale_up.domain)
      throw InputError("--domain: found \"" + shortened(domain) + "\", allowed is a whole number from 1 to " + std::to_string(whole.scale_up.domain));
    const Document part = Document::parse(R"({"extends": "", "scale_up": {}})", "--domain").with("extends=" + base).with("scale_up.domain=" + domain);
    HwProfile out = load_hw_profile(part, context.data);
    out.name = whole.name + ", " + counted(std::stoll(domain), "GPU") + " of a domain";
    return out;
  }

  static void require(const po::variables_map& v, bool compare) {
    std::string missing;
    for (const char* o : {"hw", "gpus", "bytes"})
      if (!v.count(o) && !(compare && std::string(o) != "hw")) missing += std::string(missing.empty() ? "" : ", ") + "--" + o;
    if (!missing.empty()) throw InputError("collective: missing: " + missing);
    if (compare && v.count("bytes")) throw InputError("--bytes: not with --compare, whose file has the sizes");
  }

  static CollectiveReport predicted(const CollectiveTest& test, const po::variables_map& v, const HwProfile& hw) {
    const std::vector<std::int64_t> bytes = sizes(v["bytes"].as<std::string>()), gpus = gpu_counts(v["gpus"].as<std::string>());
    if (bytes.size() * gpus.size() > kMostRows) throw InputError("--bytes: found " + std::to_string(bytes.size() * gpus.size()) + " rows, allowed is up to " + std::to_string(kMostRows));
    CollectiveReport out{hw.name, std::string(test.name), {}, std::nullopt, {}};
    for (const std::int64_t n : gpus) {
      const std::int64_t least = least_bytes(test.op, n), most = *std::max_element(bytes.begin(), bytes.end());
      const std::string what = std::string(test.name) + " of " + std::to_string(n) + " GPUs";
      if (most < least) throw InputError("--bytes: found " + std::to_string(most) + " B, allowed in " + what + " is " + std::to_string(least) + " B and more");
      for (const std::int64_t b : bytes)
        if (b >= least) out.rows.push_back(predict_collective(test, b, n, hw));
      if (std::any_of(bytes.begin(), bytes.end(), [&](std::int64_t b) { return b < least; }))
        out.notes.push_back("sizes below " + std::to_string(least) + " B hold no float for each share of " + what + ": left out");
      if (const std::string note = placement_note(n, hw); !note.empty()) out.notes.push_back(note);
    }
    return out;
  }

  static CollectiveReport compared(const CollectiveTest& test, const NcclTestsLog& log, const po::variables_map& v, const HwProfile& hw) {
    const std::string file = v["compare"].as<std::string>();
    std::optional<std::int64_t> gpus;
    if (v.count("gpus")) {
      const std::vector<std::int64_t> given = gpu_counts(v["gpus"].as<std::string>());
      if (given.size() != 1) throw InputError("--gpus: found \"" + shortened(v["gpus"].as<std::string>()) + "\", allowed is one number with --compare");
      gpus = given.front();
    }
    return compare_collectives(test, log, file, gpus, hw);
  }
};

}  // namespace

std::unique_ptr<Command> make_collective_command() { return std::make_unique<CollectiveCommand>(); }

}  // namespace moesim
