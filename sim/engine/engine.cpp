#include "engine/engine.h"

#include "engine/kernel/kernel.h"

namespace moesim {

RunResult run(Workload& workload, std::span<Observer* const> observers, const EngineOptions& options) {
  return kernel::Kernel(workload, observers, options).run();
}

}  // namespace moesim
