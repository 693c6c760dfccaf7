#include "hw/measured.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/reader.h"

namespace moesim {
namespace {

constexpr double kTick = 1e-9;
constexpr double kRatioTick = 1e-4;
constexpr IntegerRange kSize{1, std::int64_t{1} << 32}, kTicks{1, std::int64_t{1} << 44};
constexpr NumberRange kShare{1e-3, 1.25};
constexpr std::size_t kMostPoints = 1'000'000;
constexpr std::size_t kGemmConstants = 4;
constexpr std::array<std::string_view, 13> kUses{"training", "prefill", "latent_prefill", "decode", "decode_fp8", "latent_decode", "latent_decode_fp8", "scale", "cast",
                                                  "moe_bf16", "moe_fp8", "moe_fp8_block", "moe_nvfp4"};
constexpr std::array<std::string_view, 4> kFormats{"bf16", "fp8", "fp8_block", "nvfp4"};
constexpr std::array kTypes{DType::bf16, DType::fp8, DType::fp8, DType::fp4};
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 60, kMostLogRatio = 100'000;

std::vector<std::int64_t> axis(Reader& in, std::string_view key, IntegerRange size = kSize) {
  std::vector<std::int64_t> out = in.integers(key, size);
  if (out.empty() || std::adjacent_find(out.begin(), out.end(), std::greater_equal<>()) != out.end()) in.fail(key, "allowed is one or more ascending sizes");
  return out;
}

/// Long lists stand in a text, "12 -3 5": as JSON numbers they would take most of the time of reading a machine.
std::vector<std::int64_t> packed(Reader& in, std::string_view key, IntegerRange allowed) {
  const std::string text = in.text(key);
  std::vector<std::int64_t> out;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    std::int64_t x = 0;
    const auto [next, error] = std::from_chars(at, end, x);
    if (error != std::errc{} || x < allowed.low || x > allowed.high || (next != end && *next != ' '))
      in.fail(key, "found \"" + shortened(std::string(at, end)) + "\", allowed are integers from " + std::to_string(allowed.low) + " to " + std::to_string(allowed.high) + " with a space between them");
    out.push_back(x);
    at = next == end ? end : next + 1;
  }
  return out;
}

/// As many as the axes have points.
std::vector<double> values(Reader& in, std::string_view key, std::initializer_list<std::size_t> sizes, double tick) {
  std::size_t points = 1;
  for (const std::size_t s : sizes) points = std::min(points * s, kMostPoints + 1);
  std::vector<double> out;
  for (const std::int64_t ticks : packed(in, key, kTicks)) out.push_back(static_cast<double>(ticks) * tick);
  if (out.size() != points || points > kMostPoints) in.fail(key, "found " + std::to_string(out.size()) + " numbers, the axes have " + std::to_string(points) + " points");
  return out;
}

/// What series have in common.
template <class Series>
void read_names(Reader& in, std::span<const std::string_view> uses, std::size_t constants, Series& out) {
  out.framework = in.text("framework"), out.kernel = in.text("kernel"), out.format = in.text("format");
  if (const auto use = in.find_choice("use", uses)) out.use = uses[*use];
  out.constants = in.numbers("constants", {1e-12, 1e12});
  if (out.constants.size() != constants) in.fail("constants", "allowed are " + std::to_string(constants) + " numbers");
}

MeasuredGemm gemm(Reader in) {
  MeasuredGemm out;
  read_names(in, kFormats, kGemmConstants, out);
  out.m = axis(in, "m"), out.n = axis(in, "n"), out.k = axis(in, "k");
  out.seconds = values(in, "ns", {out.m.size(), out.n.size(), out.k.size()}, kTick);
  out.timed.assign(out.seconds.size(), true);
  for (const std::int64_t i : packed(in, "filled", {0, static_cast<std::int64_t>(out.seconds.size()) - 1})) out.timed[static_cast<std::size_t>(i)] = false;
  in.done();
  return out;
}

/// Cases ascend as places on the axes do, the last axis fastest: `step` says how far each is from the one before it.
void read_cases(Reader& in, const FormKind& kind, MeasuredForm& out) {
  std::vector<std::vector<std::int64_t>> axes;
  std::int64_t places = 1;
  for (const std::string_view size : kind.sizes) {
    const std::vector<std::int64_t>& a = axes.emplace_back(axis(in, size, {size == "latent" || size == "rope" ? 0 : 1, kSize.high}));
    if (places > kMostPlaces / static_cast<std::int64_t>(a.size())) in.fail(size, "found more sizes than any table has");
    places *= static_cast<std::int64_t>(a.size());
  }
  std::int64_t place = -1;
  for (const std::int64_t step : packed(in, "step", {0, places})) {
    if ((place += step) < 0 || place >= places) in.fail("step", "found a case outside the sizes");
    std::size_t first = out.sizes.size() + axes.size();
    out.sizes.resize(first);
    std::int64_t rest = place;
    for (std::size_t a = axes.size(); a-- > 0; rest /= static_cast<std::int64_t>(axes[a].size()))
      out.sizes[--first] = axes[a][static_cast<std::size_t>(rest % static_cast<std::int64_t>(axes[a].size()))];
  }
}

MeasuredForm form(Reader in, const FormKind& kind) {
  MeasuredForm out;
  read_names(in, kUses, kind.constants, out);
  read_cases(in, kind, out);
  for (const std::int64_t ticks : packed(in, "log_ratio_1e4", {-kMostLogRatio, kMostLogRatio})) out.log_ratio.push_back(static_cast<double>(ticks) * kRatioTick);
  const std::size_t cases = out.sizes.size() / kind.sizes.size();
  if (cases == 0 || out.log_ratio.size() != cases) in.fail("log_ratio_1e4", "found " + std::to_string(out.log_ratio.size()) + " numbers for " + std::to_string(cases) + " cases");
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
  for (std::size_t i = 0; i < kFormats.size(); ++i)
    if (c.gemm(kFormats[i]) && !c.closed_form.gemm_rate[static_cast<std::size_t>(kTypes[i])])
      in.fail("closed_form", "gemm_rate." + std::string(name(kTypes[i])) + ": missing, since a gemm for " + std::string(kFormats[i]) + " is given");
}

}  // namespace

std::span<const FormKind> form_kinds() {
  static const std::vector<FormKind> kinds{
      {"attention", 6, {"batch", "seq", "heads", "kv_heads", "qk_dim", "v_dim"}},
      {"mla_context", 6, {"batch", "seq", "heads", "kv_heads", "qk_dim", "v_dim"}},
      {"decode", 6, {"batch", "kv_len", "heads", "kv_heads", "head_dim", "latent", "rope"}},
      {"mla_decode", 6, {"batch", "kv_len", "heads", "kv_heads", "head_dim", "latent", "rope"}},
      {"quantize", 1, {"rows", "columns"}},
      {"moe", 7, {"hidden", "inter", "tokens", "rows_1e2", "touched_1e2", "hottest_1e2"}},   // hundredths: means over draws
  };
  return kinds;
}

const MeasuredForm* MeasuredCurves::form(std::string_view use) const {
  for (const auto& [kind, all] : forms)
    for (const MeasuredForm& f : all)
      if (f.use == use) return &f;
  return nullptr;
}

const MeasuredGemm* MeasuredCurves::gemm(std::string_view use) const {
  const auto found = std::find_if(gemms.begin(), gemms.end(), [&](const MeasuredGemm& g) { return g.use == use; });
  return found == gemms.end() ? nullptr : &*found;
}

MeasuredCurves read_measured_curves(const Document& document) {
  Reader in = document.root();
  MeasuredCurves out;
  out.device = in.text("device");
  out.gpu = in.text("gpu");
  out.sources = in.texts("sources");
  out.closed_form = closed_form(in.object("closed_form"));
  Reader forms = in.object("forms");
  for (Reader& one : in.objects("gemm")) out.gemms.push_back(gemm(std::move(one)));
  for (const FormKind& kind : form_kinds())
    if (forms.has(kind.name))
      for (Reader& one : forms.objects(kind.name)) out.forms[std::string(kind.name)].push_back(form(std::move(one), kind));
  forms.done();
  if (auto exchanges = in.find_object("exchanges")) out.exchanges = read_exchange_curves(std::move(*exchanges));
  in.done();
  check_rates(out, in);
  return out;
}

}  // namespace moesim
