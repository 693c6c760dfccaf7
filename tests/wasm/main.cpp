// Runs one scenario and prints the digits that must not depend on the platform. Arguments: data folder, scenario file.
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <string>

#include "analysis/train_report.h"

int main(int argc, char** argv) {
  using namespace moesim;
  if (argc != 3) return 2;
  try {
    const TrainReport r = train(read_train_scenario(Document::load(argv[2]), argv[1]));
    std::printf("step_time_s %.17g\nevents %" PRIu64 "\nkernels %" PRIu64 "\n", r.step_time_s, std::uint64_t{r.engine.events}, std::uint64_t{r.engine.kernels});
    for (std::size_t c = 0; c < kTimeClasses; ++c) std::printf("%s %.17g\n", std::string(name(static_cast<TimeClass>(c))).c_str(), r.time_by_class_s[c]);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
