#include "calibration/attention_fit.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/maths.h"
#include "calibration/words.h"
#include "cost/closed_form.h"
#include "cost/residual_surface.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of log2: shapes nearer than 10 % say the same
// How far a doubling counts: the share of key/value heads says least.
const std::vector<double> kScale{1, 0.6, 0.3, 0.6};

using Node = std::array<std::int64_t, 4>;   // seq, work, sharing, head_dim

bool latent(const CsvTable& t) { return t.has("phase") && t.has("seq_or_kv_len") && t.has("mla_dtype"); }

Node node(const Op& op) { return {op.seq, op.groups * op.heads, op.heads / op.kv_heads, (op.qk_dim + op.v_dim) / 2}; }

std::vector<double> place(const Node& n) {
  std::vector<double> out;
  for (const std::int64_t x : n) out.push_back(log2_of(static_cast<double>(x)));
  return out;
}

std::vector<std::int64_t> axis(const AttentionSeries& s, std::size_t a) {
  std::vector<std::int64_t> out;
  for (const AttentionTiming& t : s.timings) out.push_back(node(t.op)[a]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

AttentionSeries& named(std::vector<AttentionSeries>& all, AttentionSeries names) {
  for (AttentionSeries& s : all)
    if (s.device == names.device && s.framework == names.framework && s.kernel == names.kernel && s.format == names.format) return s;
  return all.emplace_back(std::move(names));
}

/// Mean logarithms of ratios where something was timed.
std::map<Node, double> means(const AttentionSeries& s, const KernelNumbers& c) {
  std::map<Node, std::pair<double, int>> sums;
  for (const AttentionTiming& t : s.timings) {
    auto& [sum, count] = sums[node(t.op)];
    sum += portable_log(t.seconds / closed_form_seconds(c, t.op));
    ++count;
  }
  std::map<Node, double> out;
  for (const auto& [n, sum] : sums) out[n] = sum.first / sum.second;
  return out;
}

}  // namespace

bool is_attention_table(const CsvTable& t) {
  return t.has("system") && t.has("framework") && t.has("latency_us") && t.has("kv_dtype") &&
         (latent(t) || (t.has("kernel") && t.has("attn_dtype") && t.has("batch") && t.has("seq") && t.has("heads") && t.has("kv_heads") && t.has("head_dim")));
}

std::vector<AttentionSeries> attention_series(const CsvTable& t) {
  const bool mla = latent(t);
  const auto text = [&](std::size_t row, std::string_view name) { return std::string(t.text(row, t.column(name))); };
  const auto integer = [&](std::size_t row, std::string_view name) { return t.integer(row, t.column(name)); };
  std::vector<AttentionSeries> out;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    if (mla && text(row, "phase") != "context") continue;
    Op op;
    op.kind = OpKind::attention;
    op.groups = integer(row, "batch"), op.heads = integer(row, "heads");
    op.seq = integer(row, mla ? "seq_or_kv_len" : "seq");
    op.kv_heads = mla ? op.heads : integer(row, "kv_heads");
    op.qk_dim = mla ? 192 : integer(row, "head_dim"), op.v_dim = mla ? 128 : op.qk_dim;
    const std::string kernel = mla ? "context" : text(row, "kernel");
    const std::string format = text(row, mla ? "mla_dtype" : "attn_dtype") + ", kv " + text(row, "kv_dtype");
    constexpr NumberRange kMicroseconds{1e-3, 1e9};
    named(out, {text(row, "system"), text(row, "framework"), kernel, format, {}}).timings.push_back({op, t.number(row, t.column("latency_us"), kMicroseconds) * 1e-6});
  }
  return out;
}

MeasuredAttention fit_attention(const AttentionSeries& s, const KernelNumbers& closed_form) {
  const std::map<Node, double> timed = means(s, closed_form);
  ResidualSurface between(kScale, kSoftness);
  for (const auto& [n, log_ratio] : timed) between.add(place(n), log_ratio);
  MeasuredAttention out{s.framework + " " + s.kernel + ", " + s.format, axis(s, 0), axis(s, 1), axis(s, 2), axis(s, 3), {}};
  for (const std::int64_t seq : out.seq)
    for (const std::int64_t work : out.work)
      for (const std::int64_t sharing : out.sharing)
        for (const std::int64_t dim : out.head_dim) {
          const Node n{seq, work, sharing, dim};
          const auto found = timed.find(n);
          out.ratio.push_back(portable_exp(found != timed.end() ? found->second : between.value(place(n)).log_ratio));
        }
  return out;
}

}  // namespace moesim
