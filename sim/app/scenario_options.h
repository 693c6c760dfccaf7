// A training scenario from the command line: a file, or flags, then --set overrides.
#pragma once

#include <boost/program_options.hpp>

#include "app/command.h"
#include "base/document.h"

namespace moesim {

/// --model, --hw, --gpus, --tp ... and --set, --seed.
boost::program_options::options_description scenario_options();

/// The file named by `key` (a path, or a name under data/scenarios/train), or the scenario that the flags describe; with --set and --seed.
Document scenario_document(const boost::program_options::variables_map&, const std::string& key, const CommandContext&);

}  // namespace moesim
