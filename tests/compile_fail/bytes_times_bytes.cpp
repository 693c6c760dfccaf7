// refused: no match for .operator\*|invalid operands
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
Bytes twice(Bytes b) { return b * 2; }
#else
Bytes square(Bytes b) { return b * b; }
#endif
