// refused: no match for .operator\+|invalid operands
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
Bytes sum(Bytes a, Bytes b) { return a + b; }
#else
Bytes sum(Bytes a, Flops b) { return a + b; }
#endif
