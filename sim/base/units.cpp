#include "base/units.h"

#include "base/error.h"

namespace moesim {

void throw_too_long() { throw TooLong("the run takes longer than " + std::to_string(kLongestTime / kSecond / 86'400) + " days"); }

}  // namespace moesim
