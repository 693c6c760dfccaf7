#include "calibration/attention_fit.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/maths.h"
#include "calibration/kernel_tables/prefill_rows.h"
#include "cost/closed_form.h"
#include "cost/residual_surface.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of log2: shapes nearer than 10 % say the same
// How far a doubling counts: the share of key/value heads says least.
const std::vector<double> kScale{1, 0.6, 0.3, 0.6};

using Node = std::array<std::int64_t, 4>;   // seq, work, sharing, head_dim

Node node(const PrefillCase& c) { return {c.seq, c.batch * c.heads, c.heads / c.kv_heads, (c.qk_dim + c.v_dim) / 2}; }

std::vector<double> place(const Node& n) {
  std::vector<double> out;
  for (const std::int64_t x : n) out.push_back(log2_of(static_cast<double>(x)));
  return out;
}

std::vector<std::int64_t> axis(const TimedSeries& s, std::size_t a) {
  std::vector<std::int64_t> out;
  for (const TimedRow& r : s.rows) out.push_back(node(prefill_case(r))[a]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Mean logarithms of ratios where something was timed.
std::map<Node, double> means(const TimedSeries& s, const KernelNumbers& c) {
  std::map<Node, std::pair<double, int>> sums;
  for (const TimedRow& r : s.rows) {
    const PrefillCase op = prefill_case(r);
    auto& [sum, count] = sums[node(op)];
    sum += portable_log(r.seconds / closed_form_seconds(c, prefill_op(op)));
    ++count;
  }
  std::map<Node, double> out;
  for (const auto& [n, sum] : sums) out[n] = sum.first / sum.second;
  return out;
}

}  // namespace

MeasuredAttention fit_attention(const TimedSeries& s, const KernelNumbers& closed_form) {
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
