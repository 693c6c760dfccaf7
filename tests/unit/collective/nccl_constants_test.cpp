// NCCL's constants in code against all of them as published.
#include "collective/nccl_constants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "base/csv.h"
#include "base/file_text.h"

namespace moesim {
namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string>;

std::map<Key, double> published() {
  const std::filesystem::path file = std::filesystem::path(MOESIM_SOURCE_DIR) / "validate/kernels/nccl_tuning_constants.csv";
  const CsvTable t = CsvTable::parse(read_file(file), file.string());
  std::map<Key, double> out;
  for (std::size_t r = 0; r < t.rows(); ++r) {
    const auto cell = [&](const char* c) { return std::string(t.text(r, t.column(c))); };
    out[{cell("table"), cell("domain"), cell("algorithm"), cell("protocol_or_scale")}] = t.number(r, t.column("value"));
  }
  return out;
}

TEST(NcclConstants, LatenciesAreThePublishedOnes) {
  const auto all = published();
  const std::pair<const char*, nccl::AlgorithmLatency> algorithms[] = {{"Tree", nccl::kTree}, {"Ring", nccl::kRing}, {"NVLS", nccl::kNvls}, {"PAT", nccl::kPat}};
  const std::pair<const char*, nccl::Protocol> protocols[] = {{"LL", nccl::ll}, {"LL128", nccl::ll128}, {"Simple", nccl::simple}};
  for (const auto& [algorithm, l] : algorithms)
    for (const auto& [protocol, p] : protocols) {
      EXPECT_EQ(l.base[p], all.at({"base_latency_us", "", algorithm, protocol})) << algorithm << " " << protocol;
      EXPECT_EQ(l.nvlink[p], all.at({"hw_latency_us", "NVLINK", algorithm, protocol})) << algorithm << " " << protocol;
      EXPECT_EQ(l.pcie[p], all.at({"hw_latency_us", "PCI", algorithm, protocol})) << algorithm << " " << protocol;
      EXPECT_EQ(l.network[p], all.at({"hw_latency_us", "NET", algorithm, protocol})) << algorithm << " " << protocol;
    }
}

TEST(NcclConstants, LimitsOfGenerationsAreThePublishedOnes) {
  const auto all = published();
  const std::tuple<const char*, const char*, std::size_t> generations[] = {{"Ampere/AMD", "Ampere", 0}, {"Hopper", "Hopper", 1}, {"Blackwell", "Blackwell", 2}};
  for (const auto& [ll, others, g] : generations) {
    EXPECT_EQ(nccl::kGenerations[g].ll_most, all.at({"ll_max_bw", ll, "", "1node"}));
    EXPECT_EQ(nccl::kGenerations[g].ring_ll128_per_channel, all.at({"per_channel_ring_ll128_bw", others, "", "1node"}));
    if (g > 0) {
      EXPECT_EQ(nccl::kGenerations[g].nvls_share, all.at({"nvls_efficiency", others, "", ""}));
    }
  }
}

}  // namespace
}  // namespace moesim
