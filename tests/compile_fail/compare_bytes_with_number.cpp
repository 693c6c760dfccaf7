// refused: no match for .operator<|invalid operands
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
bool small(Bytes b) { return b < Bytes{7}; }
#else
bool small(Bytes b) { return b < 7; }
#endif
