// A training scenario from the command line: a file, or flags, then --set overrides.
#pragma once

#include <boost/program_options.hpp>

#include "app/command.h"
#include "app/given_values.h"
#include "base/document.h"
#include "train/scenario.h"

namespace moesim {

/// --model, --hw, --gpus, --tp ... --seed and --set.
boost::program_options::options_description scenario_options();

/// The document after one `--set` assignment. A change inside a model, machine or stack that is given by name or path makes one that extends
/// it. `option` leads messages.
Document with_set(Document, const std::string& assignment, const std::string& option = "--set");

/// The file named by `key` (a path, or a name under data/scenarios/train), or nothing; then the flags, then --set. Paths in flags and --set
/// count from the working folder.
Document scenario_document(const boost::program_options::variables_map&, const std::string& key, const CommandContext&);

/// What flags and --set say of the scenario, in the order in which they count.
std::vector<GivenValue> given_values(const boost::program_options::variables_map&);

/// read_train_scenario; an error about a given value names its flag.
TrainScenario read_scenario(const Document&, const std::vector<GivenValue>&, const CommandContext&);

}  // namespace moesim
