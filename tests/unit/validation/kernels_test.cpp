#include "validation/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

// One test, also of their text, because fitting each table without each shape takes seconds. The bounds are those that the product promises for shapes that a fit
// never saw, in percent.
struct Bound {
  double median, mean;
};

// What is promised of each device.
Bound bound(const DeviceScore& d) {
  if (d.table == "gemm") return {0.045, 0.07};
  if (d.table == "moe") return {0.075, 0.12};
  if (d.table == "training") return {0.06, 0.11};
  if (d.table == "quantize") return {0.04, 0.06};
  return {0.04, 0.08};   // attention, decode, mla
}

constexpr std::array<const char*, 6> kKinds{"gemm", "moe", "attention", "decode", "mla", "quantize"};

std::string percent(double share) {
  char out[32];
  std::snprintf(out, sizeof out, "%.1f", 100 * share);
  return out;
}

// "| gemm | 3.9 / 5.9 | ... | 16.3 |": median and mean on each device, and the mean of the roofline.
std::string readme_row(const KernelReport& r, const std::string& kind) {
  std::string out = "| " + kind + " |";
  const std::vector<DeviceScore> devices = device_scores(r);
  for (const char* device : {"a100_sxm", "h100_sxm", "h200_sxm", "b200_sxm", "gb200", "rtx_pro_6000_server"}) {
    const auto d = std::find_if(devices.begin(), devices.end(), [&](const DeviceScore& s) { return s.table == kind && s.device == device; });
    out += d == devices.end() ? " |" : " " + percent(d->left_out.median) + " / " + percent(d->left_out.mean) + " |";
  }
  double rows = 0, simple = 0;
  for (const DeviceScore& d : devices)
    if (d.table == kind) rows += static_cast<double>(d.left_out.rows), simple += static_cast<double>(d.left_out.rows) * d.baseline.value();
  return out + " " + percent(simple / rows) + " |";
}

// MOESIM_UPDATE_GOLDEN=1 writes the rows anew.
void expect_readme(const KernelReport& r) {
  const std::filesystem::path file = kData / "README.md";
  std::ifstream in(file);
  std::string was, now;
  for (std::string line; std::getline(in, line);) {
    was += line + "\n";
    for (const char* kind : kKinds)
      if (line.starts_with("| " + std::string(kind) + " | ")) line = readme_row(r, kind);
    now += line + "\n";
  }
  for (const char* kind : kKinds) EXPECT_NE(now.find(readme_row(r, kind)), std::string::npos) << kind;
  if (std::getenv("MOESIM_UPDATE_GOLDEN"))
    std::ofstream(file) << now;
  else
    EXPECT_EQ(was, now) << "README.md shows other errors of kernels: MOESIM_UPDATE_GOLDEN=1 writes them";
}

TEST(ShippedKernelTables, AreWithinTheirBoundsOnShapesLeftOut) {
  const KernelReport r = validate_kernels(kData);
  int devices = 0;
  for (const DeviceScore& d : device_scores(r)) {
    if (std::find(kKinds.begin(), kKinds.end(), d.table) == kKinds.end() && d.table != "training") continue;
    SCOPED_TRACE(d.table + ", " + d.device);
    ++devices;
    EXPECT_LE(d.left_out.median, bound(d).median);
    EXPECT_LE(d.left_out.mean, bound(d).mean);
    EXPECT_LT(d.left_out.mean, d.baseline.value());
  }
  expect_readme(r);
  for (const CliffDetail detail : {CliffDetail::summary, CliffDetail::all}) {
    std::istringstream text(to_text(r, detail));
    for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_EQ(devices, 6 + 5 + 5 + 5 + 5 + 4 + 2);
  EXPECT_EQ(r.cliffs.size(), 24U);
  for (const auto& [what, why] : r.skipped) EXPECT_NE(why.find(" rows: "), std::string::npos) << what << ": " << why;   // no file
  int exchanges = 0;
  for (const SeriesScore& s : r.scores) {
    const bool is_exchange = s.table.rfind("deepep", 0) == 0 || s.table == "moe_alltoall";
    if (!is_exchange || s.left_out.rows == 0 || s.kernel.find("unhealthy") != std::string::npos) continue;
    SCOPED_TRACE(s.table + ", " + s.device + ", " + s.framework + " " + s.kernel + ", " + s.format);
    ++exchanges;
    const bool notify = s.kernel.find("notify") != std::string::npos;   // single rows are several times their neighbours
    EXPECT_LE(s.left_out.mean, notify ? 0.25 : 0.15);
    ASSERT_TRUE(s.left_out_sizes);
    EXPECT_LE(s.left_out_sizes->mean, notify ? 0.15 : 0.08);
    EXPECT_LT(s.left_out.mean, s.closed_form.mean);
  }
  EXPECT_GE(exchanges, 34);   // on H100, H200, B200 and GB200: DeepEP 12 normal and 10 low-latency series, and 12 of NVL72
}

}  // namespace
}  // namespace moesim
