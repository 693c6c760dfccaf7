// refused: could not convert|no viable conversion
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
FlopRate rate(FlopRate r) { return r; }
#else
FlopRate rate(Bandwidth r) { return r; }
#endif
