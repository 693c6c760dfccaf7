#include "collective/dispatcher.h"

namespace moesim {

#define MOESIM_DISPATCHER(maker, name, help) std::unique_ptr<Dispatcher> maker();
#include "collective/builtin.def"
#undef MOESIM_DISPATCHER

Registry<Dispatcher> dispatchers() {
  Registry<Dispatcher> out("dispatcher");
#define MOESIM_DISPATCHER(maker, name, help) out.add(name, help, maker);
#include "collective/builtin.def"
#undef MOESIM_DISPATCHER
  return out;
}

std::int64_t token_bytes(std::int64_t width, DType type) {
  const std::int64_t payload = ceil_div(width * bits(type), 8);
  switch (type) {
    case DType::fp8: return payload + 4 * ceil_div(width, 128);
    case DType::fp4: return payload + ceil_div(width, 16);
    case DType::fp32:
    case DType::bf16: break;
  }
  return payload;
}

}  // namespace moesim
