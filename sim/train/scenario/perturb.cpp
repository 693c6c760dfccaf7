#include <charconv>

#include "train/scenario/parts.h"

namespace moesim {
namespace {

std::int64_t read_rank(const Section& in, const std::string& key, std::int64_t gpus) {
  std::int64_t rank = 0;
  const char* end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, rank);
  if (error != std::errc{} || stop != end || rank < 0 || rank >= gpus || std::to_string(rank) != key)
    in.fail(key, "found rank \"" + key + "\", allowed is 0 to " + std::to_string(gpus - 1));
  return rank;
}

std::map<std::int64_t, double> read_factors(Section& perturb, std::string_view key, std::int64_t gpus) {
  std::map<std::int64_t, double> out;
  Section in = perturb.open(key);
  for (const std::string& rank : in.reader().keys()) {
    if (rank.starts_with("_")) continue;  // a remark
    const std::int64_t r = read_rank(in, rank, gpus);
    out[r] = in.find_number(rank, {0.001, 1000}).value_or(1);
  }
  perturb.close(key, std::move(in));
  return out;
}

}  // namespace

void read_perturb(Section& root, TrainScenario& s) {
  Section in = root.open("perturb");
  s.gpu_speed = read_factors(in, "gpu_speed", s.parallel.gpus);
  if (in.reader().has("gpu_speed_spread")) s.gpu_speed_spread = in.flag_or("gpu_speed_spread", false);
  s.nic_speed = read_factors(in, "nic_speed", s.parallel.gpus);
  root.close("perturb", std::move(in));
}

}  // namespace moesim
