// Which values of a scenario came from the command line, so that an error about one names its flag and not only the file.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"

namespace moesim {

struct GivenValue {
  std::string flag;    // "--tp", "--set parallel.tp=3"
  std::string path;    // "parallel.tp"
};

/// `message` of an InputError about the scenario called `file`, with the flags to blame: the one whose path the message names, else those
/// whose key it mentions. Unchanged if there are none.
std::string with_flags(const std::string& message, const std::string& file, const std::vector<GivenValue>&);

/// "--set a.b[0]=x" gives a.b.0.
GivenValue given_by_set(const std::string& flag, const std::string& assignment);

}  // namespace moesim
