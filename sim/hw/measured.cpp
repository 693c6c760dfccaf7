#include "hw/measured.h"

#include <algorithm>

#include "base/reader.h"

namespace moesim {
namespace {

constexpr double kTick = 1e-8;       // times are whole multiples of 10 ns
constexpr double kRatioTick = 1e-4;
constexpr IntegerRange kSize{1, std::int64_t{1} << 32}, kTicks{1, std::int64_t{1} << 44};
constexpr NumberRange kShare{1e-3, 1.25};
constexpr std::size_t kMostPoints = 1'000'000;

std::vector<std::int64_t> axis(Reader& in, std::string_view key) {
  std::vector<std::int64_t> out = in.integers(key, kSize);
  if (out.empty() || std::adjacent_find(out.begin(), out.end(), std::greater_equal<>()) != out.end()) in.fail(key, "allowed is one or more ascending sizes");
  return out;
}

/// As many as the axes have points.
std::vector<double> values(Reader& in, std::string_view key, std::initializer_list<std::size_t> sizes, double tick) {
  std::size_t points = 1;
  for (const std::size_t s : sizes) points = std::min(points * s, kMostPoints + 1);
  std::vector<double> out;
  for (const std::int64_t ticks : in.integers(key, kTicks)) out.push_back(static_cast<double>(ticks) * tick);
  if (out.size() != points || points > kMostPoints) in.fail(key, "found " + std::to_string(out.size()) + " numbers, the axes have " + std::to_string(points) + " points");
  return out;
}

MeasuredGemm gemm(Reader in) {
  MeasuredGemm out;
  out.kernel = in.text("kernel");
  out.m = axis(in, "m"), out.n = axis(in, "n"), out.k = axis(in, "k");
  out.seconds = values(in, "ten_ns", {out.m.size(), out.n.size(), out.k.size()}, kTick);
  out.timed.assign(out.seconds.size(), true);
  for (const std::int64_t i : in.integers("filled", {0, static_cast<std::int64_t>(out.seconds.size()) - 1})) out.timed[static_cast<std::size_t>(i)] = false;
  in.done();
  return out;
}

MeasuredAttention attention(Reader in) {
  MeasuredAttention out;
  out.kernel = in.text("kernel");
  out.seq = axis(in, "seq"), out.work = axis(in, "work"), out.sharing = axis(in, "sharing"), out.head_dim = axis(in, "head_dim");
  out.ratio = values(in, "ratio_1e4", {out.seq.size(), out.work.size(), out.sharing.size(), out.head_dim.size()}, kRatioTick);
  in.done();
  return out;
}

KernelNumbers closed_form(Reader in) {
  KernelNumbers out;
  Reader rates = in.object("gemm_rate");
  for (const DType t : {DType::fp32, DType::bf16, DType::fp8, DType::fp4})
    if (const auto rate = rates.find_flop_rate(name(t))) out.gemm_rate[static_cast<std::size_t>(t)] = rate->count();
  rates.done();
  out.bandwidth = in.bandwidth("bandwidth").count();
  out.gemm_memory = in.number("gemm_memory", kShare);
  out.memory_bound = in.number("memory_bound", kShare);
  out.permute = in.number("permute", kShare);
  out.memory_large = in.number("memory_large", kShare);
  out.memory_half = in.number("memory_half", {0, 1e15});
  out.gemm_fixed = seconds(in.time("gemm_fixed"));
  out.memory_fixed = seconds(in.time("memory_fixed"));
  out.half_k = in.number("half_k", {0, 1e6});
  out.grouped_factor = in.number("grouped_factor", kShare);
  out.attention_forward = in.flop_rate("attention_forward").count();
  out.attention_backward = in.flop_rate("attention_backward").count();
  out.half_seq = in.number("half_seq", {0, 1e9});
  out.narrow_head_factor = in.number("narrow_head_factor", kShare);
  out.sms = in.number("sms", {1, 100'000});
  out.forward_half_tiles = in.number("forward_half_tiles", {0, 1e3});
  out.backward_half_tiles = in.number("backward_half_tiles", {0, 1e3});
  in.done();
  return out;
}

/// A multiplication without a rate to compare with would be of no use.
void check_rates(const MeasuredCurves& c, const Reader& in) {
  constexpr std::array<std::pair<std::string_view, DType>, 4> kFormats{{{"bf16", DType::bf16}, {"fp8", DType::fp8}, {"fp8_block", DType::fp8}, {"nvfp4", DType::fp4}}};
  for (const auto& [format, type] : kFormats)
    if (c.gemm.contains(std::string(format)) && !c.closed_form.gemm_rate[static_cast<std::size_t>(type)])
      in.fail("closed_form", "gemm_rate." + std::string(name(type)) + ": missing, since gemm." + std::string(format) + " is given");
}

}  // namespace

MeasuredCurves read_measured_curves(const Document& document) {
  Reader in = document.root();
  MeasuredCurves out;
  out.device = in.text("device");
  out.gpu = in.text("gpu");
  out.sources = in.texts("sources");
  out.closed_form = closed_form(in.object("closed_form"));
  Reader gemms = in.object("gemm"), attentions = in.object("attention");
  for (const char* format : {"bf16", "fp8", "fp8_block", "nvfp4"})
    if (auto one = gemms.find_object(format)) out.gemm.emplace(format, gemm(std::move(*one)));
  for (const char* kind : {"training", "prefill", "latent_prefill"})
    if (auto one = attentions.find_object(kind)) out.attention.emplace(kind, attention(std::move(*one)));
  gemms.done();
  attentions.done();
  if (auto exchanges = in.find_object("exchanges")) out.exchanges = read_exchange_curves(std::move(*exchanges));
  in.done();
  check_rates(out, in);
  return out;
}

}  // namespace moesim
