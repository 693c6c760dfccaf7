// nccl-tests on one node: all_gather, all_reduce, alltoall, reduce_scatter by number of GPUs and bytes. Releases of NCCL are pooled: where they
// differ by more than noise is said in sim/calibration/README.md.
#include <algorithm>
#include <array>
#include <optional>

#include "calibration/curve_table.h"
#include "calibration/kernel_tables/generations.h"
#include "calibration/kernel_tables/rows.h"

namespace moesim {
namespace {

constexpr std::array kOps{CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all};
constexpr std::int64_t kMostGpus = 4096, kMostBytes = std::int64_t{1} << 50;
/// On Hopper NVLS starts in 35 us and reaches 420 GB/s of bus bandwidth where NCCL reckons with 25 us and 574 GB/s.
constexpr double kNvlsOverEstimate = 1.38;
enum At : std::size_t { kOp, kGpus, kBytes, kGeneration };

std::optional<std::size_t> op_index(std::string_view text) {
  if (text == "alltoall") text = "all_to_all";
  for (std::size_t i = 0; i < kOps.size(); ++i)
    if (name(kOps[i]) == text) return i;
  return std::nullopt;
}

class NcclTable : public CurveTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "nccl_version", "op", "num_gpus", "bytes", "latency_us"}; }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    const NcclGeneration generation = nccl_generation_of(device, hw);
    const std::size_t system = t.column("system"), op = t.column("op");
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const std::string_view of = t.text(row, system);
      const std::optional<std::size_t> index = op_index(t.text(row, op));
      if (of != device && !is_of_generation(of, generation)) continue;
      if (!index) {
        if (of == device) unanswered.add(TableRow(t, row).unknown("op", "all_reduce, all_gather, reduce_scatter and alltoall"));
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(of), "nccl", "nccl", std::string(name(kOps[*index])), "half", {}});
      s.rows.push_back(timed(TableRow(t, row), *index, generation, of == device ? "" : std::string(of) + " "));
    }
    return out;
  }

  CurvePoint point(const TimedSeries& s, const TimedRow& r) const override {
    const auto gpus = static_cast<std::int64_t>(r.at[kGpus]);
    const CollectiveOp op = kOps[static_cast<std::size_t>(r.at[kOp])];
    const auto generation = static_cast<NcclGeneration>(r.at[kGeneration]);
    const NcclPick pick = nccl_pick(op, r.at[kBytes], gpus, generation);
    CurvePoint out;
    out.regime = std::string(pick.algorithm) + " " + std::string(effective_protocol(pick, generation));
    out.form = std::string(name(generation)) + " " + out.regime;
    const double moved = r.at[kBytes] * bus_factor(op, gpus) / 1e9, peers = static_cast<double>(gpus - 1);
    if (pick.algorithm == "nvls") out.terms = {1e-6, 0, moved}, out.guess = kNvlsOverEstimate * pick.seconds;
    else if (pick.algorithm == "ring") out.terms = {1e-6, 1e-6 * static_cast<double>(ring_steps(op, gpus)), moved};
    else out.terms = {1e-6, 1e-6 * peers, pick.protocol == "LL" ? r.at[kBytes] / static_cast<double>(gpus) / 1e9 : moved};
    out.machine = s.device;
    out.kind = name(op);
    out.log_gpus = log2_of(r.at[kGpus]);
    out.log_size = log2_of(r.at[kBytes]);
    out.seconds = r.seconds;
    return out;
  }

  double likeness(std::string_view a, std::string_view b) const override {
    if (a == name(CollectiveOp::all_to_all) || b == name(CollectiveOp::all_to_all)) return 0;
    return a == name(CollectiveOp::all_reduce) || b == name(CollectiveOp::all_reduce) ? 0.6 : 0.9;
  }

  std::optional<Shipped> ships() const override { return Shipped{{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32, 48, 64, 72}, 8, 9, 34, false, false, true}; }

  std::optional<std::size_t> series_of(CollectiveOp op, std::span<const TimedSeries> all, std::string_view device) const override {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].device == device && all[i].kernel == name(op)) return i;
    return std::nullopt;
  }

  TimedRow asked(CollectiveOp op, std::int64_t gpus, double bytes, std::string_view device, const HwProfile& hw) const override {
    TimedRow out;
    out.at = {static_cast<double>(std::find(kOps.begin(), kOps.end(), op) - kOps.begin()), static_cast<double>(gpus), bytes,
              static_cast<double>(nccl_generation_of(device, hw))};
    return out;
  }

  std::int64_t gpus(const TimedRow& r) const override { return static_cast<std::int64_t>(r.at[kGpus]); }

 private:
  /// On Blackwell the sizes of LL128 lie on the curve of Simple.
  static std::string_view effective_protocol(const NcclPick& p, NcclGeneration g) {
    return g == NcclGeneration::blackwell && p.protocol == "LL128" ? "Simple" : p.protocol;
  }

  static TimedRow timed(const TableRow& cells, std::size_t index, NcclGeneration generation, const std::string& prefix) {
    const std::int64_t gpus = cells.integer("num_gpus", kMostGpus, 2), bytes = cells.integer("bytes", kMostBytes);
    TimedRow out;
    out.shape = prefix + std::string(name(kOps[index])) + ", " + std::to_string(gpus) + " GPUs";
    out.at = {static_cast<double>(index), static_cast<double>(gpus), static_cast<double>(bytes), static_cast<double>(generation)};
    out.size = static_cast<double>(bytes);
    out.seconds = cells.seconds();
    out.closed_form = nccl_pick(kOps[index], out.size, gpus, generation).seconds;
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_nccl_table() { return std::make_unique<NcclTable>(); }

}  // namespace moesim
