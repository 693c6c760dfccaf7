// DeepEP's normal kernels: dispatch in fp8 with scales, combine in bf16, and over nodes the kernel that tells counts ahead of each.
// Eight-node rows come from a cluster that was unhealthy (milliseconds of notification): they are a series of their own, predicted by a fit that
// never sees them.
#include "calibration/exchange_starts.h"
#include "calibration/exchange_table.h"
#include "collective/dispatcher.h"
#include "collective/spread.h"

namespace moesim {
namespace {

constexpr std::int64_t kUnhealthyNodes = 8;

class DeepEpNormalTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "sglang_version", "nodes", "hidden", "tokens_per_rank", "topk", "experts", "dispatch_sms", "dispatch_transmit_us", "dispatch_notify_us",
            "combine_sms", "combine_transmit_us", "combine_notify_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows&) const override {
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::int64_t nodes = cells.integer("nodes", 1 << 16);
      const std::string health = nodes == kUnhealthyNodes ? ", 8 nodes (unhealthy)" : "";
      for (const std::string way : {"dispatch", "combine"}) {
        const auto add = [&](const std::string& kernel, const std::string& column) {
          TimedSeries& s = series_named(out, {std::string(device), "deepep_normal", "sglang-" + cells.text("sglang_version"), kernel + health,
                                              way == "dispatch" ? "fp8" : "bf16", {}});
          s.unhealthy = nodes == kUnhealthyNodes;
          s.rows.push_back(timed(cells, way == "combine", nodes, hw));
          s.rows.back().seconds = cells.seconds(column);
        };
        add(way, way + "_transmit_us");
        if (nodes > 1) add(way + " notify", way + "_notify_us");
      }
    }
    return out;
  }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const override;

 private:
  static TimedRow timed(const TableRow& cells, bool combine, std::int64_t nodes, const HwProfile& hw) {
    const std::int64_t hidden = cells.integer("hidden", 1 << 20), top_k = cells.integer("topk", 1 << 12), experts = cells.integer("experts", 1 << 16);
    const std::int64_t ranks = nodes * hw.gpus_per_node, sms = cells.integer(combine ? "combine_sms" : "dispatch_sms", 1 << 10);
    const Spread spread{experts, std::min(top_k, experts), 0, 0};
    ExchangeWork w;
    w.tokens = static_cast<double>(cells.integer("tokens_per_rank"));
    w.bytes = static_cast<double>(token_bytes(hidden, combine ? DType::bf16 : DType::fp8));
    w.copies = static_cast<double>(ranks) * spread.reach(std::max<std::int64_t>(1, experts / ranks));
    w.nodes_reached = static_cast<double>(nodes) * spread.reach(std::max<std::int64_t>(1, experts / nodes));
    w.wire = w.bytes * (nodes > 1 ? w.nodes_reached * static_cast<double>(nodes - 1) / static_cast<double>(nodes) : w.copies);
    w.sms = static_cast<double>(sms);
    w.ranks = static_cast<double>(ranks), w.nodes = static_cast<double>(nodes);
    w.experts = static_cast<double>(experts), w.top_k = static_cast<double>(top_k);
    TimedRow out;
    // One hidden size over several nodes: there the number of SMs is what can be left out.
    out.shape = "hidden " + std::to_string(hidden) + (nodes > 1 ? ", " + std::to_string(nodes) + " nodes, " + std::to_string(sms) + " SMs" : "");
    out.at = numbers(w);
    out.size = w.tokens;
    out.closed_form = port_seconds(w, hw);
    return out;
  }
};

bool is_over_nodes(const TimedRow& r) { return work(r.at).nodes > 1; }

/// One fit for the kernels inside a node and another for those over nodes: they are different kernels.
class ByNodes : public KernelModel {
 public:
  /// `like`: rows inside a node of other releases, for a series that has one shape there.
  ByNodes(const std::vector<const TimedRow*>& rows, const std::vector<const TimedRow*>& like, bool combine) {
    std::vector<const TimedRow*> inside, over;
    for (const TimedRow* r : rows) (is_over_nodes(*r) ? over : inside).push_back(r);
    inside_ = fit_exchange(inside, normal_start(combine, false), {}, like);
    over_ = fit_exchange(over, normal_start(combine, true), {});
    combine_ = combine;
  }
  double seconds(const TimedRow& r) const override {
    const auto& model = is_over_nodes(r) ? over_ : inside_;
    return model ? model->seconds(r) : normal_start(combine_, is_over_nodes(r)).seconds(work(r.at));
  }

 private:
  std::unique_ptr<KernelModel> inside_, over_;
  bool combine_ = false;
};

/// The series of the healthy rows of one that is not; the series itself otherwise.
const TimedSeries* healthy(std::span<const TimedSeries> all, const TimedSeries& s) {
  const std::string kernel = s.kernel.substr(0, s.kernel.find(','));
  for (const TimedSeries& other : all)
    if (other.kernel == kernel && other.framework == s.framework && other.format == s.format) return &other;
  return nullptr;
}

std::unique_ptr<KernelModel> DeepEpNormalTable::fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const {
  const TimedSeries* s = healthy(all, all[which]);
  if (!s) return nullptr;
  const std::vector<const TimedRow*> rows = seen_rows(*s, seen);
  if (rows.empty()) return nullptr;
  if (s->kernel.find("notify") != std::string::npos) return fit_exchange(rows, notify_start(), {});
  return std::make_unique<ByNodes>(rows, rows_alike(all, *s, [&](const TimedRow& r) { return !is_over_nodes(r) && seen(r); }), s->kernel == "combine");
}

}  // namespace

std::unique_ptr<KernelTable> make_deepep_normal_table() { return std::make_unique<DeepEpNormalTable>(); }

}  // namespace moesim
