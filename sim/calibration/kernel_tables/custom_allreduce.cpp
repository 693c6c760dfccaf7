// Fused all-reduce kernels of TensorRT-LLM and vLLM on one node, by number of GPUs and bytes: one shot (each GPU reads all others), two shots (scatter
// and gather), in the switch, and NCCL above the kernel's largest size.
#include <algorithm>
#include <array>
#include <optional>

#include "calibration/curve_table.h"
#include "calibration/kernel_tables/generations.h"
#include "calibration/kernel_tables/rows.h"

namespace moesim {
namespace {

constexpr double kMiB = 1 << 20;
enum At : std::size_t { kGpus, kBytes, kGeneration };
enum class Way { host, one_shot, two_shots, in_switch, nccl };
constexpr std::array<std::string_view, 5> kWays{"host", "one shot", "two shots", "in switch", "nccl"};

/// TensorRT-LLM's workspace holds 16 MB for two GPUs, else 8 MB; on A100 its release of then goes to NCCL from 2 MiB.
Way of_trtllm(double gpus, double bytes, NcclGeneration g) {
  const double most = g == NcclGeneration::ampere ? kMiB : gpus <= 2 ? 16e6 : 8e6;
  if (bytes > most) return Way::nccl;
  return (gpus - 1) * bytes <= 1.5 * kMiB ? Way::one_shot : Way::two_shots;
}

/// vLLM: sizes at which its curves change: one shot below 512 KiB (256 KiB above four GPUs), its kernel up to a largest size, then kernels on symmetric
/// memory, then NCCL.
Way of_vllm(double gpus, double bytes, NcclGeneration g) {
  const std::size_t by = gpus <= 2 ? 0 : gpus <= 4 ? 1 : 2;
  constexpr std::array<std::array<double, 3>, 3> own{{{8, 8, 8}, {64, 32, 0.25}, {2, 2, 1}}}, symmetric{{{8, 8, 8}, {64, 32, 64}, {8, 32, 128}}};
  const auto generation = static_cast<std::size_t>(g);
  if (bytes < own[generation][by] * kMiB) return by == 0 || bytes < (by == 1 ? 0.5 : 0.25) * kMiB ? Way::one_shot : Way::two_shots;
  return bytes < symmetric[generation][by] * kMiB ? Way::in_switch : Way::nccl;
}

class CustomAllReduceTable : public CurveTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "version", "kernel", "num_gpus", "bytes", "latency_us"}; }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows&) const override {
    const std::size_t system = t.column("system");
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const TableRow cells(t, row);
      const std::string of(t.text(row, system));
      const NcclGeneration generation = nccl_generation_of(device, hw);
      if (of != device && !is_of_generation(of, generation)) continue;
      TimedSeries& s = series_named(out, {of, "custom_allreduce", cells.text("framework"), cells.text("kernel"), "bfloat16", {}});
      TimedRow r;
      const std::int64_t gpus = cells.integer("num_gpus", 4096, 2);
      r.at = {static_cast<double>(gpus), static_cast<double>(cells.integer("bytes", std::int64_t{1} << 50)), static_cast<double>(generation)};
      r.shape = (of == device ? "" : of + " ") + s.kernel + ", " + std::to_string(gpus) + " GPUs";
      r.size = r.at[kBytes];
      r.seconds = cells.seconds();
      r.closed_form = nccl_pick(CollectiveOp::all_reduce, r.size, gpus, generation).seconds;
      s.rows.push_back(std::move(r));
    }
    return out;
  }

  CurvePoint point(const TimedSeries& s, const TimedRow& r) const override {
    const auto generation = static_cast<NcclGeneration>(r.at[kGeneration]);
    const double gpus = r.at[kGpus], bytes = r.at[kBytes], gigabytes = bytes / 1e9;
    const Way way = way_of(s, gpus, bytes, generation);
    CurvePoint out;
    out.machine = s.device;
    out.kind = s.framework + " " + s.kernel;
    out.regime = kWays[static_cast<std::size_t>(way)];
    out.form = std::string(name(generation)) + " " + (way == Way::nccl ? "" : out.kind + " ") + out.regime;
    const double two_shots = 2 * (gpus - 1) / gpus * gigabytes;
    switch (way) {
      case Way::host: out.terms = {1e-6, 0, 0}; break;
      case Way::one_shot: out.terms = {1e-6, 1e-6 * (gpus - 1), (gpus - 1) * gigabytes}; break;
      case Way::in_switch: out.terms = {1e-6, 1e-6 * (gpus - 1), gigabytes}; break;
      case Way::two_shots:
      case Way::nccl: out.terms = {1e-6, 1e-6 * (gpus - 1), two_shots}; break;
    }
    out.log_gpus = log2_of(gpus);
    out.log_size = log2_of(bytes);
    out.seconds = r.seconds;
    return out;
  }

  double likeness(std::string_view, std::string_view) const override { return 0.5; }

  std::string_view folder() const override { return "fused"; }
  std::optional<Shipped> ships() const override { return Shipped{{2, 3, 4, 5, 6, 7, 8}, 8, 8, 30, false, true, false}; }

  std::vector<Operation> operations(std::span<const TimedSeries> all, std::string_view device) const override {
    std::vector<Operation> out;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].device == device) out.push_back({all[i].framework + (is_eager(all[i]) ? "_eager" : ""), CollectiveOp::all_reduce, i, true});
    std::sort(out.begin(), out.end(), [](const Operation& a, const Operation& b) { return a.name < b.name; });
    return out;
  }

  TimedRow asked(CollectiveOp, std::int64_t gpus, double bytes, std::string_view device, const HwProfile& hw) const override {
    TimedRow out;
    out.at = {static_cast<double>(gpus), bytes, static_cast<double>(nccl_generation_of(device, hw))};
    return out;
  }

  std::int64_t gpus(const TimedRow& r) const override { return static_cast<std::int64_t>(r.at[kGpus]); }

 private:
  static bool is_eager(const TimedSeries& s) { return s.kernel.find("eager") != std::string::npos; }

  /// A plain launch of up to a MiB takes as long as the host needs for it.
  static Way way_of(const TimedSeries& s, double gpus, double bytes, NcclGeneration g) {
    if (s.framework == "trtllm") return of_trtllm(gpus, bytes, g);
    const Way way = of_vllm(gpus, bytes, g);
    return is_eager(s) && bytes <= kMiB && way != Way::nccl ? Way::host : way;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_custom_allreduce_table() { return std::make_unique<CustomAllReduceTable>(); }

}  // namespace moesim
