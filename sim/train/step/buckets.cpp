#include "train/step/units.h"

#include <algorithm>

#include "base/units.h"
#include "model/count.h"

namespace moesim {
namespace {

Unit layer_unit(const TrainScenario& s, Unit::Kind kind, std::uint32_t layer, const ParamCount& p) {
  return {kind, layer, ceil_div(p.sharded, s.parallel.tp) + p.replicated, ceil_div(p.routed, s.parallel.ep * s.parallel.etp)};
}

void add_buckets(const std::vector<Unit>& units, bool routed, std::int64_t least, std::vector<Bucket>& out) {
  Bucket open{0, 0, 0, routed};
  bool any = false;
  for (std::size_t i = units.size(); i-- > 0;) {   // gradients appear from the last unit to the first
    const std::int64_t params = routed ? units[i].routed : units[i].dense;
    if (params == 0) continue;
    if (!any) open.last = i;
    any = true;
    open.first = i;
    open.params += params;
    if (open.params < least) continue;
    out.push_back(open);
    open = {0, 0, 0, routed};
    any = false;
  }
  if (any) out.push_back(open);
}

}  // namespace

std::vector<Unit> chunk_units(const TrainScenario& s, std::int64_t stage, std::int64_t chunk) {
  const ModelSpec& m = s.model;
  const StageChunk& c = s.stages.chunk(stage, chunk);
  const std::int64_t vocab = padded_vocab(m.vocab_size, s.parallel.tp) / s.parallel.tp * m.hidden_size;
  std::vector<Unit> out;
  if (c.embedding) out.push_back({Unit::Kind::embedding, 0, vocab, 0});
  for (std::int64_t l = c.first_layer; l < c.first_layer + c.num_layers; ++l)
    out.push_back(layer_unit(s, Unit::Kind::layer, static_cast<std::uint32_t>(l),
                             count_params(m.kind_of(static_cast<std::size_t>(l)), m.hidden_size, m.norm_bias)));
  const ParamCount mtp = count_params(m).mtp;
  for (std::int64_t d = 0; d < c.mtp_layers; ++d) {
    const ParamCount one{mtp.sharded / m.mtp_layers, mtp.replicated / m.mtp_layers, mtp.routed / m.mtp_layers, 0};
    out.push_back(layer_unit(s, Unit::Kind::mtp, static_cast<std::uint32_t>(m.num_layers() + d), one));
  }
  // A tied output embedding on another stage than the input embedding is a copy.
  const bool own_output = !m.tie_word_embeddings || !c.embedding;
  if (c.loss) out.push_back({Unit::Kind::head, static_cast<std::uint32_t>(m.num_layers()), m.hidden_size + (own_output ? vocab : 0), 0});
  return out;
}

std::vector<Bucket> chunk_buckets(const std::vector<Unit>& units, bool bucketed, std::int64_t dp) {
  const std::int64_t least = bucketed ? std::max<std::int64_t>(40'000'000, 1'000'000 * dp) : std::numeric_limits<std::int64_t>::max();
  std::vector<Bucket> out;
  add_buckets(units, false, least, out);
  add_buckets(units, true, least, out);
  return out;
}

}  // namespace moesim
