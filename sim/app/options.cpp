#include "app/options.h"

#include <sstream>

#include "base/error.h"

namespace po = boost::program_options;

namespace moesim {
namespace {

std::vector<std::string> long_names(const po::options_description& known) {
  std::vector<std::string> out;
  for (const auto& o : known.options()) out.push_back("--" + o->long_name());
  return out;
}

/// X of Boost's "the argument ('X') for option '--tp' is invalid", which leaves out an empty one.
std::string quoted_value(const std::string& message) {
  const std::size_t begin = message.find("('"), end = message.rfind("') for option");
  return begin == std::string::npos || end == std::string::npos ? "" : message.substr(begin + 2, end - begin - 2);
}

}  // namespace

po::variables_map parse_options(const std::vector<std::string>& args, const po::options_description& known,
                                const std::vector<std::string>& positional) {
  po::positional_options_description words;
  for (const std::string& p : positional) words.add(p.c_str(), 1);
  po::variables_map out;
  try {
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(known).positional(words).style(style).run(), out);
    po::notify(out);
  } catch (const po::unknown_option& e) {
    throw InputError("unknown option " + e.get_option_name() + did_you_mean(e.get_option_name(), long_names(known)));
  } catch (const po::invalid_option_value& e) {
    const std::string found = quoted_value(e.what());
    const bool large = !found.empty() && found.find_first_not_of("0123456789") == std::string::npos;
    throw InputError(e.get_option_name() + ": found \"" + shortened(found) + "\", allowed is a whole number" + (large ? " below 2^63" : ""));
  } catch (const po::invalid_command_line_syntax& e) {
    using kind = po::invalid_syntax::kind_t;
    const bool no_value = e.kind() == kind::missing_parameter || e.kind() == kind::empty_adjacent_parameter;
    throw InputError(no_value ? e.get_option_name() + ": a value is missing" : e.what());
  } catch (const po::too_many_positional_options_error&) {
    throw InputError("too many arguments: expected at most " + std::to_string(positional.size()));
  } catch (const po::error& e) {
    throw InputError(e.what());
  }
  return out;
}

std::string describe(const po::options_description& known) {
  std::ostringstream out;
  out << known;
  return out.str();
}

}  // namespace moesim
