// nccl-tests and NVSHMEM over 2 to 32 nodes of 8 H100 with EFA, out of place, by number of GPUs and MiB.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "calibration/curve_table.h"
#include "calibration/kernel_tables/rows.h"
#include "collective/collective.h"

namespace moesim {
namespace {

constexpr std::string_view kMachine = "aws-p5-h100";   // the table names no system: it is of one cluster
constexpr std::int64_t kMostGpus = 1 << 16;
constexpr double kNode = 8, kMost = 1e9;
enum At : std::size_t { kOp, kGpus, kBytes };

struct Named {
  std::string_view table;
  std::optional<CollectiveOp> op;   // none: NVSHMEM
};
constexpr std::array kOps{Named{"all_reduce", CollectiveOp::all_reduce}, Named{"all_gather", CollectiveOp::all_gather}, Named{"reduce_scatter", CollectiveOp::reduce_scatter},
                          Named{"alltoall", CollectiveOp::all_to_all}, Named{"nvshmem_alltoall_device", std::nullopt}, Named{"nvshmem_alltoall_host", std::nullopt}};

class MultinodeTable : public CurveTable {
 public:
  std::vector<std::string_view> columns() const override { return {"op", "nodes", "gpus", "size_MB", "out_algbw_GBps"}; }
  std::vector<std::string> devices(const CsvTable&) const override { return {std::string(kMachine)}; }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const auto named = std::find_if(kOps.begin(), kOps.end(), [&](const Named& n) { return n.table == t.text(row, t.column("op")); });
      if (named == kOps.end()) {
        unanswered.add(TableRow(t, row).unknown("op", "all_reduce, all_gather, reduce_scatter, alltoall, nvshmem_alltoall_device and nvshmem_alltoall_host"));
        continue;
      }
      const std::string kernel(named->op ? name(*named->op) : named->table);
      TimedSeries& s = series_named(out, {std::string(device), "nccl_multinode", named->op ? "nccl" : "nvshmem", kernel, "float", {}});
      s.rows.push_back(timed(t, row, static_cast<std::size_t>(named - kOps.begin()), hw));
    }
    return out;
  }

  CurvePoint point(const TimedSeries& s, const TimedRow& r) const override {
    CurvePoint out;
    out.machine = s.device;
    out.kind = kind(kOps[static_cast<std::size_t>(r.at[kOp])]);
    out.form = out.regime = out.kind;
    out.terms = terms(out.kind, r.at[kGpus], r.at[kBytes]);
    out.log_gpus = log2_of(r.at[kGpus]);
    out.log_size = log2_of(r.at[kBytes]) - 0.5 * out.log_gpus;   // dips and knees sit between equal totals and equal shares
    out.seconds = r.seconds;
    return out;
  }

  double likeness(std::string_view, std::string_view) const override { return 0; }

  std::optional<Shipped> ships() const override { return Shipped{{16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096}, 256, 9, 34, true, true}; }

  std::optional<std::size_t> series_of(CollectiveOp op, std::span<const TimedSeries> all, std::string_view) const override {
    const std::string wanted = kind(kOps[index_of(op)]);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].rows.empty() && kind(kOps[static_cast<std::size_t>(all[i].rows.front().at[kOp])]) == wanted) return i;
    return std::nullopt;
  }

  TimedRow asked(CollectiveOp op, std::int64_t gpus, double bytes, std::string_view, const HwProfile&) const override {
    TimedRow out;
    out.at = {static_cast<double>(index_of(op)), static_cast<double>(gpus), bytes};
    return out;
  }

  std::int64_t gpus(const TimedRow& r) const override { return static_cast<std::int64_t>(r.at[kGpus]); }

 private:
  static std::size_t index_of(CollectiveOp op) {
    std::size_t i = 0;
    while (i + 1 < kOps.size() && kOps[i].op != op) ++i;
    return i;
  }

  /// A ring gathers as it scatters.
  static std::string kind(const Named& n) { return n.op == CollectiveOp::reduce_scatter ? "all_gather" : std::string(n.table); }

  /// k nodes: a ring makes n - k steps inside and k - 1 between nodes and each NIC carries S / 8; a tree is log2(k) deep, its NICs carry 2 (k - 1) / k of
  /// S / 8, and chunks that pile up along it cost sqrt(depth S); an exchange sends (n - 8) / n of S in n - 8 messages.
  static std::array<double, CurvePoint::kTerms> terms(const std::string& kind, double gpus, double bytes) {
    const double nodes = gpus / kNode, gigabytes = bytes / 1e9, depth = std::max(1.0, log2_of(nodes));
    if (kind == "all_gather") return {1e-6 * (gpus - nodes), 1e-6 * std::max(0.0, nodes - 1), gigabytes / kNode};
    if (kind == "all_reduce") return {1e-6 * depth, 2 * std::max(0.0, nodes - 1) / nodes * gigabytes / kNode, std::sqrt(depth * gigabytes)};
    if (kind == "alltoall") return {1e-6, 1e-6 * std::max(0.0, gpus - kNode), std::max(1.0, gpus - kNode) / gpus * gigabytes};
    return {1e-6, gigabytes, 0};
  }

  static TimedRow timed(const CsvTable& t, std::size_t row, std::size_t op, const HwProfile& hw) {
    const TableRow cells(t, row);
    const std::int64_t gpus = cells.integer("gpus", kMostGpus, 2);
    const double bytes = std::round(t.number(row, t.column("size_MB"), {1e-6, kMost}) * 1048576);
    TimedRow out;
    out.shape = cells.text("op") + ", " + std::to_string(gpus) + " GPUs";
    out.at = {static_cast<double>(op), static_cast<double>(gpus), bytes};
    out.size = bytes;
    out.seconds = bytes / (t.number(row, t.column("out_algbw_GBps"), {1e-9, kMost}) * 1e9);
    std::vector<Rank> members;
    for (std::int64_t r = 0; r < gpus; ++r) members.emplace_back(static_cast<std::uint32_t>(r));
    const CollectiveOp formula = kOps[op].op.value_or(CollectiveOp::all_to_all);
    const Transfer transfer = collective(formula, Bytes{static_cast<std::int64_t>(bytes)}, place(members, hw), hw).transfer;
    out.closed_form = seconds(transfer.latency + transfer.span);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_nccl_multinode_table() { return std::make_unique<MultinodeTable>(); }

}  // namespace moesim
