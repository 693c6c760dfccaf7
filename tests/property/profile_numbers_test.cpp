// Which numbers of a machine and of a software stack a training report depends on: each is doubled and halved, alone. `unused_by_train`
// lists those that change nothing, and `moesim hw` marks them; here the list is held to what happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "base/unit_text.h"
#include "hw/unused.h"
#include "property/fingerprint.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

struct Run {
  std::string text;
  Detail detail = Detail::fold;
  std::vector<std::string> stack = {};   // settings of the stack, where its numbers are tried
};

/// Between them they use a dense and a MoE model, one node and several, both formats, capacity, each way of exchange, overlap and recomputation.
std::vector<Run> runs() {
  const std::string moe = R"({"extends": "qwen3-30b-a3b", "num_hidden_layers": 4})", dense = R"({"extends": "llama-3-8b", "num_hidden_layers": 4})";
  const auto scenario = [](const std::string& model, const std::string& rest) { return R"({"kind": "train", "model": )" + model + ", " + rest + "}"; };
  const std::string narrow = R"({"extends": "llama-3-8b", "num_hidden_layers": 4, "head_dim": 64})";
  return {
      {scenario(dense, R"("gpus": 20, "parallel": {"tp": 2, "pp": 2}, "batch": {"seq_length": 2048})")},
      {scenario(dense, R"("gpus": 8, "parallel": {"tp": 4}, "overlap": {"grad_reduce": true, "param_gather": true, "tp": true})")},
      {scenario(dense, R"("gpus": 32, "parallel": {"tp": 8, "pp": 2, "vpp": 2}, "overlap": {"grad_reduce": true, "param_gather": true})")},
      {scenario(moe, R"("gpus": 4, "parallel": {"ep": 4}, "batch": {"seq_length": 256})"), Detail::fold,
       {"stack.cuda_graph_attn=true", "stack.cuda_graph_moe_router=true"}},
      {scenario(narrow, R"("gpus": 4, "parallel": {"pp": 2}, "perturb": {"gpu_speed_spread": true})")},
      {scenario(moe, R"("gpus": 4, "parallel": {"ep": 4})")},
      {scenario(moe, R"("gpus": 144, "parallel": {"ep": 8}, "moe": {"dispatcher": "alltoall"}, "optimizer": {"distributed": false})")},
      {scenario(moe, R"("gpus": 1024, "parallel": {"tp": 2, "ep": 16, "etp": 1, "pp": 2}, "moe": {"dispatcher": "hybridep"})")},
      {scenario(moe, R"("gpus": 32, "parallel": {"ep": 16}, "precision": {"compute": "fp8"}, "moe": {"dispatcher": "allgather", "capacity_factor": 1.2})")},
      {scenario(moe, R"("gpus": 16, "parallel": {"tp": 2, "ep": 8, "etp": 1}, "precision": {"compute": "fp8"}, "batch": {"seq_length": 256},
                        "recompute": {"granularity": "selective", "modules": ["moe_act", "layernorm"]})"), Detail::ranks},
  };
}

/// "450 GB/s" times two: the number at the front, the unit kept; something for nothing. Empty for what begins with none.
std::string scaled(const std::string& value, double factor) {
  char* rest = nullptr;
  const double number = std::strtod(value.c_str(), &rest);
  if (rest == value.c_str()) return "";
  const double times = number == 0 ? 1000 * factor : number * factor;
  std::string text = times == std::floor(times) && times < 1e15 ? std::to_string(static_cast<long long>(times)) : std::to_string(times);
  return *rest ? "\"" + text + rest + "\"" : text;
}

/// What `run` shows with one number changed; empty if the change is refused (a share over 1, fp8 on a machine without it).
std::string shown(const Run& run, const std::string& section, const std::string& base, const std::string& path, const std::string& value) {
  try {
    Document doc = Document::parse(run.text, "run");
    if (section != "hardware") doc = doc.with("hardware=dgx-h100");
    doc = doc.with(section + R"(={"extends": ")" + base + "\"}");
    if (section == "stack")
      for (const std::string& set : run.stack) doc = doc.with(set);
    if (path == "gpu.sms")   // rates belong to SMs: the same rates, said again
      for (const auto& [dtype, rate] : load_hw_profile(base, kData).gpu.peak) doc = doc.with("hardware.gpu.peak." + std::string(name(dtype)) + "=\"" + to_text(rate.value) + "\"");
    if (!path.empty()) doc = doc.with(section + "." + path + "=" + value);
    const TrainScenario s = read_train_scenario(doc, kData);
    std::string out = test::fingerprint(s, run.detail);
    for (const std::string& w : s.warnings)
      if (w.find("nodes of") != std::string::npos) out += w;
    return out;
  } catch (const InputError&) { return ""; }
}

std::set<std::string> without_effect(const std::string& section, const std::string& base, const std::vector<ProfileNumber>& numbers) {
  std::set<std::string> out;
  for (const ProfileNumber& n : numbers) out.insert(n.path);
  for (const Run& run : runs()) {
    const std::string before = shown(run, section, base, "", "");
    if (before.empty()) continue;
    for (const ProfileNumber& n : numbers)
      for (const double factor : {2.0, 0.5}) {
        if (!out.contains(n.path)) break;
        const std::string value = scaled(n.value, factor), after = value.empty() ? "" : shown(run, section, base, n.path, value);
        if (!after.empty() && after != before) out.erase(n.path);
      }
  }
  return out;
}

class ProfileNumbers : public testing::TestWithParam<std::string> {};

TEST_P(ProfileNumbers, AreUsedUnlessMarked) {
  const HwProfile p = load_hw_profile(GetParam(), kData);
  std::set<std::string> marked;
  for (const ProfileNumber& n : p.numbers)
    if (unused_by_train(n.path)) marked.insert(n.path);
  EXPECT_EQ(without_effect("hardware", GetParam(), p.numbers), marked);
}

INSTANTIATE_TEST_SUITE_P(Machines, ProfileNumbers, testing::Values("alps-gh200", "dgx-h100", "gb200-nvl72"), [](const auto& i) {
  std::string out = i.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
});

TEST(StackNumbers, AreAllUsed) {
  const Stack s = load_stack("megatron-core-2026.04", kData);
  EXPECT_EQ(without_effect("stack", "megatron-core-2026.04", s.numbers), std::set<std::string>{});
}

}  // namespace
}  // namespace moesim
