#include "train/stage_units.h"

#include "base/units.h"
#include "model/count.h"

namespace moesim {
namespace {

class Writer {
 public:
  explicit Writer(const TrainScenario& s) : s_(s), m_(s.model), mtp_(count_params(s.model).mtp) {}

  std::vector<Unit> chunk(const StageChunk& c) {
    std::vector<Unit> out;
    if (c.embedding) out.push_back({Unit::Kind::embedding, 0, table() + m_.learned_positions * m_.hidden_size, 0});
    for (std::int64_t l = c.first_layer; l < c.first_layer + c.num_layers; ++l)
      out.push_back(layer(Unit::Kind::layer, l, count_params(m_.kind_of(static_cast<std::size_t>(l)), m_.hidden_size, m_.norm_bias)));
    for (std::int64_t d = 0; d < c.mtp_layers; ++d) {
      const std::int64_t n = m_.mtp_layers;
      out.push_back(layer(Unit::Kind::mtp, m_.num_layers() + d, {mtp_.sharded / n, mtp_.replicated / n, mtp_.routed / n, 0}));
      out.back().dense += table();   // it embeds the next tokens
    }
    if (!c.loss) return out;
    for (std::int64_t output = 0; output <= m_.mtp_layers; ++output)
      out.push_back({Unit::Kind::head, static_cast<std::uint32_t>(m_.num_layers()), output == 0 ? output_params() : 0, 0});
    return out;
  }

 private:
  /// The embedding table, where the stage does not hold it yet.
  std::int64_t table() {
    if (has_table_) return 0;
    has_table_ = true;
    return table_params(s_);
  }

  std::int64_t output_params() {
    const std::int64_t matrix = m_.tie_word_embeddings ? table() : table_params(s_);
    return matrix + (m_.norm_bias ? 2 : 1) * m_.hidden_size + (m_.output_bias ? table_params(s_) / m_.hidden_size : 0);
  }

  Unit layer(Unit::Kind kind, std::int64_t number, const ParamCount& p) const {
    return {kind, static_cast<std::uint32_t>(number), ceil_div(p.sharded, s_.parallel.tp) + p.replicated,
            ceil_div(p.routed, s_.parallel.ep * s_.parallel.etp)};
  }

  const TrainScenario& s_;
  const ModelSpec& m_;
  ParamCount mtp_;
  bool has_table_ = false;
};

}  // namespace

std::vector<std::vector<Unit>> stage_units(const TrainScenario& s, std::int64_t stage) {
  Writer writer(s);
  std::vector<std::vector<Unit>> out;
  for (std::int64_t c = 0; c < s.stages.vpp(); ++c) out.push_back(writer.chunk(s.stages.chunk(stage, c)));
  return out;
}

std::int64_t table_params(const TrainScenario& s) {
  return padded_vocab(s.model.vocab_size, s.parallel.tp) / s.parallel.tp * s.model.hidden_size;
}

bool shares_embedding(const TrainScenario& s) { return s.parallel.pp > 1 && (s.model.tie_word_embeddings || s.model.mtp_layers > 0); }

}  // namespace moesim
