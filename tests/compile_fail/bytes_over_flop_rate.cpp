// refused: no match for .operator/|invalid operands
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
Time time(Bytes b, Bandwidth r) { return b / r; }
#else
Time time(Bytes b, FlopRate r) { return b / r; }
#endif
