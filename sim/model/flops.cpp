// Model FLOPs of a token by Megatron's count: matrix products of attention, MLP and logits; the causal half of the attention
// scores. Router, norms, biases, softmax, gates of one column and look-ups are left out.
#include <algorithm>

#include "base/units.h"
#include "model/count.h"

namespace moesim {

namespace {

double d(std::int64_t x) { return static_cast<double>(x); }

// Keys that a query sees on average in a causal sequence of s tokens: s/2, less with a window or in chunks.
double mean_keys(double s, std::int64_t window, bool chunked) {
  const double w = window == 0 ? s : std::min(d(window), s);
  return chunked ? w / 2 : w - w * w / (2 * s);
}

double macs(const Gqa& a, double h, double s) {
  const double q = d(a.heads * a.head_dim), kv = d(a.kv_heads * a.head_dim);
  return h * ((a.output_gate ? 2 : 1) * q + 2 * kv) + q * h + 2 * q * mean_keys(s, a.window, a.chunked);
}

// The indexer scores every earlier position with index_heads small heads; attention then reads the best index_topk.
double indexer_macs(double query_width, double h, double scored, std::int64_t heads, std::int64_t dim, double key_matrices = 1) {
  return heads == 0 ? 0 : query_width * d(heads * dim) + key_matrices * h * d(dim) + h * d(heads) + d(heads * dim) * scored;
}

double macs(const Mla& a, double h, double s) {
  const double n = d(a.heads), qr = d(a.q_lora_rank), kr = d(a.kv_lora_rank);
  const double qk = d(a.qk_nope_head_dim + a.qk_rope_head_dim), v = d(a.v_head_dim);
  const double queries = a.q_lora_rank == 0 ? h * n * qk : qr * (h + n * qk + 1);
  const double keys = kr * (h + n * d(a.qk_nope_head_dim + a.v_head_dim) + 1) + h * d(a.qk_rope_head_dim);
  const double index = indexer_macs(a.q_lora_rank == 0 ? h : qr, h, s / 2, a.index_heads, a.index_head_dim);
  return queries + keys + n * v * h + index + n * (qk + v) * mean_keys(s, a.index_topk, false);
}

// A query reads its window and the compressed positions: all of them, or the best index_topk where there is an indexer.
double macs(const CompressedAttention& a, double h, double s) {
  const double q = d(a.heads * a.head_dim), c = d(a.head_dim), qr = d(a.q_lora_rank), orank = d(a.o_lora_rank);
  double sum = h * qr + qr * q + h * c + q * orank + d(a.o_groups) * orank * h;
  double keys = mean_keys(s, a.window, false);
  if (a.compress_ratio != 0) {
    const double positions = s / d(a.compress_ratio);
    const double compressor = a.compress_ratio == 4 ? 4 : 2;
    sum += compressor * h * c + indexer_macs(qr, h, positions / 2, a.index_heads, a.index_head_dim, compressor);
    keys += mean_keys(positions, a.index_topk, false);
  }
  return sum + 2 * q * keys;
}

// The delta rule touches each value head's state four times a token.
double macs(const DeltaNet& a, double h, double) {
  const double k = d(a.key_heads * a.key_dim), u = d(a.value_heads * a.value_dim);
  return h * (2 * k + 2 * u + 2 * d(a.value_heads)) + d(a.conv) * (2 * k + u) + 4 * u * d(a.value_dim) + h * u;
}

double macs(const Lightning& a, double h, double) {
  const double q = d(a.heads * a.head_dim);
  return 5 * h * q + 2 * q * d(a.head_dim);
}

// Scan: 7 operations, so 3.5 multiply-adds, an element of the state.
double macs(const Mamba& a, double h, double) {
  const double inner = d(a.inner);
  return 2 * h * inner + inner * d(2 * a.dt_rank + 2 * a.state) + 3.5 * inner * d(a.state) + inner * h;
}

// Megatron's count takes the inner width as 2h whatever heads x head_dim is; published rates are in that count.
double macs(const Mamba2& a, double h, double) {
  const double inner = 2 * h;
  return h * (2 * inner + d(2 * a.groups * a.state + a.heads)) + 3.5 * inner * d(a.state) + inner * h;
}

double matrices(bool gated) { return gated ? 3 : 2; }

double macs(const DenseMlp& u, double h, double) { return matrices(u.gated) * h * d(u.ffn_hidden_size); }

double macs(const MoeMlp& u, double h, double) {
  const double width = u.latent_size == 0 ? h : d(u.latent_size);
  const double chosen = d(u.top_k * u.num_experts) / d(u.num_experts + u.zero_experts);
  double sum = matrices(u.gated) * (width * d(u.moe_ffn_hidden_size) * chosen + h * d(u.shared_expert_ffn_hidden_size));
  if (u.latent_size != 0) sum += 2 * h * width;
  return sum;
}

double macs(const LayerKind& kind, double h, double s) {
  double sum = 0;
  for (const Part& part : kind.parts) sum += std::visit([&](const auto& p) { return macs(p, h, s); }, part);
  return sum;
}

}  // namespace

std::int64_t padded_vocab(std::int64_t vocab_size, std::int64_t tp, std::int64_t divisor) {
  return ceil_div(vocab_size, divisor * tp) * divisor * tp;
}

double flops_per_token(const ModelSpec& model, std::int64_t seq_length, std::int64_t tp) {
  const double h = d(model.hidden_size), s = d(seq_length), depths = d(model.mtp_layers);
  std::vector<double> of_kind;
  for (const LayerKind& kind : model.kinds) of_kind.push_back(macs(kind, h, s));
  double sum = 0;
  for (std::uint16_t kind : model.layers) sum += of_kind[kind];
  if (model.mtp_layers != 0) sum += depths * (macs(model.mtp_kind(), h, s) + 3 * h + 2 * h * h);
  sum += (depths + 1) * h * d(padded_vocab(model.vocab_size, tp));
  return 6 * sum;
}

}  // namespace moesim
