// moesim list
#include <functional>
#include <map>

#include "app/command.h"
#include "app/options.h"
#include "base/named_file.h"
#include "collective/dispatcher.h"
#include "hw/profile.h"
#include "hw/stack.h"
#include "model/load.h"
#include "moe/expert_load.h"
#include "report/table.h"
#include "train/schedule.h"

namespace moesim {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;   // name, help

template <class Interface>
Names of(const Registry<Interface>& registry) {
  Names out;
  for (const auto& e : registry.entries()) out.emplace_back(e.name, e.help);
  return out;
}

Names plain(const std::vector<std::string>& names) {
  Names out;
  for (const std::string& n : names) out.emplace_back(n, "");
  return out;
}

const std::vector<std::pair<std::string, std::function<Names(const CommandContext&)>>>& kinds() {
  static const std::vector<std::pair<std::string, std::function<Names(const CommandContext&)>>> all{
      {"models", [](const CommandContext& c) { return plain(model_names(c.data)); }},
      {"hardware", [](const CommandContext& c) { return plain(hw_profile_names(c.data)); }},
      {"stacks", [](const CommandContext& c) { return plain(stack_names(c.data)); }},
      {"scenarios", [](const CommandContext& c) { return plain(json_names(c.data / "scenarios" / "train")); }},
      {"schedules", [](const CommandContext&) { return of(schedules()); }},
      {"dispatchers", [](const CommandContext&) { return of(dispatchers()); }},
      {"load-laws", [](const CommandContext&) { return of(load_laws()); }},
  };
  return all;
}

class ListCommand : public Command {
 public:
  std::string usage() const override {
    std::string out = "Usage: moesim list KIND\n\nKIND is one of:";
    for (const auto& k : kinds()) out += " " + k.first;
    return out + "\n";
  }

  int run(const std::vector<std::string>& args, const CommandContext& context) override {
    boost::program_options::options_description known;
    known.add_options()("kind", boost::program_options::value<std::string>());
    const auto v = parse_options(args, known, {"kind"});
    std::vector<std::string> names;
    for (const auto& k : kinds()) names.push_back(k.first);
    const std::string found = v.count("kind") ? v["kind"].as<std::string>() : "";
    for (const auto& [kind, make] : kinds()) {
      if (kind != found) continue;
      Table t({Table::Align::left, Table::Align::left});
      for (const auto& [name, help] : make(context)) t.row({name, help});
      context.out << t.text(0);
      return 0;
    }
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
    if (!v.count("kind")) throw InputError("list: expected what to list: " + all);
    throw InputError("list: found \"" + shortened(found) + "\", allowed is " + all + did_you_mean(found, names));
  }
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace moesim
