// One rank's MoE layer: routing, permutation, two grouped GEMMs, activation, unpermutation. `tokens` enter the whole group of `ep` ranks.
#include <algorithm>
#include <optional>

#include "calibration/kernel_tables/rows.h"
#include "calibration/surface_fit.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

Op grouped(std::int64_t rows, std::int64_t n, std::int64_t k, std::int64_t experts, DType type) {
  Op op;
  op.kind = OpKind::grouped_gemm;
  op.dtype = type;
  op.m = rows, op.n = n, op.k = k, op.groups = experts;
  return op;
}

Op moving(OpKind kind, std::int64_t bytes) {
  Op op;
  op.kind = kind;
  op.traffic = Bytes{bytes};
  return op;
}

// Rows that the facts of the table exclude: a kernel whose cost does not fall with EP, and a model that is up to seven times off.
bool excluded(const CsvTable& t, const TableRow& cells) {
  return (cells.text("kernel") == "sglang_fused_moe_triton" && cells.integer("ep") > 1) || (t.has("model") && cells.text("model").find("scout") != std::string::npos);
}

constexpr std::int64_t kWidest = 1 << 20, kExperts = 1 << 14;

class MoeTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "hidden", "inter", "topk", "experts", "dtype", "ep", "distribution", "tokens", "latency_us"};
  }

  std::vector<double> scale() const override { return {1, 0.5, 0.5, 0.5, 0.3}; }

  std::vector<TimedSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst);
    const std::size_t system = t.column("system"), distribution = t.column("distribution");
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const TableRow cells(t, row);
      const std::optional<DType> type = dtype_of(cells.text("dtype"));
      if (t.text(row, system) != device || !type || !hw.gpu.peak.contains(*type) || excluded(t, cells) || t.text(row, distribution) != "balanced") continue;
      TimedSeries& s = series_named(out, {std::string(device), "moe", cells.text("framework"), cells.text("kernel"), cells.text("dtype"), {}});
      s.rows.push_back(timed(cells, *type, model));
    }
    return out;
  }

 private:
  static TimedRow timed(const TableRow& cells, DType type, const CostModel& model) {
    const std::int64_t h = cells.integer("hidden", kWidest), f = cells.integer("inter", kWidest);
    const std::int64_t experts = cells.integer("experts", kExperts), k = cells.integer("topk", experts), ep = cells.integer("ep", experts), tokens = cells.integer("tokens");
    const std::int64_t local = std::max<std::int64_t>(1, experts / ep), rows = std::max<std::int64_t>(1, tokens * k / ep), touched = std::min(local, rows);
    TimedRow out;
    for (const Op& op : {moving(OpKind::permute, 4 * rows * h), grouped(rows, 2 * f, h, touched, type), moving(OpKind::memory_bound, 6 * rows * f),
                         grouped(rows, h, f, touched, type), moving(OpKind::permute, 4 * rows * h), moving(OpKind::router, 8 * tokens * experts),
                         moving(OpKind::memory_bound, 4 * tokens * h)}) {
      out.closed_form += seconds(model.cost(op).time);
      if (op.kind == OpKind::grouped_gemm) add_work(out, op);
    }
    out.shape = std::to_string(h) + " x " + std::to_string(f) + ", top " + std::to_string(k) + " of " + std::to_string(experts);
    out.at = {log2_of(tokens * k) - log2_of(experts), log2_of(local), log2_of(h), log2_of(f), log2_of(rows)};
    out.seconds = cells.seconds();
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_moe_table() { return std::make_unique<MoeTable>(); }

}  // namespace moesim
