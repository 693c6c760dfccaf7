// One rank's MoE layer: routing, permutation, two grouped GEMMs, activation, unpermutation. `tokens` enter the whole group of `ep` ranks.
#include <algorithm>
#include <optional>

#include "calibration/kernel_tables.h"
#include "calibration/kernel_tables/rows.h"
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

class MoeTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "hidden", "inter", "topk", "experts", "dtype", "ep", "distribution", "tokens", "latency_us"};
  }

  std::vector<SurfaceSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst);
    const auto column = [&](std::string_view name) { return t.column(name); };
    const std::size_t system = column("system"), us = column("latency_us");
    std::vector<SurfaceSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const auto text = [&](std::string_view name) { return std::string(t.text(row, column(name))); };
      const auto integer = [&](std::string_view name) { return t.integer(row, column(name)); };
      const std::optional<DType> type = dtype_of(text("dtype"));
      // Rows that the facts of the table exclude: a kernel whose cost does not fall with EP, and a model that is up to seven times off.
      const bool excluded = (text("kernel") == "sglang_fused_moe_triton" && integer("ep") > 1) || (t.has("model") && text("model").find("scout") != std::string::npos);
      if (t.text(row, system) != device || !type || excluded || text("distribution") != "balanced") continue;
      const std::int64_t h = integer("hidden"), f = integer("inter"), k = integer("topk"), experts = integer("experts"), ep = integer("ep"), tokens = integer("tokens");
      const std::int64_t local = std::max<std::int64_t>(1, experts / ep), rows = std::max<std::int64_t>(1, tokens * k / ep), touched = std::min(local, rows);
      double form = 0;
      for (const Op& op : {moving(OpKind::permute, 4 * rows * h), grouped(rows, 2 * f, h, touched, *type), moving(OpKind::memory_bound, 6 * rows * f),
                           grouped(rows, h, f, touched, *type), moving(OpKind::permute, 4 * rows * h), moving(OpKind::router, 8 * tokens * experts),
                           moving(OpKind::memory_bound, 4 * tokens * h)})
        form += seconds(model.cost(op).time);
      SurfaceSeries& s = series_named(out, {std::string(device), "moe", text("framework") + " " + text("kernel"), text("dtype"), {1, 0.5, 0.5, 0.5, 0.3}, {}});
      const auto lg = [](std::int64_t x) { return log2_of(static_cast<double>(x)); };
      s.points.push_back({{lg(tokens * k) - lg(experts), lg(local), lg(h), lg(f), lg(rows)}, form, seconds_in(t, row, us),
                          text("hidden") + " x " + text("inter") + ", top " + text("topk") + " of " + text("experts")});
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_moe_table() { return std::make_unique<MoeTable>(); }

}  // namespace moesim
