// refused: could not convert|no viable conversion
#include "base/units.h"

using namespace moesim;

#ifndef MISTAKE
Time pause() { return time_from_seconds(0.5); }
#else
Time pause() { return 0.5; }
#endif
