// DeepEP's low-latency kernels: a message for each token and expert, fp8 out and bf16 back.
#include "calibration/exchange_starts.h"
#include "calibration/exchange_table.h"
#include "collective/dispatcher.h"

namespace moesim {
namespace {

class DeepEpLowLatencyTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "sglang_version", "nodes", "hidden", "tokens_per_rank", "topk", "experts", "dispatch_us", "combine_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows&) const override {
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string over = cells.integer("nodes", 1 << 16) > 1 ? " over nodes" : "";
      for (const std::string way : {"dispatch", "combine"}) {
        TimedSeries& s = series_named(out, {std::string(device), "deepep_low_latency", "sglang-" + cells.text("sglang_version"), way + over,
                                            way == "dispatch" ? "fp8" : "bf16", {}});
        s.rows.push_back(timed(cells, way == "combine", hw));
        s.rows.back().seconds = cells.seconds(way + "_us");
      }
    }
    return out;
  }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const override {
    const TimedSeries& s = all[which];
    const LowLatencyForm start = low_latency_start(s.format == "bf16", s.kernel.find("over nodes") != std::string::npos);
    return fit_exchange(seen_rows(s, seen), start, {1, 0.7, 1, 0, 2, 0.4}, rows_alike(all, s, seen));
  }

 private:
  static TimedRow timed(const TableRow& cells, bool combine, const HwProfile& hw) {
    const std::int64_t nodes = cells.integer("nodes", 1 << 16), hidden = cells.integer("hidden", 1 << 20), experts = cells.integer("experts", 1 << 16);
    ExchangeWork w;
    w.tokens = static_cast<double>(cells.integer("tokens_per_rank"));
    w.bytes = static_cast<double>(token_bytes(hidden, combine ? DType::bf16 : DType::fp8));
    w.top_k = w.copies = static_cast<double>(cells.integer("topk", 1 << 12));
    w.nodes = static_cast<double>(nodes), w.ranks = static_cast<double>(nodes * hw.gpus_per_node), w.experts = static_cast<double>(experts);
    w.wire = w.copies * w.bytes * (nodes > 1 ? (w.nodes - 1) / w.nodes : 1);
    w.sms = low_latency_sms(w.experts, static_cast<double>(hw.gpu.sms.value));
    TimedRow out;
    out.shape = "hidden " + std::to_string(hidden) + (nodes > 1 ? ", " + std::to_string(nodes) + " nodes" : "");
    out.at = numbers(w);
    out.size = w.tokens;
    out.closed_form = port_seconds(w, hw);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_deepep_low_latency_table() { return std::make_unique<DeepEpLowLatencyTable>(); }

}  // namespace moesim
