#include "hw/collective_curves.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/maths.h"
#include "base/reader.h"

namespace moesim {
namespace {

constexpr IntegerRange kSizes{1, std::int64_t{1} << 50}, kNanoseconds{1, std::int64_t{1} << 50}, kGpus{2, 1 << 20};
constexpr std::array<std::string_view, 3> kKnown{"measured", "interpolated", "extrapolated"}, kAlgorithms{"ring", "nvls", "pairwise"}, kProtocols{"LL", "LL128", "Simple"};

std::vector<double> sizes(Reader& in, std::string_view key, std::size_t least) {
  std::vector<double> out;
  for (const std::int64_t b : in.integers(key, kSizes)) out.push_back(static_cast<double>(b));
  if (out.size() < least || std::adjacent_find(out.begin(), out.end(), std::greater_equal<>()) != out.end())
    in.fail(key, "allowed is a list of " + std::to_string(least) + " and more ascending sizes");
  return out;
}

std::vector<double> times(Reader& in, std::size_t count) {
  std::vector<double> out;
  for (const std::int64_t ns : in.integers("ns", kNanoseconds)) out.push_back(static_cast<double>(ns) * 1e-9);
  if (out.size() != count) in.fail("ns", "found " + std::to_string(out.size()) + " times of " + std::to_string(count) + " sizes");
  if (!std::is_sorted(out.begin(), out.end())) in.fail("ns", "found a time that falls with bytes");
  return out;
}

CollectiveCurve curve(Reader in, std::size_t count) {
  CollectiveCurve out;
  out.op = in.text("op");
  out.gpus = in.integer("gpus", kGpus);
  out.known = static_cast<CollectiveCurve::Known>(in.choice("known", kKnown));
  out.timed = sizes(in, "timed", out.known == CollectiveCurve::Known::measured ? 1 : 0);
  out.off = sizes(in, "off", 0);
  out.seconds = times(in, count);
  for (Reader& p : in.objects("picks")) {
    out.picks.push_back({static_cast<double>(p.integer("from", kSizes)), kAlgorithms[p.choice("algorithm", kAlgorithms)], kProtocols[p.choice("protocol", kProtocols)]});
    p.done();
  }
  in.done();
  return out;
}

/// Straight in logarithms between sizes; past the last, at the rate of the last octave.
double seconds_at(const std::vector<double>& bytes, const std::vector<double>& seconds, double size) {
  if (size <= bytes.front()) return seconds.front();
  if (size >= bytes.back()) {
    const auto half = static_cast<std::size_t>(std::lower_bound(bytes.begin(), bytes.end() - 1, bytes.back() / 2) - bytes.begin());
    const std::size_t from = std::min(half, bytes.size() - 2);
    return seconds.back() + (size - bytes.back()) * (seconds.back() - seconds[from]) / (bytes.back() - bytes[from]);
  }
  const auto i = static_cast<std::size_t>(std::upper_bound(bytes.begin(), bytes.end(), size) - bytes.begin());
  if (size == bytes[i - 1]) return seconds[i - 1];
  const double share = portable_log(size / bytes[i - 1]) / portable_log(bytes[i] / bytes[i - 1]);
  const double between = seconds[i - 1] * portable_exp(std::clamp(share, 0.0, 1.0) * portable_log(seconds[i] / seconds[i - 1]));
  return std::clamp(between, seconds[i - 1], seconds[i]);
}

const CollectiveCurve::Pick* pick_at(const CollectiveCurve& c, double size) {
  const CollectiveCurve::Pick* out = nullptr;
  for (const CollectiveCurve::Pick& p : c.picks)
    if (!out || p.from <= size) out = &p;
  return out;
}

/// Curves that were not timed lean on the sizes that were timed of the operation, or of any.
void note_timed(CollectiveCurves& all) {
  for (CollectiveCurve& c : all.curves) {
    c.timed_from = all.bytes.back(), c.timed_to = all.bytes.front();
    const bool of_op = std::any_of(all.curves.begin(), all.curves.end(), [&](const CollectiveCurve& o) { return o.op == c.op && !o.timed.empty(); });
    for (const CollectiveCurve& o : all.curves) {
      if (o.timed.empty() || (!c.timed.empty() ? &o != &c : of_op && o.op != c.op)) continue;
      c.timed_from = std::min(c.timed_from, o.timed.front()), c.timed_to = std::max(c.timed_to, o.timed.back());
    }
  }
}

}  // namespace

std::optional<CollectiveCurves::Time> CollectiveCurves::time(std::string_view op, std::int64_t gpus, double size, double rate) const {
  const CollectiveCurve *below = nullptr, *above = nullptr;
  for (const CollectiveCurve& c : curves) {
    if (c.op != op) continue;
    if (c.gpus <= gpus) below = &c;
    if (c.gpus >= gpus && !above) above = &c;
  }
  if (!below || !above) return std::nullopt;
  const double scaled = size * (per_gpu.count() / rate);
  Time out;
  out.seconds = seconds_at(bytes, below->seconds, scaled);
  out.known = below->known;
  if (above != below) {
    const double share = portable_log(static_cast<double>(gpus) / static_cast<double>(below->gpus)) /
                         portable_log(static_cast<double>(above->gpus) / static_cast<double>(below->gpus));
    out.seconds *= portable_exp(share * portable_log(seconds_at(bytes, above->seconds, scaled) / out.seconds));
    out.known = std::max({below->known, above->known, CollectiveCurve::Known::interpolated});
  }
  out.inside = scaled >= std::max(below->timed_from, above->timed_from) && scaled <= std::min(below->timed_to, above->timed_to);
  const auto has = [&](const std::vector<double>& list) { return std::binary_search(list.begin(), list.end(), scaled); };
  out.timed = above == below && has(below->timed) && !has(below->off);
  out.pick = pick_at(*above, scaled);
  return out;
}

CollectiveCurves read_collective_curves(const Document& document) {
  Reader in = document.root();
  CollectiveCurves out;
  out.sources = in.texts("sources");
  out.per_gpu = in.bandwidth("per_gpu");
  out.domain = in.integer("domain", {1, 1 << 20});
  out.bytes = sizes(in, "bytes", 2);
  for (Reader& c : in.objects("curves")) out.curves.push_back(curve(std::move(c), out.bytes.size()));
  in.done();
  const auto before = [](const CollectiveCurve& a, const CollectiveCurve& b) { return std::tie(a.op, a.gpus) < std::tie(b.op, b.gpus); };
  for (std::size_t i = 1; i < out.curves.size(); ++i)
    if (!before(out.curves[i - 1], out.curves[i])) in.fail("curves", "allowed are curves by operation, then GPUs, each once");
  note_timed(out);
  return out;
}

}  // namespace moesim
