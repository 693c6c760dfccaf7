#include "train/schedule.h"

namespace moesim {

#define MOESIM_SCHEDULE(maker, name, help) std::unique_ptr<Schedule> maker();
#include "train/builtin.def"
#undef MOESIM_SCHEDULE

Registry<Schedule> schedules() {
  Registry<Schedule> out("schedule");
#define MOESIM_SCHEDULE(maker, name, help) out.add(name, help, maker);
#include "train/builtin.def"
#undef MOESIM_SCHEDULE
  return out;
}

}  // namespace moesim
