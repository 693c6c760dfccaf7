// Prints the digits that must not depend on the platform: of one scenario, and of many draws of expert load in every regime of the
// samplers. Arguments: data folder, scenario file.
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "analysis/train_report.h"
#include "moe/expert_load.h"

namespace {

using namespace moesim;

void print_step(const std::string& data, const std::string& scenario) {
  const TrainReport r = train(read_train_scenario(Document::load(scenario), data));
  std::printf("step_time_s %.17g\nevents %" PRIu64 "\nkernels %" PRIu64 "\n", r.step_time_s, std::uint64_t{r.engine.events}, std::uint64_t{r.engine.kernels});
  for (std::size_t c = 0; c < kTimeClasses; ++c) std::printf("%s %.17g\n", std::string(name(static_cast<TimeClass>(c))).c_str(), r.time_by_class_s[c]);
}

/// A digest of 2,000 draws: a count that moves by one changes it.
std::uint64_t digest(const LoadSampler& sampler, std::size_t experts) {
  std::vector<std::int64_t> counts(experts);
  std::uint64_t sum = 0;
  for (LoadKey key{.seed = 1}; key.micro_batch < 2000; ++key.micro_batch) {
    sampler.draw(key, counts);
    for (const std::int64_t c : counts) sum = (sum ^ static_cast<std::uint64_t>(c)) * 0x100000001B3u;   // FNV-1a's step
  }
  return sum;
}

void print_loads() {
  for (const std::string& law : load_laws().names())
    for (const std::int64_t tokens : {100, 1000, 262144})
      std::printf("load %s of %" PRId64 " tokens: %016" PRIx64 "\n", law.c_str(), tokens,
                  digest(*load_laws().make(law)->sampler({.tokens = tokens, .num_experts = 128, .top_k = 8}, {.exponent = 1.2}), 128));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    print_step(argv[1], argv[2]);
    print_loads();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
