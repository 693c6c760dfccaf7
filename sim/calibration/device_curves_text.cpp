#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/json.h"
#include "base/unit_text.h"
#include "calibration/device_curves.h"
#include "calibration/exchange_curves.h"

namespace moesim {
namespace {

/// An object with one line a key.
std::string lines(const std::vector<std::pair<std::string, std::string>>& members, const std::string& indent) {
  std::string out = "{";
  for (const auto& [key, value] : members) out += (out == "{" ? "\n" : ",\n") + indent + "  " + Json(key).dump() + ": " + value;
  return out + "\n" + indent + "}";
}

std::string quoted(const std::string& s) { return Json(s).dump(-1, ' ', true, Json::error_handler_t::replace); }
std::string list(const std::vector<std::int64_t>& v) { return Json(v).dump(); }
/// "1 2 3" in quotes (hw/measured.cpp says why).
std::string packed(const std::vector<std::int64_t>& v) {
  std::string out;
  for (const std::int64_t x : v) out += (out.empty() ? "" : " ") + std::to_string(x);
  return '"' + out + '"';
}
/// Six digits, without zeros at the end.
std::string number(double x) {
  std::string out = significant(x, 6);
  if (out.find('.') == std::string::npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

/// "[1.5, 0.25]"
std::string numbers(const std::vector<double>& v) {
  std::string out;
  for (const double x : v) out += (out.empty() ? "[" : ", ") + number(x);
  return out + "]";
}

using Members = std::vector<std::pair<std::string, std::string>>;

template <class Series>
Members names(const Series& s) {
  Members out{{"framework", quoted(s.framework)}, {"kernel", quoted(s.kernel)}, {"format", quoted(s.format)}};
  if (!s.use.empty()) out.emplace_back("use", quoted(s.use));
  out.emplace_back("constants", numbers(s.constants));
  return out;
}

std::string of(const MeasuredGemm& g) {
  std::vector<std::int64_t> times, filled;
  for (std::size_t i = 0; i < g.seconds.size(); ++i) {
    times.push_back(std::max<std::int64_t>(1, std::llround(g.seconds[i] * 1e9)));
    if (!g.timed[i]) filled.push_back(static_cast<std::int64_t>(i));
  }
  Members out = names(g);
  out.insert(out.end(), {{"m", list(g.m)}, {"n", list(g.n)}, {"k", list(g.k)}, {"ns", packed(times)}, {"filled", packed(filled)}});
  return lines(out, "    ");
}

/// Its cases in the order of their places on the axes, each as the step from the one before it (hw/measured.cpp reads them).
std::string of(const MeasuredForm& f, const FormKind& kind) {
  const std::size_t width = kind.sizes.size();
  std::vector<std::vector<std::int64_t>> axes(width);
  for (std::size_t i = 0; i < f.sizes.size(); ++i) axes[i % width].push_back(f.sizes[i]);
  std::vector<std::int64_t> places(f.log_ratio.size(), 0), order, steps, ratios;
  Members members = names(f);
  for (std::size_t a = 0; a < width; ++a) {
    std::vector<std::int64_t>& axis = axes[a];
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i] = places[i] * std::ssize(axis) + (std::lower_bound(axis.begin(), axis.end(), f.sizes[i * width + a]) - axis.begin());
    members.emplace_back(kind.sizes[a], list(axis));
  }
  for (std::size_t i = 0; i < places.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return places[static_cast<std::size_t>(i)] < places[static_cast<std::size_t>(j)]; });
  std::int64_t last = -1;
  for (const std::int64_t i : order) {
    const auto at = static_cast<std::size_t>(i);
    steps.push_back(places[at] - last);
    ratios.push_back(std::llround(f.log_ratio[at] * 1e4));
    last = places[at];
  }
  members.emplace_back("step", packed(steps));
  members.emplace_back("log_ratio_1e4", packed(ratios));
  return lines(members, "      ");
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

/// "[A, B]", one a line.
template <class Series, class Text>
std::string each(const std::vector<Series>& all, const std::string& indent, const Text& text) {
  std::string out;
  for (const Series& s : all) out += (out.empty() ? "[\n" : ",\n") + indent + "  " + text(s);
  return out.empty() ? "[]" : out + "\n" + indent + "]";
}

std::string all_forms(const std::map<std::string, std::vector<MeasuredForm>>& forms) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const FormKind& kind : form_kinds()) {
    const auto found = forms.find(std::string(kind.name));
    if (found == forms.end()) continue;
    out.emplace_back(kind.name, each(found->second, "    ", [&](const MeasuredForm& f) { return of(f, kind); }));
  }
  return out.empty() ? "{}" : lines(out, "  ");
}

}  // namespace

std::string to_text(const MeasuredCurves& c) {
  std::string sources;
  for (const std::string& s : c.sources) sources += (sources.empty() ? "[\n    " : ",\n    ") + quoted(s);
  std::vector<std::pair<std::string, std::string>> members{{"_about", quoted("Fits over the timings of the sources, by moesim validate kernels --write. "
                                   "forms: constants, and logarithms of measured over form in units of 0.0001; exchanges as hw/exchange_forms.h says.")},
                {"device", quoted(c.device)},
                {"gpu", quoted(c.gpu)},
                {"sources", sources.empty() ? "[]" : sources + "\n  ]"},
                {"closed_form", of(c.closed_form)},
                {"gemm", each(c.gemms, "  ", [](const MeasuredGemm& g) { return of(g); })},
                {"forms", all_forms(c.forms)}};
  if (c.exchanges) members.emplace_back("exchanges", to_text(*c.exchanges));
  return lines(members, "") + "\n";
}

}  // namespace moesim
