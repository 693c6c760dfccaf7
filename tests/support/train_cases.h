// Training scenarios made from parts, for laws that must hold on many of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/time_attribution.h"
#include "analysis/train_report.h"
#include "base/random.h"

namespace moesim {

struct TrainCase {
  std::string model = R"({"extends": "qwen3-30b-a3b", "num_hidden_layers": 4})";
  std::string hardware = "\"dgx-h100\"";
  std::int64_t gpus = 8, tp = 1, pp = 1, vpp = 1, ep = 1, etp = 1, micro_batches = 4, seq_length = 1024;
  std::string load = "balanced" /* empty: a dense model */, dispatcher = "alltoall", recompute = R"({"granularity": "none"})", compute = "bf16", extra;
  bool overlap_dp = false, overlap_p2p = false, overlap_tp = false, distributed = true;

  std::int64_t dp() const { return gpus / (tp * pp); }
  std::string json() const {
    const auto n = [](std::int64_t v) { return std::to_string(v); };
    const auto b = [](bool v) { return std::string(v ? "true" : "false"); };
    return R"({"kind": "train", "model": )" + model + R"(, "hardware": )" + hardware + R"(, "gpus": )" + n(gpus) + R"(, "parallel": {"tp": )" + n(tp) +
           R"(, "pp": )" + n(pp) + R"(, "vpp": )" + n(vpp) + R"(, "ep": )" + n(ep) + R"(, "etp": )" + n(etp) +
           R"(}, "batch": {"seq_length": )" + n(seq_length) + R"(, "micro_batch_size": 1, "global_batch_size": )" + n(micro_batches * dp()) +
           R"(}, "precision": {"compute": ")" + compute + R"("})" +
           (load.empty() ? "" : R"(, "moe": {"load": {"law": ")" + load + R"("}, "dispatcher": ")" + dispatcher + R"("})") +
           R"(, "overlap": {"grad_reduce": )" + b(overlap_dp) + R"(, "param_gather": )" + b(overlap_dp && distributed) + R"(, "p2p": )" + b(overlap_p2p) + R"(, "tp": )" + b(overlap_tp) +
           R"(}, "recompute": )" + recompute + R"(, "optimizer": {"distributed": )" + b(distributed) + "}" + extra + "}";
  }
  TrainScenario scenario() const { return read_train_scenario(Document::parse(json(), "case"), MOESIM_SOURCE_DIR); }
};

/// A valid random layout of at most 128 GPUs.
inline TrainCase random_case(std::uint64_t seed) {
  RandomStream draw(seed, "train case");
  const auto pick = [&](auto values) { return values[static_cast<std::size_t>(draw() % values.size())]; };
  while (true) {
    TrainCase c;
    c.gpus = pick(std::vector<std::int64_t>{4, 8, 12, 16, 24, 32, 48, 64, 96, 128});
    c.tp = pick(std::vector<std::int64_t>{1, 1, 2, 4});
    c.pp = pick(std::vector<std::int64_t>{1, 2, 4});
    c.vpp = c.pp > 1 ? pick(std::vector<std::int64_t>{1, 1, 2}) : 1;
    c.ep = pick(std::vector<std::int64_t>{1, 2, 4, 8, 16, 32});
    c.etp = pick(std::vector<std::int64_t>{1, c.tp});
    c.hardware = pick(std::vector<std::string>{"\"dgx-h100\"", "\"alps-gh200\"", "\"h800-deepseek\""});
    c.model = pick(std::vector<std::string>{R"({"extends": "qwen3-30b-a3b", "num_hidden_layers": 8})",
                                            R"({"extends": "deepseek-v2-lite", "num_hidden_layers": 8})"});
    c.dispatcher = pick(std::vector<std::string>{"alltoall", "allgather", "deepep"});
    c.recompute = pick(std::vector<std::string>{R"({"granularity": "none"})", R"({"granularity": "full"})",
                                                R"({"granularity": "selective", "modules": ["layernorm", "moe_act"]})"});
    c.overlap_dp = draw() & 1;
    c.overlap_p2p = c.vpp > 1 && (draw() & 1);
    c.overlap_tp = c.tp > 1 && (draw() & 1);
    c.distributed = draw() % 4 != 0;
    c.micro_batches = c.pp * static_cast<std::int64_t>(1 + draw() % 3);
    if (c.gpus % (c.tp * c.pp) != 0 || c.gpus % (c.etp * c.ep * c.pp) != 0) continue;
    return c;
  }
}

}  // namespace moesim
