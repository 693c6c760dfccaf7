// DBRX: old names, attention and experts in sub-objects.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_dbrx(Reader&);

ModelSpec read_dbrx(Reader& config) {
  ModelSpec model;
  model.hidden_size = config.integer("d_model", kWidth);
  model.vocab_size = config.integer("vocab_size", kVocab);
  model.tie_word_embeddings = config.find_flag("tie_word_embeddings").value_or(false);
  const std::int64_t num_layers = config.integer("n_layers", kLayers);

  Gqa attention;
  attention.heads = config.integer("n_heads", kHeads);
  if (model.hidden_size % attention.heads != 0)
    config.fail("n_heads", "found " + std::to_string(attention.heads) +
                               ", allowed is a divisor of d_model = " + std::to_string(model.hidden_size));
  attention.head_dim = model.hidden_size / attention.heads;
  Reader attn = config.object("attn_config");
  attention.kv_heads = attn.integer("kv_n_heads", kHeads);
  if (attention.heads % attention.kv_heads != 0)
    attn.fail("kv_n_heads", "found " + std::to_string(attention.kv_heads) +
                                ", allowed is a divisor of n_heads = " + std::to_string(attention.heads));

  Reader ffn = config.object("ffn_config");
  const MoeMlp unit = read_experts(ffn, "moe_num_experts", "moe_top_k", "ffn_hidden_size");
  for (std::int64_t i = 0; i < num_layers; ++i) add_layer(model, {attention, unit});
  warn_about_unread(attn, model.warnings);
  warn_about_unread(ffn, model.warnings);
  return model;
}

}  // namespace moesim
