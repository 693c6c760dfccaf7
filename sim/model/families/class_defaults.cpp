// What a config.json that leaves a key out means: the default of the family's configuration class, or a refusal.
//
// Source, where no other is given: the `__init__` signatures of the configuration classes of Hugging Face Transformers 4.40 to 4.57, and,
// for deepseek_v2, deepseek_v3 and the grok, kimi, minimax and hunyuan types, of the `configuration_*.py` that the vendor ships with the
// weights. Known from reading, not checked by a program: no copy of either was at hand when this table was written. What we were not sure
// of is not in the table and therefore refused, as are sizes that make the model what it is (hidden_size, layers, experts, widths).
//
// null: the class has None, or no such key; what the reader then does stands beside its question.
#include <array>

#include "base/json.h"
#include "model/families/family.h"

namespace moesim {

namespace {

struct ClassDefaults {
  std::string_view type;  // value of "model_type"
  std::string_view json;
};

constexpr auto kClassDefaults = std::to_array<ClassDefaults>({
    // LlamaConfig: every head its own key and value, no window
    {"llama", R"({"num_key_value_heads": null, "head_dim": null, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false,
      "use_sliding_window": null, "sliding_window": null, "layer_types": null})"},
    // MistralConfig: a window in every layer
    {"mistral", R"({"num_key_value_heads": 8, "head_dim": null, "tie_word_embeddings": false, "attention_bias": null, "mlp_bias": null,
      "use_sliding_window": null, "sliding_window": 4096, "max_window_layers": null, "layer_types": null})"},
    // Qwen2Config: biases of q, k and v are in the code
    {"qwen2", R"({"num_key_value_heads": 32, "head_dim": null, "tie_word_embeddings": false, "attention_bias": null, "mlp_bias": null,
      "use_sliding_window": false, "sliding_window": 4096, "max_window_layers": 28, "layer_types": null})"},
    // Qwen3Config
    {"qwen3", R"({"num_key_value_heads": 32, "head_dim": 128, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": null,
      "use_sliding_window": false, "sliding_window": 4096, "max_window_layers": 28, "layer_types": null})"},
    // GPT2Config: tied by the base class; n_inner None is 4 n_embd
    {"gpt2", R"({"tie_word_embeddings": true, "n_inner": null})"},
    // GPTNeoXConfig
    {"gpt_neox", R"({"tie_word_embeddings": false, "intermediate_size": 24576, "attention_bias": true})"},
    // MixtralConfig
    {"mixtral", R"({"num_key_value_heads": 8, "head_dim": null, "tie_word_embeddings": false, "sliding_window": null})"},
    // PhimoeConfig
    {"phimoe", R"({"num_key_value_heads": 8, "head_dim": null, "tie_word_embeddings": false, "lm_head_bias": false, "attention_bias": false,
      "sliding_window": null, "max_position_embeddings": 131072})"},
    // GraniteMoeConfig, GraniteMoeSharedConfig
    {"granitemoe", R"({"num_key_value_heads": null, "head_dim": null, "tie_word_embeddings": false, "attention_bias": false,
      "shared_intermediate_size": null})"},
    {"granitemoeshared", R"({"num_key_value_heads": null, "head_dim": null, "tie_word_embeddings": false, "attention_bias": false,
      "shared_intermediate_size": 1024})"},
    // OlmoeConfig
    {"olmoe", R"({"num_key_value_heads": null, "head_dim": null, "tie_word_embeddings": false, "attention_bias": false})"},
    // DbrxConfig refuses to tie
    {"dbrx", R"({"tie_word_embeddings": false})"},
    // MiniMax-M2 has softmax attention in every layer (its published layer list is all ones); prediction depths only where the file says;
    // the published M2 says use_routing_bias, M2.5, of the same shape, leaves it out: one number an expert
    {"minimax_m2", R"({"use_routing_bias": true, "attn_type_list": null, "layer_types": null, "qk_norm_type": null, "shared_intermediate_size": null,
      "topk_method": null, "n_group": null, "topk_group": null, "routed_scaling_factor": null, "use_mtp": null, "num_mtp_modules": null,
      "mtp_transformer_layers": null})"},
    // Text-01 and M1 have neither query/key norms nor a selection bias
    {"minimax_text_01", R"({"use_qk_norm": null, "qk_norm_type": null, "layer_types": null, "scoring_func": null, "topk_method": null,
      "use_routing_bias": null, "n_group": null, "topk_group": null, "routed_scaling_factor": null, "use_mtp": null,
      "num_mtp_modules": null, "mtp_transformer_layers": null})"},
    {"minimax_m1", R"({"use_qk_norm": null, "qk_norm_type": null, "layer_types": null, "scoring_func": null, "topk_method": null,
      "use_routing_bias": null, "n_group": null, "topk_group": null, "routed_scaling_factor": null, "use_mtp": null,
      "num_mtp_modules": null, "mtp_transformer_layers": null})"},
    // MiniMaxConfig: softmax attention in the first layer and every second one
    {"minimax", R"({"num_key_value_heads": 8, "head_dim": null, "tie_word_embeddings": false, "attn_type_list": null, "layer_types": null,
      "use_qk_norm": null, "qk_norm_type": null, "scoring_func": null, "topk_method": null, "use_routing_bias": null, "n_group": null,
      "topk_group": null, "routed_scaling_factor": null, "shared_intermediate_size": null, "use_mtp": null, "num_mtp_modules": null,
      "mtp_transformer_layers": null})"},
    // DeepseekV2Config; n_shared_experts differs between the vendor's class (None) and Transformers' (2)
    {"deepseek_v2", R"({"tie_word_embeddings": false, "q_lora_rank": 1536, "first_k_dense_replace": 0, "moe_layer_freq": 1,
      "mlp_layer_types": null, "scoring_func": "softmax", "topk_method": "greedy", "n_group": null, "topk_group": null,
      "routed_scaling_factor": 1.0, "num_nextn_predict_layers": null})"},
    // DeepseekV3Config; neither class builds the prediction depth that the vendor's counts (num_nextn_predict_layers = 1)
    {"deepseek_v3", R"({"tie_word_embeddings": false, "q_lora_rank": 1536, "n_shared_experts": 1, "first_k_dense_replace": 3,
      "moe_layer_freq": 1, "mlp_layer_types": null, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "n_group": 8, "topk_group": 4,
      "routed_scaling_factor": 2.5, "num_nextn_predict_layers": null})"},
    // The line's gate scores by sigmoid with a selection bias (models/README.md); every layer after the dense ones is MoE
    {"deepseek_v32", R"({"moe_layer_freq": 1, "mlp_layer_types": null, "scoring_func": null, "topk_method": null,
      "routed_scaling_factor": null, "num_nextn_predict_layers": null})"},
    {"kimi_k2", R"({"moe_layer_freq": 1, "mlp_layer_types": null, "scoring_func": null, "topk_method": null, "routed_scaling_factor": null,
      "num_nextn_predict_layers": null})"},
    {"glm_moe_dsa", R"({"moe_layer_freq": 1, "mlp_layer_types": null, "scoring_func": null, "topk_method": null,
      "routed_scaling_factor": null, "num_nextn_predict_layers": null})"},
    // Glm4MoeConfig, but for head_dim
    {"glm4_moe", R"({"num_key_value_heads": 8, "tie_word_embeddings": false, "attention_bias": false, "use_qk_norm": false,
      "n_shared_experts": 1, "first_k_dense_replace": 1, "moe_layer_freq": 1, "mlp_layer_types": null, "scoring_func": null,
      "topk_method": null, "n_group": 1, "topk_group": 1, "routed_scaling_factor": 1.0, "num_nextn_predict_layers": null})"},
    // Dots1Config, its sizes left out; query/key norms are in the code
    {"dots1", R"({"tie_word_embeddings": false, "attention_bias": false, "use_qk_norm": null, "moe_layer_freq": 1, "mlp_layer_types": null,
      "scoring_func": null, "topk_method": null, "n_group": 1, "topk_group": 1, "routed_scaling_factor": 1.0,
      "num_nextn_predict_layers": null})"},
    {"deepseek_v4", R"({"num_key_value_heads": null, "scoring_func": null, "topk_method": null, "n_group": null, "topk_group": null,
      "routed_scaling_factor": null})"},
    // Qwen2MoeConfig
    {"qwen2_moe", R"({"num_key_value_heads": 16, "head_dim": null, "tie_word_embeddings": false, "attention_bias": null, "qkv_bias": true,
      "shared_expert_intermediate_size": 5632, "decoder_sparse_step": 1, "mlp_only_layers": null, "use_sliding_window": false,
      "sliding_window": 4096, "max_window_layers": 28, "layer_types": null})"},
    // Qwen3MoeConfig, but for head_dim
    {"qwen3_moe", R"({"num_key_value_heads": 4, "tie_word_embeddings": false, "attention_bias": false, "qkv_bias": null,
      "shared_expert_intermediate_size": null, "decoder_sparse_step": 1, "mlp_only_layers": null, "use_sliding_window": false,
      "sliding_window": 4096, "layer_types": null})"},
    // Qwen3VLMoeTextConfig, its sizes left out
    {"qwen3_vl_moe_text", R"({"attention_bias": false, "qkv_bias": null, "shared_expert_intermediate_size": null, "decoder_sparse_step": 1,
      "mlp_only_layers": null, "use_sliding_window": null, "sliding_window": null, "layer_types": null})"},
    // Qwen3NextConfig
    {"qwen3_next", R"({"num_key_value_heads": 2, "head_dim": 256, "tie_word_embeddings": false, "attention_bias": false,
      "attn_output_gate": null, "shared_expert_intermediate_size": 512, "decoder_sparse_step": 1, "mlp_only_layers": null,
      "full_attention_interval": 4, "layer_types": null, "mtp_num_hidden_layers": null})"},
    // Qwen3.5: as Qwen3-Next in what has no size
    {"qwen3_5_moe_text", R"({"attention_bias": false, "attn_output_gate": null, "decoder_sparse_step": 1, "mlp_only_layers": null,
      "layer_types": null, "mtp_num_hidden_layers": null})"},
    // GptOssConfig; experts_per_token is an older name of num_experts_per_tok; biases are in the code
    {"gpt_oss", R"({"num_key_value_heads": 8, "head_dim": 64, "tie_word_embeddings": false, "attention_bias": null, "sliding_window": 128,
      "layer_types": null, "experts_per_token": null})"},
    // Llama4TextConfig
    {"llama4_text", R"({"num_key_value_heads": 8, "head_dim": 128, "tie_word_embeddings": false, "attention_bias": false,
      "attention_chunk_size": 8192, "interleave_moe_layer_step": 1, "moe_layers": null, "no_rope_layers": null,
      "no_rope_layer_interval": 4, "layer_types": null})"},
    // NemotronHConfig: its sizes differ between the vendor's releases
    {"nemotron_h", R"({"tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false, "sliding_window": null,
      "moe_latent_size": null, "scoring_func": null, "topk_method": null, "n_group": null, "topk_group": null,
      "routed_scaling_factor": null, "num_nextn_predict_layers": null, "mtp_hybrid_override_pattern": null})"},
    // JambaConfig
    {"jamba", R"({"num_key_value_heads": 8, "head_dim": null, "tie_word_embeddings": false, "sliding_window": null})"},
    // Ernie4_5_MoeConfig, its sizes left out
    {"ernie4_5_moe", R"({"head_dim": null, "use_bias": false, "moe_layer_end_index": -1, "moe_layer_interval": 1, "moe_use_aux_free": null,
      "num_nextn_predict_layers": null})"},
    // Files name either head_dim or attention_head_dim, or neither
    {"hunyuan_v1_moe", R"({"head_dim": null, "attention_head_dim": null, "use_mla": null, "attention_bias": false, "mlp_bias": null,
      "moe_layer_num_skipped": null})"},
    {"hunyuan", R"({"head_dim": null, "attention_head_dim": null, "use_mla": null, "attention_bias": false, "mlp_bias": null,
      "moe_layer_num_skipped": null})"},
    // LongcatFlashConfig
    {"longcat_flash", R"({"tie_word_embeddings": false, "q_lora_rank": 1536, "zero_expert_num": 256, "router_bias": false,
      "routed_scaling_factor": 6.0, "num_hidden_layers": null, "num_nextn_predict_layers": null})"},
});

}  // namespace

Json class_defaults(std::string_view type) {
  for (const ClassDefaults& of : kClassDefaults)
    if (of.type == type) return Json::parse(of.json);
  return Json::object();
}

}  // namespace moesim
