#include "calibration/device_curves.h"

#include <algorithm>

#include "base/document.h"
#include "base/error.h"
#include "calibration/kernel_tables.h"
#include "cost/closed_form.h"

namespace moesim {
namespace {

using Wanted = std::map<std::string, std::vector<std::string>>;

/// The first of those wanted serves each use.
template <class Series>
void mark(const std::vector<Series*>& all, const Wanted& choice) {
  for (const auto& [use, wanted] : choice) {
    Series* best = nullptr;
    auto first = wanted.end();
    for (Series* s : all)
      if (const auto at = std::find(wanted.begin(), first, s->kernel + ", " + s->format); at != first) best = s, first = at;
    if (best) best->use = use;
  }
}

Wanted lists(Reader in) {
  Wanted out;
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
  CurveChoice out{lists(in.object("gemm")), lists(in.object("forms"))};
  in.done();
  return out;
}

MeasuredCurves fit_curves(std::span<const CsvTable> tables, const CurveChoice& choice, const std::string& device, const HwProfile& hw, std::string_view suffix) {
  MeasuredCurves out;
  out.device = device, out.gpu = hw.gpu.name, out.closed_form = kernel_numbers(hw, Clocks::burst);
  const auto kinds = kernel_tables();
  for (const std::string& name : kinds.names()) {
    const auto kind = kinds.make(name);
    if (kind->file_suffix() != suffix) continue;
    for (const CsvTable& t : tables) {
      if (!kind->missing_columns(t).empty()) continue;
      bool any = false;
      for (const TimedSeries& s : kind->series(t, device, hw)) any = kind->add_curve(out, s, hw) || any;
      if (any) add_source(out, t);
    }
  }
  std::vector<MeasuredGemm*> gemms;
  std::vector<MeasuredForm*> forms;
  for (MeasuredGemm& g : out.gemms) gemms.push_back(&g);
  for (auto& [kind, all] : out.forms)
    for (MeasuredForm& f : all) forms.push_back(&f);
  mark(gemms, choice.gemm);
  mark(forms, choice.forms);
  return out;
}

}  // namespace moesim
