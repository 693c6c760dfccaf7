#include "cost/contention.h"

#include <algorithm>

namespace moesim {
namespace {

// The output tile of large cuBLAS kernels since Ampere. Smaller multiplications get smaller tiles; which, is the library's secret.
constexpr std::int64_t kTileRows = 128, kTileColumns = 256;
// Streaming kernels fill the memory of a data-centre GPU from about half of its SMs (recalled, not checked again).
constexpr double kSmsThatFillMemory = 0.5;
constexpr double kLeastBandwidth = 0.1;

double ratio(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

/// A library that is told of the margin chooses its tiles for the SMs beside it.
double arithmetic_stretch(const Op& op, std::int64_t sms, std::int64_t known, std::int64_t left) {
  if (op.kind != OpKind::gemm) return ratio(sms, left);
  return ratio(sms, known) * ratio(gemm_waves(op.m, op.n, left), gemm_waves(op.m, op.n, known));
}

}  // namespace

std::int64_t gemm_waves(std::int64_t m, std::int64_t n, std::int64_t sms) {
  return ceil_div(ceil_div(m, kTileRows) * ceil_div(n, kTileColumns), sms);
}

double stretch(const KernelNumbers& c, const Op& op, Beside b) {
  const auto sms = std::max<std::int64_t>(1, static_cast<std::int64_t>(c.sms));
  const std::int64_t known = std::max<std::int64_t>(1, sms - b.margin), left = std::max<std::int64_t>(1, known - b.sms);
  const double bandwidth = std::max(kLeastBandwidth, 1 - static_cast<double>(b.memory) / kWholeMemory);
  const double can_fill = std::min(1.0, static_cast<double>(left) / (kSmsThatFillMemory * static_cast<double>(sms)));
  const Roofline r = roofline(c, op);
  const double alone = r.seconds();
  const double beside = Roofline{r.arithmetic * arithmetic_stretch(op, sms, known, left), r.memory / std::min(bandwidth, can_fill), r.held, r.fixed}.seconds();
  return alone > 0 ? std::max(1.0, beside / alone) : 1.0;
}

}  // namespace moesim
