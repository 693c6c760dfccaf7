#include "model/families/family.h"

namespace moesim {

#define MOESIM_FAMILY(reader, help, ...) ModelSpec reader(Reader&);
#include "model/families/builtin.def"
#undef MOESIM_FAMILY

std::vector<Family> families() {
  return {
#define MOESIM_FAMILY(reader, help, ...) Family{reader, help, {__VA_ARGS__}},
#include "model/families/builtin.def"
#undef MOESIM_FAMILY
  };
}

}  // namespace moesim
