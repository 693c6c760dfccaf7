// Any bytes as a training scenario: an InputError, or a scenario whose resolved text reads back as itself and whose memory is positive.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "train/memory.h"
#include "train/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace moesim;
  const std::filesystem::path folder = MOESIM_SOURCE_DIR;
  try {
    const TrainScenario s = read_train_scenario(Document::parse({reinterpret_cast<const char*>(data), size}, "fuzz.json"), folder);
    const TrainScenario again = read_train_scenario(Document::parse(s.resolved, "fuzz.json"), folder);
    if (again.resolved != s.resolved) throw InternalError("a resolved scenario reads back as another one");
    const MemoryReport report = memory(s);
    if (report.stages[report.peak_stage].total() <= Bytes{0}) throw InternalError("a stage that needs no memory");
  } catch (const InputError&) {
  }
  return 0;
}
