#include "calibration/exchange_curves.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/unit_text.h"
#include "calibration/device_curves.h"
#include "calibration/exchange_starts.h"
#include "calibration/exchange_table.h"

namespace moesim {
namespace {

/// Rows of a kernel: of the release that has timed most.
class Series {
 public:
  Series(std::span<const CsvTable> tables, const std::string& kind, const std::string& device, const HwProfile& hw) : table_(kernel_tables().make(kind)) {
    for (const CsvTable& t : tables) {
      if (!table_->missing_columns(t).empty()) continue;
      std::vector<TimedSeries> more = table_->series(t, device, hw);
      if (more.empty()) continue;
      tables_.push_back(&t);
      for (TimedSeries& s : more) all_.push_back(std::move(s));
    }
  }

  /// Those that time the device.
  const std::vector<const CsvTable*>& tables() const { return tables_; }

  /// nullptr if no release has timed it.
  const TimedSeries* richest(const std::string& kernel, const std::string& format, double nodes) const {
    const TimedSeries* out = nullptr;
    std::ptrdiff_t most = 0;
    for (const TimedSeries& s : all_) {
      if (s.kernel != kernel || s.format != format) continue;
      const auto timed = std::count_if(s.rows.begin(), s.rows.end(), [&](const TimedRow& r) { return (work(r.at).nodes > 1) == (nodes > 1); });
      if (timed > most) out = &s, most = timed;
    }
    return out;
  }

 private:
  std::unique_ptr<KernelTable> table_;
  std::vector<TimedSeries> all_;
  std::vector<const CsvTable*> tables_;
};

template <class Form>
Form fitted(const TimedSeries& s, double nodes, const Form& start) {
  std::vector<const TimedRow*> rows;
  for (const TimedRow& r : s.rows)
    if ((work(r.at).nodes > 1) == (nodes > 1)) rows.push_back(&r);
  return ExchangeModel<Form>(rows, {}, start, {}).form();
}

std::optional<ExchangeCurves::Normal> normal(const Series& all, const std::string& device, double nodes) {
  const TimedSeries *dispatch = all.richest("dispatch", "fp8", nodes), *combine = all.richest("combine", "bf16", nodes);
  if (!dispatch || !combine) return std::nullopt;
  ExchangeCurves::Normal out;
  out.from = device + ", " + dispatch->framework;
  out.dispatch = fitted(*dispatch, nodes, normal_start(false, nodes > 1));
  out.combine = fitted(*combine, nodes, normal_start(true, nodes > 1));
  if (nodes > 1) {
    out.dispatch_notify = fitted(*all.richest("dispatch notify", "fp8", nodes), nodes, notify_start());
    out.combine_notify = fitted(*all.richest("combine notify", "bf16", nodes), nodes, notify_start());
  }
  return out;
}

std::optional<ExchangeCurves::LowLatency> low_latency(const Series& all, const std::string& device, double nodes) {
  const std::string over = nodes > 1 ? " over nodes" : "";
  const TimedSeries *dispatch = all.richest("dispatch" + over, "fp8", nodes), *combine = all.richest("combine" + over, "bf16", nodes);
  if (!dispatch || !combine) return std::nullopt;
  return ExchangeCurves::LowLatency{device + ", " + dispatch->framework, fitted(*dispatch, nodes, low_latency_start(false, nodes > 1)),
                                    fitted(*combine, nodes, low_latency_start(true, nodes > 1))};
}

std::optional<ExchangeCurves::Rack> rack(const Series& all, const std::string& device) {
  const auto of = [&](const std::string& op, const std::string& format) { return all.richest(op + " NVLinkTwoSided", format, 1); };
  const TimedSeries *prepare = of("prepare", "bfloat16"), *combine = of("combine", "bfloat16");
  if (!prepare || !combine) return std::nullopt;
  ExchangeCurves::Rack out{device + ", " + prepare->framework, fitted(*prepare, 1, rack_start(true)), fitted(*combine, 1, rack_start(false)), {}};
  for (const auto& [type, format] : {std::pair{DType::bf16, "bfloat16"}, {DType::fp8, "fp8"}, {DType::fp4, "nvfp4"}}) {
    const TimedSeries* s = of("dispatch", format);
    if (!s) return std::nullopt;
    out.dispatch.emplace(type, fitted(*s, 1, rack_start(false)));
  }
  return out;
}

std::string number(double x) {
  std::string out = significant(x, 6);
  if (out.find('.') == std::string::npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

template <class Form>
std::string text(const Form& f) {
  std::string out = "{ \"doublings\": " + std::to_string(f.doublings);
  for (std::size_t i = 0; i < Form::kNames.size(); ++i) out += ", \"" + std::string(Form::kNames[i]) + "\": " + number(f.c[i]);
  return out + " }";
}

class Lines {
 public:
  explicit Lines(std::string indent) : indent_(std::move(indent)) {}
  void add(const std::string& key, const std::string& value) { text_ += (text_.empty() ? "{\n" : ",\n") + indent_ + "  \"" + key + "\": " + value; }
  std::string done() const { return text_ + "\n" + indent_ + "}"; }

 private:
  std::string indent_, text_;
};

std::string text(const ExchangeCurves::Normal& n, bool over_nodes) {
  Lines out("    ");
  out.add("from", "\"" + n.from + "\"");
  out.add("dispatch", text(n.dispatch));
  out.add("combine", text(n.combine));
  if (over_nodes) {
    out.add("dispatch_notify", text(n.dispatch_notify));
    out.add("combine_notify", text(n.combine_notify));
  }
  return out.done();
}

std::string text(const ExchangeCurves::LowLatency& l) {
  Lines out("    ");
  out.add("from", "\"" + l.from + "\"");
  out.add("dispatch", text(l.dispatch));
  out.add("combine", text(l.combine));
  return out.done();
}

std::string text(const ExchangeCurves::Rack& r) {
  Lines out("    "), dispatch("      ");
  for (const auto& [type, form] : r.dispatch) dispatch.add(std::string(name(type)), text(form));
  out.add("from", "\"" + r.from + "\"");
  out.add("prepare", text(r.prepare));
  out.add("dispatch", dispatch.done());
  out.add("combine", text(r.combine));
  return out.done();
}

}  // namespace

void add_exchanges(MeasuredCurves& curves, std::span<const CsvTable> tables, const HwProfile& hw, const HwProfile& over_nodes) {
  const std::string &device = curves.device, over = kTimedOverNodes;
  ExchangeCurves out;
  out.scale_up = hw.scale_up.per_gpu.value.count(), out.scale_out = over_nodes.scale_out.per_gpu.value.count(), out.gpus = hw.gpus_per_node;
  const Series normals(tables, "deepep_normal", device, hw), lows(tables, "deepep_low_latency", device, hw), racks(tables, "moe_alltoall", device, hw);
  out.normal = normal(normals, device, 1);
  out.low_latency = low_latency(lows, device, 1);
  out.rack = rack(racks, device);
  for (const Series* s : {&normals, &lows, &racks})
    for (const CsvTable* t : s->tables()) add_source(curves, *t);
  if (!out.normal && !out.low_latency && !out.rack) return;
  out.normal_over_nodes = normal(Series(tables, "deepep_normal", over, over_nodes), over, 2);
  out.low_latency_over_nodes = low_latency(Series(tables, "deepep_low_latency", over, over_nodes), over, 2);
  curves.exchanges = std::move(out);
}

std::string to_text(const ExchangeCurves& c) {
  Lines out("  ");
  out.add("scale_up", "\"" + number(c.scale_up * 1e-9) + " GB/s\"");
  out.add("scale_out", "\"" + number(c.scale_out * 1e-9) + " GB/s\"");
  out.add("gpus", std::to_string(c.gpus));
  if (c.normal) out.add("deepep", text(*c.normal, false));
  if (c.normal_over_nodes) out.add("deepep_over_nodes", text(*c.normal_over_nodes, true));
  if (c.low_latency) out.add("deepep_low_latency", text(*c.low_latency));
  if (c.low_latency_over_nodes) out.add("deepep_low_latency_over_nodes", text(*c.low_latency_over_nodes));
  if (c.rack) out.add("nvl72", text(*c.rack));
  return out.done();
}

}  // namespace moesim
