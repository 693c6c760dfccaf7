#include "calibration/device_curves.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/document.h"
#include "base/error.h"
#include "calibration/gemm_fit.h"
#include "calibration/kernel_tables.h"
#include "calibration/rising.h"
#include "calibration/words.h"
#include "cost/closed_form.h"

namespace moesim {
namespace {

Op multiplication(DType type, GemmShape shape) {
  Op op;
  op.kind = OpKind::gemm, op.dtype = type;
  op.m = shape.m, op.n = shape.n, op.k = shape.k;
  return op;
}

/// Takes the quantisation of x off.
void multiply_alone(MeasuredGemm& g, DType type, const GemmForm& form, double bandwidth) {
  for (std::size_t im = 0; im < g.m.size(); ++im) {
    double* plane = g.seconds.data() + im * g.n.size() * g.k.size();
    std::vector<double> logs(g.n.size() * g.k.size());
    for (std::size_t ik = 0; ik < g.k.size(); ++ik) {
      const double quantisation = std::max(0.0, plane[ik] - form({g.m[im], g.n[0], g.k[ik]}));
      for (std::size_t in = 0; in < g.n.size(); ++in) {
        const double bytes = static_cast<double>(traffic(multiplication(type, {g.m[im], g.n[in], g.k[ik]})).count());
        logs[in * g.k.size() + ik] = portable_log(std::max(plane[in * g.k.size() + ik] - quantisation, bytes / bandwidth));
      }
    }
    logs = rising_matrix(std::move(logs), g.n.size(), g.k.size());
    for (std::size_t i = 0; i < logs.size(); ++i) plane[i] = portable_exp(logs[i]);
  }
}

MeasuredGemm measured(const TimedSeries& s, const HwProfile& hw) {
  const DType type = *dtype_of(s.format);
  const GemmForm form = gemm_form(hw, type);
  std::vector<GemmTiming> timings;
  std::set<std::array<std::int64_t, 3>> timed;
  for (const TimedRow& r : s.rows) {
    const GemmShape shape{static_cast<std::int64_t>(r.at[0]), static_cast<std::int64_t>(r.at[1]), static_cast<std::int64_t>(r.at[2])};
    timings.push_back({shape, r.seconds});
    timed.insert({shape.m, shape.n, shape.k});
  }
  const GemmGrid grid = fit_gemm_grid(timings, form);
  MeasuredGemm out{s.framework + " " + s.kernel + ", " + s.format, grid.m(), grid.n(), grid.k(), {}, {}};
  for (std::size_t im = 0; im < out.m.size(); ++im)
    for (std::size_t in = 0; in < out.n.size(); ++in)
      for (std::size_t ik = 0; ik < out.k.size(); ++ik) {
        out.seconds.push_back(grid.at(im, in, ik));
        out.timed.push_back(timed.contains({out.m[im], out.n[in], out.k[ik]}));
      }
  if (bits(type) < 16) multiply_alone(out, type, form, hw.gpu.memory_bandwidth.value.count());
  return out;
}

/// The place of a series among those that are wanted; their number if it is none of them.
std::size_t rank(const std::vector<std::string>& wanted, const std::string& name) {
  return static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), name) - wanted.begin());
}

const TimedSeries* best(const std::vector<TimedSeries>& all, const std::vector<std::string>& wanted) {
  const TimedSeries* out = nullptr;
  std::size_t first = wanted.size();
  for (const TimedSeries& s : all)
    if (const std::size_t r = rank(wanted, s.kernel + ", " + s.format); r < first) out = &s, first = r;
  return out;
}

/// `fit` makes a curve of the best series of each key; true if there was one.
template <class Curve, class Fit>
bool add_best(std::map<std::string, Curve>& out, const std::vector<TimedSeries>& all, const std::map<std::string, std::vector<std::string>>& choice, Fit fit) {
  bool found = false;
  for (const auto& [key, wanted] : choice)
    if (const TimedSeries* s = best(all, wanted)) {
      out.insert_or_assign(key, fit(*s));
      found = true;
    }
  return found;
}

/// The first of those wanted serves `use`.
void mark(std::map<std::string, std::vector<MeasuredForm>>& forms, const std::vector<std::string>& wanted, const std::string& use) {
  MeasuredForm* found = nullptr;
  std::size_t first = wanted.size();
  for (auto& [kind, all] : forms)
    for (MeasuredForm& f : all)
      if (const std::size_t r = rank(wanted, f.kernel + ", " + f.format); r < first) found = &f, first = r;
  if (found) found->use = use;
}

std::map<std::string, std::vector<std::string>> lists(Reader in) {
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& key : in.keys())
    if (!key.starts_with("_")) out[key] = in.texts(key);
  in.done();
  return out;
}

}  // namespace

void add_source(MeasuredCurves& c, const CsvTable& t) {
  std::string source, licence;
  for (const std::string& r : t.remarks()) {
    if (const std::size_t at = r.find("source: "); at != std::string::npos && source.empty()) source = r.substr(at + 8);
    if (const std::size_t at = r.find("licence: "); at != std::string::npos && licence.empty()) licence = r.substr(at + 9);
  }
  const std::string both = source.empty() && licence.empty() ? "a table without a source" : source + "; " + licence;
  if (std::find(c.sources.begin(), c.sources.end(), both) == c.sources.end()) c.sources.push_back(both);
}

CurveChoice CurveChoice::load(const std::filesystem::path& file) {
  const Document document = Document::load(file);
  Reader in = document.root();
  CurveChoice out{lists(in.object("gemm")), lists(in.object("attention"))};
  in.done();
  return out;
}

MeasuredCurves fit_curves(std::span<const CsvTable> tables, const CurveChoice& choice, const std::string& device, const HwProfile& hw) {
  MeasuredCurves out;
  out.device = device, out.gpu = hw.gpu.name, out.closed_form = kernel_numbers(hw, Clocks::burst);
  const auto kinds = kernel_tables();
  for (const std::string& name : kinds.names()) {
    const auto kind = kinds.make(name);
    for (const CsvTable& t : tables) {
      if (!kind->missing_columns(t).empty()) continue;
      bool any = false;
      const std::vector<TimedSeries> all = kind->series(t, device, hw);
      if (name == "gemm") any = add_best(out.gemm, all, choice.gemm, [&](const TimedSeries& s) { return measured(s, hw); });
      for (const TimedSeries& s : all) any = kind->add_curve(out, s, hw) || any;
      if (any) add_source(out, t);
    }
  }
  for (const auto& [use, wanted] : choice.attention) mark(out.forms, wanted, use);
  return out;
}

}  // namespace moesim
