// Models of one or two kinds of layer, written out by hand (sizes as in models/*.json).
#pragma once

#include "model/spec.h"

namespace moesim::test {

inline ModelSpec model_of(std::string name, std::int64_t hidden_size, std::int64_t vocab_size, std::vector<Part> parts) {
  ModelSpec m;
  m.name = std::move(name);
  m.hidden_size = hidden_size;
  m.vocab_size = vocab_size;
  LayerKind kind;
  kind.norms = static_cast<std::int64_t>(parts.size());
  for (const Part& p : parts) {
    if (!kind.name.empty()) kind.name += '+';
    kind.name += part_name(p);
  }
  kind.parts = std::move(parts);
  m.kinds = {std::move(kind)};
  m.layers = {0};
  return m;
}

inline Gqa gqa(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  Gqa a;
  a.heads = heads;
  a.kv_heads = kv_heads;
  a.head_dim = head_dim;
  return a;
}

inline MoeMlp moe(std::int64_t num_experts, std::int64_t top_k, std::int64_t width, std::int64_t shared = 0) {
  MoeMlp u;
  u.num_experts = num_experts;
  u.top_k = top_k;
  u.moe_ffn_hidden_size = width;
  u.shared_expert_ffn_hidden_size = shared;
  return u;
}

inline Mla mla(std::int64_t heads, std::int64_t q_lora_rank) {
  Mla a;
  a.heads = heads;
  a.q_lora_rank = q_lora_rank;
  a.kv_lora_rank = 512;
  a.qk_nope_head_dim = 128;
  a.qk_rope_head_dim = 64;
  a.v_head_dim = 128;
  return a;
}

inline ModelSpec llama_3_70b() { return model_of("llama-3-70b", 8192, 128256, {gqa(64, 8, 128), DenseMlp{28672}}); }
inline ModelSpec mixtral_8x7b() { return model_of("mixtral-8x7b", 4096, 32000, {gqa(32, 8, 128), moe(8, 2, 14336)}); }
inline ModelSpec deepseek_v3() { return model_of("deepseek-v3", 7168, 129280, {mla(128, 1536), moe(256, 8, 2048, 2048)}); }
inline ModelSpec deepseek_v2_lite() { return model_of("deepseek-v2-lite", 2048, 102400, {mla(16, 0), moe(64, 6, 1408, 2816)}); }

inline ModelSpec qwen3_30b() {
  Gqa a = gqa(32, 4, 128);
  a.qk_norm = 256;
  return model_of("qwen3-30b-a3b", 2048, 151936, {a, moe(128, 8, 768)});
}

inline ModelSpec qwen2_57b() {  // shared expert behind a gate
  MoeMlp u = moe(64, 8, 2560, 20480);
  u.shared_expert_gate = true;
  return model_of("qwen2-57b-a14b", 3584, 151936, {gqa(28, 4, 128), u});
}

inline ModelSpec gpt_oss_window() {
  Gqa a = gqa(64, 8, 64);
  a.window = 128;
  a.sinks = true;
  return model_of("gpt-oss (window layer)", 2880, 201088, {a, moe(128, 4, 2880)});
}

inline ModelSpec llama_4_chunked() {
  Gqa a = gqa(40, 8, 128);
  a.window = 2048;
  a.chunked = true;
  return model_of("llama-4 (chunked layer)", 5120, 202048, {a, moe(16, 1, 8192, 8192)});
}

inline ModelSpec gated_attention() {  // as the attention layers of Qwen3-Next
  Gqa a = gqa(16, 2, 256);
  a.output_gate = true;
  a.qk_norm = 512;
  return model_of("gated attention", 2048, 151936, {a, moe(512, 10, 512, 512)});
}

inline ModelSpec glm_5() {  // sparse indexer
  Mla a = mla(64, 2048);
  a.qk_nope_head_dim = 192;
  a.v_head_dim = 256;
  a.index_heads = 32;
  a.index_head_dim = 128;
  a.index_topk = 2048;
  return model_of("glm-5", 6144, 154880, {a, moe(256, 8, 2048, 2048)});
}

inline ModelSpec latent_experts() {  // as the MoE layers of Nemotron-3-Super
  MoeMlp u = moe(512, 22, 2688, 5376);
  u.latent_size = 1024;
  u.gated = false;
  return model_of("latent experts", 4096, 131072, {u});
}

inline ModelSpec longcat() {  // two attentions, two dense units, MoE on a shortcut with identity experts
  MoeMlp u = moe(512, 12, 2048);
  u.zero_experts = 256;
  ModelSpec m = model_of("longcat-flash", 6144, 131072, {mla(64, 1536), DenseMlp{12288}, mla(64, 1536), DenseMlp{12288}, u});
  m.kinds[0].norms = 4;
  return m;
}

}  // namespace moesim::test
