// refused: could not convert|no viable conversion
#include "base/id.h"

using namespace moesim;

#ifndef MISTAKE
ExpertId expert(ExpertId e) { return e; }
#else
ExpertId expert(Rank r) { return r; }
#endif
