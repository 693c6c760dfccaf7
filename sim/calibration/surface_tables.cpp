#include "calibration/surface_tables.h"

namespace moesim {

#define MOESIM_SURFACE_TABLE(maker, name, help) std::unique_ptr<SurfaceTable> maker();
#include "calibration/builtin.def"
#undef MOESIM_SURFACE_TABLE

Registry<SurfaceTable> surface_tables() {
  Registry<SurfaceTable> out("table");
#define MOESIM_SURFACE_TABLE(maker, name, help) out.add(name, help, maker);
#include "calibration/builtin.def"
#undef MOESIM_SURFACE_TABLE
  return out;
}

}  // namespace moesim
