// Parameters of each kind of part; formulas in models/README.md.
#include "model/count.h"

namespace moesim {

namespace {

ParamCount& operator+=(ParamCount& a, const ParamCount& b) {
  a.sharded += b.sharded;
  a.replicated += b.replicated;
  a.routed += b.routed;
  a.routed_active += b.routed_active;
  return a;
}

ParamCount times(ParamCount p, std::int64_t n) { return {p.sharded * n, p.replicated * n, p.routed * n, p.routed_active * n}; }

ParamCount count(const Gqa& a, std::int64_t h) {
  const std::int64_t q = a.heads * a.head_dim, kv = a.kv_heads * a.head_dim;
  ParamCount p;
  p.sharded = h * (a.output_gate ? 2 * q : q) + 2 * h * kv + q * h;
  if (a.qkv_bias) p.sharded += (a.output_gate ? 2 * q : q) + 2 * kv;
  if (a.sinks) p.sharded += a.heads;
  if (a.out_bias) p.replicated += h;
  p.replicated += a.qk_norm;
  return p;
}

// Queries, keys, head weights and two-vector key norm of the sparse indexer. `key_matrices`: 1, or those of a compressor.
std::int64_t indexer(std::int64_t query_width, std::int64_t h, std::int64_t heads, std::int64_t dim,
                     std::int64_t key_matrices = 1) {
  return heads == 0 ? 0 : query_width * heads * dim + key_matrices * h * dim + h * heads + 2 * dim;
}

// Value and weight of each position; twice where blocks overlap (ratio 4).
std::int64_t compressor_matrices(std::int64_t ratio) { return ratio == 0 ? 0 : ratio == 4 ? 4 : 2; }

ParamCount count(const Mla& a, std::int64_t h) {
  const std::int64_t query = a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim);
  const std::int64_t query_width = a.q_lora_rank == 0 ? h : a.q_lora_rank;
  ParamCount p;
  p.sharded = query_width * query + a.kv_lora_rank * a.heads * (a.qk_nope_head_dim + a.v_head_dim) + a.heads * a.v_head_dim * h;
  if (a.q_lora_rank != 0) p.replicated += h * a.q_lora_rank + a.q_lora_rank;
  p.replicated += h * (a.kv_lora_rank + a.qk_rope_head_dim) + a.kv_lora_rank;
  p.replicated += indexer(query_width, h, a.index_heads, a.index_head_dim);
  return p;
}

ParamCount count(const CompressedAttention& a, std::int64_t h) {
  const std::int64_t q = a.heads * a.head_dim;
  ParamCount p;
  p.sharded = a.q_lora_rank * q + q * a.o_lora_rank + a.o_groups * a.o_lora_rank * h;
  p.replicated = h * a.q_lora_rank + h * a.head_dim;
  const std::int64_t compressor = compressor_matrices(a.compress_ratio);
  p.replicated += compressor * h * a.head_dim + indexer(a.q_lora_rank, h, a.index_heads, a.index_head_dim, compressor);
  return p;
}

ParamCount count(const DeltaNet& a, std::int64_t h) {
  const std::int64_t k = a.key_heads * a.key_dim, u = a.value_heads * a.value_dim;
  ParamCount p;
  p.sharded = h * (2 * k + 2 * u) + 2 * h * a.value_heads + (2 * k + u) * a.conv + 2 * a.value_heads + u * h;
  p.replicated = a.value_dim;  // output norm
  return p;
}

ParamCount count(const Lightning& a, std::int64_t h) {
  const std::int64_t q = a.heads * a.head_dim;
  return {5 * h * q + q, 0, 0, 0};  // q, k, v, gate, output; norm
}

ParamCount count(const Mamba& a, std::int64_t h) {
  const std::int64_t d = a.inner;
  ParamCount p;
  p.sharded = h * 2 * d + d * (a.conv + 1) + d * (a.dt_rank + 2 * a.state) + a.dt_rank * d + d + d * a.state + d + d * h;
  p.replicated = a.dt_rank + 2 * a.state;  // norms of dt, B and C
  return p;
}

ParamCount count(const Mamba2& a, std::int64_t h) {
  const std::int64_t d = a.heads * a.head_dim, g = a.groups * a.state;
  return {h * (2 * d + 2 * g + a.heads) + (d + 2 * g) * (a.conv + 1) + 3 * a.heads + d + d * h, 0, 0, 0};
}

std::int64_t matrices(bool gated) { return gated ? 3 : 2; }

ParamCount count(const DenseMlp& u, std::int64_t h) {
  ParamCount p;
  p.sharded = matrices(u.gated) * h * u.ffn_hidden_size;
  if (u.bias) {
    p.sharded += (matrices(u.gated) - 1) * u.ffn_hidden_size;
    p.replicated = h;
  }
  return p;
}

// With zero experts only num_experts in num_experts + zero_experts of the chosen ones do work.
std::int64_t active_experts(const MoeMlp& u, std::int64_t of_each) {
  const std::int64_t choices = u.num_experts + u.zero_experts, working = u.top_k * u.num_experts;  // in units of 1 / choices
  return working / choices * of_each + working % choices * of_each / choices;  // in this order nothing overflows
}

ParamCount count(const MoeMlp& u, std::int64_t h) {
  const std::int64_t width = u.latent_size == 0 ? h : u.latent_size;
  std::int64_t expert = matrices(u.gated) * width * u.moe_ffn_hidden_size;
  if (u.expert_bias) expert += (matrices(u.gated) - 1) * u.moe_ffn_hidden_size + width;
  const std::int64_t choices = u.num_experts + u.zero_experts;
  ParamCount p;
  p.routed = u.num_experts * expert;
  p.routed_active = active_experts(u, expert);
  p.sharded = matrices(u.gated) * h * u.shared_expert_ffn_hidden_size;
  p.replicated = h * choices;
  if (u.router_bias) p.replicated += choices;
  if (u.selection_bias) p.replicated += choices;
  if (u.shared_expert_gate) p.replicated += h;
  if (u.latent_size != 0) p.replicated += 2 * h * u.latent_size;
  return p;
}

}  // namespace

ParamCount count_params(const Part& part, std::int64_t hidden_size) {
  return std::visit([&](const auto& p) { return count(p, hidden_size); }, part);
}

ParamCount count_params(const LayerKind& kind, std::int64_t hidden_size, bool norm_bias) {
  ParamCount sum;
  for (const Part& part : kind.parts) sum += count_params(part, hidden_size);
  sum.replicated += kind.norms * hidden_size * (norm_bias ? 2 : 1);
  return sum;
}

ModelParams count_params(const ModelSpec& model) {
  const std::int64_t h = model.hidden_size;
  std::vector<ParamCount> of_kind;
  for (const LayerKind& kind : model.kinds) of_kind.push_back(count_params(kind, h, model.norm_bias));
  ModelParams out;
  for (std::uint16_t kind : model.layers) out.layers += of_kind[kind];
  if (model.mtp_layers != 0) {
    ParamCount depth = count_params(model.mtp_kind(), h, model.norm_bias);
    depth.sharded += 2 * h * h;  // joins the hidden state and the next token's embedding
    depth.replicated += 3 * h;   // their norms and the final one
    out.mtp = times(depth, model.mtp_layers);
  }
  out.input_embedding = model.vocab_size * h + model.learned_positions * h;
  out.output_embedding = (model.tie_word_embeddings ? 0 : model.vocab_size * h) + (model.output_bias ? model.vocab_size : 0);
  out.final_norm = model.norm_bias ? 2 * h : h;
  return out;
}

std::int64_t ModelParams::total() const { return layers.total() + input_embedding + output_embedding + final_norm; }
std::int64_t ModelParams::active() const { return layers.active() + input_embedding + output_embedding + final_norm; }

}  // namespace moesim
