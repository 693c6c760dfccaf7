#include <cmath>

#include "base/json.h"
#include "base/unit_text.h"
#include "calibration/device_curves.h"
#include "calibration/exchange_curves.h"

namespace moesim {
namespace {

std::int64_t ticks(double x, double tick) { return std::max<std::int64_t>(1, std::llround(x / tick)); }

/// An object with one line a key.
std::string lines(const std::vector<std::pair<std::string, std::string>>& members, const std::string& indent) {
  std::string out = "{";
  for (const auto& [key, value] : members) out += (out == "{" ? "\n" : ",\n") + indent + "  " + Json(key).dump() + ": " + value;
  return out + "\n" + indent + "}";
}

std::string quoted(const std::string& s) { return Json(s).dump(-1, ' ', true, Json::error_handler_t::replace); }
std::string list(const std::vector<std::int64_t>& v) { return Json(v).dump(); }
/// Six digits, without zeros at the end.
std::string number(double x) {
  std::string out = significant(x, 6);
  if (out.find('.') == std::string::npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string of(const MeasuredGemm& g) {
  std::vector<std::int64_t> times, filled;
  for (std::size_t i = 0; i < g.seconds.size(); ++i) {
    times.push_back(ticks(g.seconds[i], 1e-8));
    if (!g.timed[i]) filled.push_back(static_cast<std::int64_t>(i));
  }
  return lines({{"kernel", quoted(g.kernel)}, {"m", list(g.m)}, {"n", list(g.n)}, {"k", list(g.k)}, {"ten_ns", list(times)}, {"filled", list(filled)}}, "    ");
}

std::string of(const MeasuredAttention& a) {
  std::vector<std::int64_t> ratios;
  for (const double r : a.ratio) ratios.push_back(ticks(r, 1e-4));
  return lines({{"kernel", quoted(a.kernel)}, {"seq", list(a.seq)}, {"work", list(a.work)}, {"sharing", list(a.sharing)}, {"head_dim", list(a.head_dim)}, {"ratio_1e4", list(ratios)}}, "    ");
}

std::string of(const KernelNumbers& c) {
  std::string rates;
  for (const DType t : {DType::fp32, DType::bf16, DType::fp8, DType::fp4})
    if (const auto& rate = c.gemm_rate[static_cast<std::size_t>(t)])
      rates += (rates.empty() ? "{ " : ", ") + quoted(std::string(name(t))) + ": " + quoted(number(*rate * 1e-12) + " TFLOP/s");
  return lines({{"gemm_rate", rates + " }"},
                {"bandwidth", quoted(number(c.bandwidth * 1e-9) + " GB/s")},
                {"gemm_memory", number(c.gemm_memory)},
                {"memory_bound", number(c.memory_bound)},
                {"permute", number(c.permute)},
                {"memory_large", number(c.memory_large)},
                {"memory_half", std::to_string(std::llround(c.memory_half))},
                {"gemm_fixed", quoted(number(c.gemm_fixed * 1e6) + " us")},
                {"memory_fixed", quoted(number(c.memory_fixed * 1e6) + " us")},
                {"half_k", number(c.half_k)},
                {"grouped_factor", number(c.grouped_factor)},
                {"attention_forward", quoted(number(c.attention_forward * 1e-12) + " TFLOP/s")},
                {"attention_backward", quoted(number(c.attention_backward * 1e-12) + " TFLOP/s")},
                {"half_seq", number(c.half_seq)},
                {"narrow_head_factor", number(c.narrow_head_factor)},
                {"sms", number(c.sms)},
                {"forward_half_tiles", number(c.forward_half_tiles)},
                {"backward_half_tiles", number(c.backward_half_tiles)}},
               "  ");
}

template <class Curve>
std::string all(const std::map<std::string, Curve>& curves) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, curve] : curves) out.emplace_back(name, of(curve));
  return out.empty() ? "{}" : lines(out, "  ");
}

}  // namespace

std::string to_text(const MeasuredCurves& c) {
  std::string sources;
  for (const std::string& s : c.sources) sources += (sources.empty() ? "[\n    " : ",\n    ") + quoted(s);
  std::vector<std::pair<std::string, std::string>> members{{"_about", quoted("Fits over the timings of the sources, by moesim validate kernels --write. Times of multiplications in units of 10 ns; "
                                   "attention as measured over closed form, in units of 0.0001; exchanges as hw/exchange_forms.h says.")},
                {"device", quoted(c.device)},
                {"gpu", quoted(c.gpu)},
                {"sources", sources.empty() ? "[]" : sources + "\n  ]"},
                {"closed_form", of(c.closed_form)},
                {"gemm", all(c.gemm)},
                {"attention", all(c.attention)}};
  if (c.exchanges) members.emplace_back("exchanges", to_text(*c.exchanges));
  return lines(members, "") + "\n";
}

}  // namespace moesim
