#include "calibration/kernel_tables.h"

namespace moesim {

std::vector<SeriesScore> SurfaceTable::scores(const CsvTable& t, std::string_view device, const HwProfile& hw) const {
  std::vector<SeriesScore> out;
  for (const SurfaceSeries& s : series(t, device, hw)) out.push_back(score(s));
  return out;
}

#define MOESIM_KERNEL_TABLE(maker, name, help) std::unique_ptr<KernelTable> maker();
#include "calibration/builtin.def"
#undef MOESIM_KERNEL_TABLE

Registry<KernelTable> kernel_tables() {
  Registry<KernelTable> out("table");
#define MOESIM_KERNEL_TABLE(maker, name, help) out.add(name, help, maker);
#include "calibration/builtin.def"
#undef MOESIM_KERNEL_TABLE
  return out;
}

}  // namespace moesim
