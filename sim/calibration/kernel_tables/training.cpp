// Kernels of training, forward and backward, as SimuMax measured them: op, shape ("m=4096; k=8192; ..."), efficiency of peak_tflops.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "calibration/kernel_tables/rows.h"
#include "calibration/roofline_fit.h"
#include "base/maths.h"
#include "cost/cost_model.h"
#include "cost/residual_surface.h"

namespace moesim {
namespace {

constexpr IntegerRange kSize{1, std::int64_t{1} << 26};

/// Members of the cell "shape".
class Shape {
 public:
  Shape(const CsvTable& t, std::size_t row) : table_(t), row_(row), column_(t.column("shape")), text_(t.text(row, column_)) {}

  std::string_view text(std::string_view key) const {
    const std::string wanted = std::string(key) + "=";
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find(';', begin), text_.size());
      const std::string_view member = text_.substr(begin, end - begin);
      if (member.starts_with(wanted)) return member.substr(wanted.size());
      begin = text_.find_first_not_of(' ', std::min(end + 1, text_.size()));
    }
    table_.fail(row_, column_, std::string(key) + "=...; ...");
  }

  std::int64_t integer(std::string_view key) const {
    const std::string_view digits = text(key);
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error != std::errc{} || end != digits.data() + digits.size() || out < kSize.low || out > kSize.high)
      table_.fail(row_, column_, "an integer from 1 to " + std::to_string(kSize.high) + " as " + std::string(key));
    return out;
  }

  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> allowed) const {
    const std::string_view found = text(key);
    std::string list;
    std::size_t i = 0;
    for (const std::string_view a : allowed) {
      if (a == found) return i;
      list += (i++ ? ", " : "") + std::string(a);
    }
    table_.fail(row_, column_, list + " as " + std::string(key));
  }

 private:
  const CsvTable& table_;
  std::size_t row_, column_;
  std::string_view text_;
};

Op multiplication(const Shape& s) {
  Op op;
  op.kind = OpKind::gemm;
  op.pass = static_cast<Pass>(s.choice("layout", {"TN", "NN", "NT"}));
  op.m = s.integer("m"), op.n = s.integer("n"), op.k = s.integer("k");
  return op;
}

Op grouped(const Shape& s) {
  Op op;
  op.kind = OpKind::grouped_gemm;
  op.pass = static_cast<Pass>(s.choice("stage", {"fwd", "bwd_grad_act", "bwd_grad_w"}));
  op.groups = s.integer("ng");
  op.m = op.groups * s.integer("M");
  op.n = s.integer("N"), op.k = s.integer("K");
  if (op.pass == Pass::dgrad) std::swap(op.n, op.k);
  return op;
}

Op attention(const Shape& s, bool backward) {
  Op op;
  op.kind = OpKind::attention;
  op.pass = backward ? Pass::dgrad : Pass::forward;
  op.groups = s.integer("batch"), op.seq = s.integer("seq_len");
  op.heads = s.integer("head_num"), op.kv_heads = s.integer("kv_head_num");
  op.qk_dim = s.integer("qk_head_dim"), op.v_dim = s.integer("v_head_dim");
  return op;
}

std::optional<Op> op_of(const CsvTable& t, std::size_t row) {
  const std::string_view op = t.text(row, t.column("op"));
  const Shape shape(t, row);
  if (op == "matmul") return multiplication(shape);
  if (op == "group_matmul") return grouped(shape);
  if (op == "sdp_fwd" || op == "sdp_bwd") return attention(shape, op == "sdp_bwd");
  return std::nullopt;
}

std::string kernel_name(const Op& op) {
  constexpr std::array<std::string_view, 3> kPasses{"forward", "dgrad", "wgrad"};
  return std::string(name(op.kind)) + " " + (op.kind == OpKind::attention && op.pass == Pass::dgrad ? "backward" : std::string(kPasses[static_cast<std::size_t>(op.pass)]));
}

std::string shape_name(const Op& op) {
  if (op.kind == OpKind::attention) return std::to_string(op.heads) + " heads of " + std::to_string(op.qk_dim);
  if (op.kind == OpKind::grouped_gemm) return std::to_string(op.groups) + " x n " + std::to_string(op.n) + ", k " + std::to_string(op.k);
  return "n " + std::to_string(op.n) + ", k " + std::to_string(op.k);
}

std::vector<double> place(const Op& op) {
  if (op.kind == OpKind::attention) return {log2_of(op.seq), log2_of(op.heads), log2_of(op.kv_heads), log2_of(op.qk_dim)};
  return {log2_of(op.m), log2_of(op.n), log2_of(op.k), log2_of(op.groups)};
}

/// FLOPs as this table counts them: attention without the causal half.
double counted_flops(const Op& op) {
  if (op.kind != OpKind::attention) return flops(op).count();
  return 2 * flops(op).count();
}

/// A roofline of three constants and what timings say beyond it: a wide surface, since kernels are chosen by shape and neighbours may differ.
class TrainingModel : public KernelModel {
 public:
  TrainingModel(const ThreeConstants& roofline, ResidualSurface ratios) : roofline_(roofline), ratios_(std::move(ratios)) {}
  double seconds(const TimedRow& r) const override { return roofline_.seconds(r) * portable_exp(ratios_.value(r.at).log_ratio); }

 private:
  ThreeConstants roofline_;
  ResidualSurface ratios_;
};

/// The closed form is what `train` predicts, so that its column scores the transfer from inference timings alone, without any of these rows.
class TrainingTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "op", "shape", "peak_tflops", "efficiency"}; }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const override {
    constexpr double kSoftness = 1;   // of log2
    const std::optional<ThreeConstants> roofline = fit_three_constants(all[which].rows, seen);
    if (!roofline) return nullptr;
    ResidualSurface ratios({1, 1, 1, 1}, kSoftness);
    for (const TimedRow& r : all[which].rows)
      if (seen(r)) ratios.add(r.at, portable_log(r.seconds / roofline->seconds(r)));
    return std::make_unique<TrainingModel>(*roofline, std::move(ratios));
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    const CostModel model(hw);
    const std::size_t system = t.column("system"), peak = t.column("peak_tflops"), efficiency = t.column("efficiency");
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.text(row, system) != device) continue;
      const std::optional<Op> op = op_of(t, row);
      if (!op) {
        unanswered.add(TableRow(t, row).unknown("op", "matmul, group_matmul, sdp_fwd and sdp_bwd"));
        continue;
      }
      TimedRow r;
      r.shape = shape_name(*op);
      r.seconds = counted_flops(*op) / (t.number(row, efficiency, {1e-4, 10}) * t.number(row, peak, {1e-3, 1e6}) * 1e12);
      r.at = place(*op);
      r.closed_form = moesim::seconds(model.cost(*op).time);
      add_work(r, *op);
      series_named(out, {std::string(device), "training", "TransformerEngine", kernel_name(*op), "bfloat16", {}}).rows.push_back(std::move(r));
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_training_table() { return std::make_unique<TrainingTable>(); }

}  // namespace moesim
