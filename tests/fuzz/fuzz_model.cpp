// Any bytes are either a model whose counts are finite or an InputError.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/document.h"
#include "base/error.h"
#include "model/count.h"
#include "model/load.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace moesim;
  try {
    const ModelSpec model = parse_model(Document::parse({reinterpret_cast<const char*>(data), size}, "fuzz"));
    const ModelParams params = count_params(model);
    const bool sane = params.total() > 0 && params.active() > 0 && params.active() <= params.total() &&
                      std::isfinite(flops_per_token(model, 4096)) && std::isfinite(kv_bytes_per_token(model));
    if (!sane) throw InternalError("counts that cannot be");
  } catch (const InputError&) {
  }
  return 0;
}
