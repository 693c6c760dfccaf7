// refused: could not convert|no viable conversion|conversion from .int. to
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
Bytes size() { return Bytes{42}; }
#else
Bytes size() { return 42; }
#endif
