// TensorRT-LLM's all-to-all inside one NVLink domain: prepare (counts and places), dispatch, combine. Tokens are sent once a rank.
#include <algorithm>
#include <optional>

#include "calibration/exchange_starts.h"
#include "calibration/exchange_table.h"
#include "collective/dispatcher.h"
#include "collective/spread.h"

namespace moesim {
namespace {

constexpr std::int64_t kCountBytes = 4;   // of prepare, per copy

class MoeAllToAllTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "version", "op", "kernel", "dtype", "tokens_per_rank", "hidden", "topk", "experts", "ep", "distribution", "latency_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::optional<DType> type = dtype_of(cells.format());
      std::string op = cells.text("op");
      if (!type || op.rfind("alltoall_", 0) != 0) {
        unanswered.add(type ? cells.unknown("op", "alltoall_prepare, alltoall_dispatch, alltoall_combine and alltoall_combine_low_precision") : cells.unknown_format());
        continue;
      }
      op = op.substr(9);
      TimedSeries& s = series_named(out, {std::string(device), "moe_alltoall", "trtllm-" + cells.text("version"), op + " " + cells.text("kernel"), cells.format(), {}});
      s.rows.push_back(timed(cells, op, *type, hw));
    }
    return out;
  }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const override {
    return fit_exchange(seen_rows(all[which], seen), rack_start(all[which].kernel.rfind("prepare", 0) == 0), {1, 0, 0, 1, 0, 0});
  }

 private:
  /// Balanced rows deal the experts of a token out over the ranks; others draw them.
  static double copies(const TableRow& cells, std::int64_t ranks, std::int64_t experts, std::int64_t top_k) {
    if (cells.text("distribution") == "balanced") return static_cast<double>(std::min(ranks, top_k));
    return static_cast<double>(ranks) * Spread{experts, std::min(top_k, experts), 0, 0}.reach(std::max<std::int64_t>(1, experts / ranks));
  }

  static TimedRow timed(const TableRow& cells, const std::string& op, DType type, const HwProfile& hw) {
    const std::int64_t ranks = cells.integer("ep", 1 << 16), experts = cells.integer("experts", 1 << 16), hidden = cells.integer("hidden", 1 << 20);
    const DType moved = op == "dispatch" ? type : op == "combine_low_precision" ? DType::fp8 : DType::bf16;
    ExchangeWork w;
    w.tokens = static_cast<double>(cells.integer("tokens_per_rank"));
    w.bytes = static_cast<double>(op == "prepare" ? kCountBytes : token_bytes(hidden, moved));
    w.top_k = static_cast<double>(cells.integer("topk", 1 << 12));
    w.ranks = static_cast<double>(ranks), w.experts = static_cast<double>(experts);
    w.copies = copies(cells, ranks, experts, cells.integer("topk", 1 << 12));
    w.wire = w.bytes * w.copies * (w.ranks - 1) / w.ranks;
    w.sms = 1;
    TimedRow out;
    out.shape = "EP " + std::to_string(ranks);
    out.at = numbers(w);
    out.size = w.tokens;
    out.seconds = cells.seconds();
    out.closed_form = port_seconds(w, hw);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_moe_alltoall_table() { return std::make_unique<MoeAllToAllTable>(); }

}  // namespace moesim
