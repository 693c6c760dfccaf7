// Two nodes of Alps: nccl-tests all_reduce on 8 GPUs, OSU bandwidth and all-to-all, NVSHMEM all-to-all. Rows without the fabric's hook are unoptimised
// on purpose and are left out. OSU's all-to-all counts bytes of one peer.
#include <array>
#include <cmath>
#include <optional>

#include "calibration/curve_table.h"
#include "calibration/kernel_tables/rows.h"
#include "collective/collective.h"

namespace moesim {
namespace {

constexpr std::string_view kMachine = "alps-gh200", kNcclAllReduce = "nccl_all_reduce_2nodes_8gpu";
constexpr double kMost = 1e12;
enum At : std::size_t { kBytes };

std::string family(const std::string& test) { return test.starts_with("nccl") ? "nccl" : test.starts_with("osu") ? "osu" : "nvshmem"; }

class AlpsTable : public CurveTable {
 public:
  std::vector<std::string_view> columns() const override { return {"test", "network", "bytes", "time_us", "algbw_GBps"}; }
  std::vector<std::string> devices(const CsvTable&) const override { return {std::string(kMachine)}; }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const TableRow cells(t, row);
      const std::string test = cells.text("test");
      const double bytes = t.number(row, t.column("bytes"), {1, kMost});
      const std::optional<double> time = seconds_of(t, row, bytes);
      if (cells.text("network") != "cxi" || !time) {
        unanswered.add(time ? "network " + shortened(cells.text("network")) + ": without the fabric's hook (cxi)" : "a bandwidth printed as 0");
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "alps", family(test), test, "float", {}});
      TimedRow r;
      r.shape = test;
      r.at = {bytes};
      r.size = bytes;
      r.seconds = *time;
      r.closed_form = formula(test, bytes, hw);
      s.rows.push_back(std::move(r));
    }
    return out;
  }

  CurvePoint point(const TimedSeries& s, const TimedRow& r) const override {
    CurvePoint out;
    out.machine = s.device;
    out.kind = out.form = out.regime = s.kernel;
    const double gigabytes = r.at[kBytes] / 1e9;
    out.terms = {1e-6, std::sqrt(gigabytes), gigabytes};
    out.log_size = log2_of(r.at[kBytes]);
    out.seconds = r.seconds;
    return out;
  }

  double likeness(std::string_view, std::string_view) const override { return 0; }

  std::optional<Shipped> ships() const override { return Shipped{{8, 12, 16, 24, 32, 48, 64}, 8, 3, 34, true, false}; }

  std::optional<std::size_t> series_of(CollectiveOp op, std::span<const TimedSeries> all, std::string_view) const override {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (op == CollectiveOp::all_reduce && all[i].kernel == kNcclAllReduce) return i;
    return std::nullopt;
  }

  TimedRow asked(CollectiveOp, std::int64_t, double bytes, std::string_view, const HwProfile&) const override {
    TimedRow out;
    out.at = {bytes};
    return out;
  }

  std::int64_t gpus(const TimedRow&) const override { return 8; }

 private:
  /// The time, or what the bandwidth means where a test prints that; bandwidths that are printed as 0 say nothing.
  static std::optional<double> seconds_of(const CsvTable& t, std::size_t row, double bytes) {
    if (!t.text(row, t.column("time_us")).empty()) return t.number(row, t.column("time_us"), {1e-3, kMost}) * 1e-6;
    const double rate = t.number(row, t.column("algbw_GBps"), {0, kMost});
    if (rate == 0) return std::nullopt;
    return bytes / (rate * 1e9);
  }

  static double formula(const std::string& test, double bytes, const HwProfile& hw) {
    std::vector<Rank> members;
    const bool bandwidth = test.starts_with("osu_bw");
    for (std::uint32_t r = bandwidth ? 3 : 0; r < (bandwidth ? 5U : 8U); ++r) members.emplace_back(r);
    const CollectiveOp op = test == kNcclAllReduce ? CollectiveOp::all_reduce : bandwidth ? CollectiveOp::send_recv : CollectiveOp::all_to_all;
    const double whole = test.starts_with("osu_alltoall") ? bytes * 8 : bytes;
    const Transfer transfer = collective(op, Bytes{static_cast<std::int64_t>(std::ceil(whole))}, place(members, hw), hw).transfer;
    return seconds(transfer.latency + transfer.span);
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_alps_table() { return std::make_unique<AlpsTable>(); }

}  // namespace moesim
