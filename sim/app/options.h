// Command-line options of a subcommand: Boost.Program_options with moesim's errors (one line, nearest name).
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace moesim {

/// Parses `args`. `positional` names the options that bare words fill, in order, once each. Throws InputError: unknown option (with the
/// nearest), missing or malformed value, too many words.
boost::program_options::variables_map parse_options(const std::vector<std::string>& args,
                                                    const boost::program_options::options_description& known,
                                                    const std::vector<std::string>& positional);

/// The option table of a usage text, without Boost's decorations.
std::string describe(const boost::program_options::options_description& known);

}  // namespace moesim
