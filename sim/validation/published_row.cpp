#include "validation/published_row.h"

#include <array>

#include "base/error.h"
#include "base/json.h"
#include "base/named_file.h"
#include "base/reader.h"

namespace moesim {
namespace {

constexpr std::array<std::string_view, 4> kMetrics{"step_time_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu"};
constexpr std::array<std::string_view, 4> kUnits{"s", "tokens/s/GPU", "TFLOP/s/GPU", "%"};
constexpr std::array<std::string_view, 2> kMemoryUnits{"GB", "GiB"};
constexpr std::array<std::string_view, 4> kConfidence{"P", "D", "S", "M"};
constexpr NumberRange kPositive{1e-9, 1e15};

PublishedFigure read_figure(Reader in) {
  PublishedFigure out;
  const std::size_t metric = in.choice("metric", kMetrics);
  out.metric = static_cast<PublishedMetric>(metric);
  out.value = in.number("value", kPositive);
  out.unit = kUnits[in.choice("unit", std::span(kUnits).subspan(metric, 1)) + metric];
  if (out.metric == PublishedMetric::mfu) out.peak_tflops = in.number("peak_tflops", kPositive);
  out.gigaflops_per_token = in.find_number("gigaflops_per_token", kPositive);
  out.confidence = kConfidence[in.choice("confidence", kConfidence)];
  out.source = in.text("source");
  in.done();
  return out;
}

std::optional<PublishedMemory> read_memory(std::optional<Reader> in) {
  if (!in) return std::nullopt;
  PublishedMemory out;
  out.value = in->number("value", kPositive);
  out.unit = kMemoryUnits[in->choice("unit", kMemoryUnits)];
  out.confidence = kConfidence[in->choice("confidence", kConfidence)];
  in->done();
  return out;
}

/// The object under "scenario" as a document whose errors name the row's file.
Document scenario_of(Reader& in, const Document& doc) {
  in.object("scenario");
  return Document::parse(doc.json().at("scenario").dump(), doc.name() + ": scenario");
}

bool is_row(const std::string& name) { return name != "bounds" && name != "not_expressible"; }

}  // namespace

double PublishedMemory::bytes() const { return value * (unit == "GB" ? 1e9 : 1024.0 * 1024 * 1024); }

std::string_view name(PublishedMetric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

PublishedRow read_published_row(const std::filesystem::path& file) {
  const Document doc = Document::load(file);
  Reader in = doc.root();
  PublishedRow out{file.stem().string(), in.text("group"), in.integer("tier", {1, 2}), scenario_of(in, doc), read_figure(in.object("measured")),
                   read_memory(in.find_object("measured_memory")), {}, {}};
  for (auto [key, list] : {std::pair{"settled", &out.settled}, {"lacks", &out.lacks}}) {
    if (in.has(key)) *list = in.texts(key);
    else in.ignore(key);
  }
  in.done();
  return out;
}

std::vector<PublishedRow> read_published_rows(const std::filesystem::path& folder) {
  std::vector<PublishedRow> out;
  for (const std::string& name : json_names(folder))
    if (is_row(name)) out.push_back(read_published_row(folder / (name + ".json")));
  if (out.empty()) throw InputError(folder.string() + ": no published rows there");
  return out;
}

std::vector<LeftOutRow> read_left_out_rows(const std::filesystem::path& file) {
  const Document doc = Document::load(file);
  Reader in = doc.root();
  std::vector<LeftOutRow> out;
  for (Reader& row : in.objects("rows")) {
    out.push_back({row.text("id"), row.text("reason")});
    row.done();
  }
  in.done();
  return out;
}

double step_time_of(const PublishedFigure& f, double tokens, double gpus, double flops_per_token) {
  const double flops = tokens * (f.gigaflops_per_token ? *f.gigaflops_per_token * 1e9 : flops_per_token);
  switch (f.metric) {
    case PublishedMetric::step_time_s: return f.value;
    case PublishedMetric::tokens_per_s_per_gpu: return tokens / (f.value * gpus);
    case PublishedMetric::tflops_per_gpu: return flops / (f.value * 1e12 * gpus);
    case PublishedMetric::mfu: return flops / (f.value / 100 * *f.peak_tflops * 1e12 * gpus);
  }
  throw InternalError("unknown metric of a published row");
}

}  // namespace moesim
