// What serving keeps of a token: keys and values, latents, or a recurrent state spread over the sequence.
#include <algorithm>

#include "model/count.h"

namespace moesim {

namespace {

constexpr double kElement = 2;  // bytes

double d(std::int64_t x) { return static_cast<double>(x); }

// Share of a sequence that a windowed cache keeps.
double kept(double s, std::int64_t window) { return window == 0 ? 1 : std::min(d(window), s) / s; }

double elements(const Gqa& a, double s) { return 2 * d(a.kv_heads * a.head_dim) * kept(s, a.window); }

double elements(const Mla& a, double) {
  return d(a.kv_lora_rank + a.qk_rope_head_dim) + (a.index_heads == 0 ? 0 : d(a.index_head_dim));
}

// One vector serves as key and value: all of the window, one in compress_ratio of the rest, with the indexer's key beside it.
double elements(const CompressedAttention& a, double s) {
  const double window = d(a.head_dim) * kept(s, a.window);
  if (a.compress_ratio == 0) return window;
  return window + d(a.head_dim + (a.index_heads == 0 ? 0 : a.index_head_dim)) / d(a.compress_ratio);
}

double elements(const DeltaNet& a, double s) {
  const double conv = d(a.conv - 1) * d(2 * a.key_heads * a.key_dim + a.value_heads * a.value_dim);
  return (d(a.value_heads * a.key_dim * a.value_dim) + conv) / s;
}

double elements(const Lightning& a, double s) { return d(a.heads * a.head_dim * a.head_dim) / s; }

double elements(const Mamba& a, double s) { return d(a.inner) * d(a.state + a.conv - 1) / s; }

double elements(const Mamba2& a, double s) {
  const double inner = d(a.heads * a.head_dim);
  return (inner * d(a.state) + (inner + d(2 * a.groups * a.state)) * d(a.conv - 1)) / s;
}

double elements(const DenseMlp&, double) { return 0; }
double elements(const MoeMlp&, double) { return 0; }

}  // namespace

double kv_bytes_per_token(const ModelSpec& model, std::int64_t seq_length) {
  const double s = d(seq_length);
  std::vector<double> of_kind;
  for (const LayerKind& kind : model.kinds) {
    double sum = 0;
    for (const Part& part : kind.parts) sum += std::visit([&](const auto& p) { return elements(p, s); }, part);
    of_kind.push_back(sum);
  }
  double sum = 0;
  for (std::uint16_t kind : model.layers) sum += of_kind[kind];
  return kElement * sum;
}

}  // namespace moesim
