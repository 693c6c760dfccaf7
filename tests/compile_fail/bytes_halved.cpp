// refused: no match for .operator/|invalid operands
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
Bytes half(Bytes b) { return ceil_div(b, 2); }
#else
Bytes half(Bytes b) { return b / std::int64_t{2}; }
#endif
