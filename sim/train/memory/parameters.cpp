#include "model/count.h"
#include "train/memory.h"

namespace moesim {
namespace {

/// Tables and matrices that the stages hold beside layers, each on one rank.
struct Ends {
  std::int64_t vocabulary = 0;  // an embedding or an output matrix
  std::int64_t positions = 0, final_norm = 0, output_bias = 0;
};

Ends ends(const TrainScenario& s) {
  const ModelSpec& m = s.model;
  const std::int64_t words = padded_vocab(m.vocab_size, s.parallel.tp) / s.parallel.tp;
  return {words * m.hidden_size, m.learned_positions * m.hidden_size, m.norm_bias ? 2 * m.hidden_size : m.hidden_size,
          m.output_bias ? words : 0};
}

void add(StageParams& to, const ParamCount& p, const ParallelSizes& sizes) {
  to.dense += ceil_div(p.sharded, sizes.tp) + p.replicated;
  to.routed += ceil_div(p.routed, sizes.ep * sizes.etp);
}

void add_chunk(StageParams& to, const TrainScenario& s, const StageChunk& chunk, const ParamCount& mtp) {
  const ModelSpec& m = s.model;
  for (std::int64_t l = chunk.first_layer; l < chunk.first_layer + chunk.num_layers; ++l)
    add(to, count_params(m.kind_of(static_cast<std::size_t>(l)), m.hidden_size, m.norm_bias), s.parallel);
  if (chunk.mtp_layers == 0) return;
  const auto share = [&](std::int64_t all) { return all / m.mtp_layers * chunk.mtp_layers; };
  add(to, {share(mtp.sharded), share(mtp.replicated), share(mtp.routed), 0}, s.parallel);
}

}  // namespace

StageParams stage_params(const TrainScenario& s, std::int64_t stage) {
  StageParams out;
  const ParamCount mtp = count_params(s.model).mtp;
  const Ends e = ends(s);
  bool embedding = false, predicts = false, loss = false;
  for (std::int64_t c = 0; c < s.stages.vpp(); ++c) {
    const StageChunk& chunk = s.stages.chunk(stage, c);
    add_chunk(out, s, chunk, mtp);
    embedding |= chunk.embedding;
    predicts |= chunk.mtp_layers > 0;
    loss |= chunk.loss;
  }
  // Multi-token prediction embeds the next tokens: away from the first stage, Megatron keeps a synchronised copy of the table for
  // it.
  const bool table = embedding || predicts;
  if (table) out.dense += e.vocabulary;
  if (embedding) out.dense += e.positions;
  if (loss) out.dense += e.final_norm + e.output_bias;
  // A tied output reads the stage's table; without one it is a copy, without tying a matrix of its own.
  if (loss && !(s.model.tie_word_embeddings && table)) out.dense += e.vocabulary;
  return out;
}

}  // namespace moesim
