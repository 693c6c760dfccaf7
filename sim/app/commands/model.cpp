// moesim model
#include "app/command.h"
#include "app/options.h"
#include "app/outputs.h"
#include "model/load.h"
#include "report/model_text.h"

namespace moesim {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kLongestSequence = 1 << 27;   // tokens, as in a scenario

class ModelCommand : public Command {
 public:
  std::string usage() const override {
    return "Usage: moesim model NAME|config.json [OPTIONS]\n\nPrints parameters, FLOPs per token by Megatron's count and KV bytes per token.\n\n" + describe(options());
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    po::options_description known = options();
    known.add_options()("model", po::value<std::string>());
    const po::variables_map v = parse_options(args, known, {"model"});
    if (!v.count("model")) throw InputError("model: expected a name (see `moesim list models`) or a config.json");
    const std::int64_t seq = v["seq-length"].as<std::int64_t>();
    if (seq < 1 || seq > kLongestSequence)
      throw InputError("--seq-length: found " + std::to_string(seq) + ", allowed is an integer from 1 to " + std::to_string(kLongestSequence));
    Outputs out(v, {"json"}, context);
    const std::string name = v["model"].as<std::string>();
    out.refuse_inputs({name});
    const ModelSpec spec = load_model(name, context.data);
    for (const std::string& w : spec.warnings) context.err << "moesim: warning: " << w << "\n";
    if (out.wanted("json")) out.put("json", model_json(spec, seq));
    out.print(model_text(spec, seq));
    return 0;
  }

 private:
  static po::options_description options() {
    po::options_description out("Options");
    auto add = out.add_options();
    add("seq-length", po::value<std::int64_t>()->default_value(4096), "tokens of a sequence, for FLOPs and KV bytes");
    add("json", po::value<std::string>(), "write JSON to a file (- for standard output, instead of the text)");
    return out;
  }
};

}  // namespace

std::unique_ptr<Command> make_model_command() { return std::make_unique<ModelCommand>(); }

}  // namespace moesim
