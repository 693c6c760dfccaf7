// config.json files as the families publish them, with every key that has no meaning here: they load unchanged and without warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/document.h"
#include "base/error.h"
#include "base/json.h"
#include "model/count.h"
#include "model/families/family.h"
#include "model/load.h"

namespace moesim {
namespace {

struct Published {
  const char* name;
  const char* kinds;  // names of the layer kinds, joined by spaces
  const char* text;
};

const Published kPublished[] = {
    {"qwen3-moe", "gqa+moe", R"({"architectures": ["Qwen3MoeForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
      "bos_token_id": 151643, "decoder_sparse_step": 1, "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu",
      "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 6144, "max_position_embeddings": 40960,
      "max_window_layers": 48, "mlp_only_layers": [], "model_type": "qwen3_moe", "moe_intermediate_size": 768,
      "norm_topk_prob": true, "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48,
      "num_key_value_heads": 4, "output_router_logits": false, "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 1000000.0,
      "router_aux_loss_coef": 0.001, "sliding_window": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
      "transformers_version": "4.51.0", "use_cache": true, "use_sliding_window": false, "vocab_size": 151936})"},
    {"deepseek-v3", "mla+dense mla+moe", R"({"architectures": ["DeepseekV3ForCausalLM"], "attention_bias": false,
      "attention_dropout": 0.0, "auto_map": {"AutoConfig": "configuration_deepseek.DeepseekV3Config"}, "bos_token_id": 0,
      "eos_token_id": 1, "ep_size": 1, "first_k_dense_replace": 3, "hidden_act": "silu", "hidden_size": 7168,
      "initializer_range": 0.02, "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840,
      "model_type": "deepseek_v3", "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256,
      "n_shared_experts": 1, "norm_topk_prob": true, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61,
      "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
      "weight_block_size": [128, 128]}, "rms_norm_eps": 1e-06, "rope_scaling": {"beta_fast": 32, "type": "yarn"},
      "rope_theta": 10000, "routed_scaling_factor": 2.5, "scoring_func": "sigmoid", "tie_word_embeddings": false, "topk_group": 4,
      "topk_method": "noaux_tc", "torch_dtype": "bfloat16", "transformers_version": "4.33.1", "use_cache": true,
      "v_head_dim": 128, "vocab_size": 129280})"},
    {"deepseek-v2-lite", "mla+dense mla+moe", R"({"architectures": ["DeepseekV2ForCausalLM"], "attention_bias": false,
      "attention_dropout": 0.0, "aux_loss_alpha": 0.001, "bos_token_id": 100000, "eos_token_id": 100001,
      "first_k_dense_replace": 1, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 10944,
      "kv_lora_rank": 512, "max_position_embeddings": 163840, "model_type": "deepseek_v2", "moe_intermediate_size": 1408,
      "moe_layer_freq": 1, "n_group": 1, "n_routed_experts": 64, "n_shared_experts": 2, "norm_topk_prob": false,
      "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27, "num_key_value_heads": 16, "pretraining_tp": 1,
      "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-06, "rope_theta": 10000,
      "routed_scaling_factor": 1.0, "scoring_func": "softmax", "seq_aux": true, "tie_word_embeddings": false, "topk_group": 1,
      "topk_method": "greedy", "torch_dtype": "bfloat16", "use_cache": true, "v_head_dim": 128, "vocab_size": 102400})"},
    {"mixtral", "gqa+moe", R"({"_name_or_path": "x", "architectures": ["MixtralForCausalLM"], "attention_dropout": 0.0,
      "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
      "intermediate_size": 14336, "max_position_embeddings": 32768, "model_type": "mixtral", "num_attention_heads": 32,
      "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
      "output_router_logits": false, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.02,
      "router_jitter_noise": 0.0, "sliding_window": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
      "transformers_version": "4.42.0.dev0", "use_cache": true, "vocab_size": 32000})"},
    {"gpt-oss", "gqa(window 128)+moe gqa+moe", R"({"architectures": ["GptOssForCausalLM"], "attention_bias": true,
      "attention_dropout": 0.0, "eos_token_id": 200002, "experts_per_token": 4, "head_dim": 64, "hidden_act": "silu",
      "hidden_size": 2880, "initial_context_length": 4096, "initializer_range": 0.02, "intermediate_size": 2880,
      "layer_types": ["sliding_attention", "full_attention"], "max_position_embeddings": 131072, "model_type": "gpt_oss",
      "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 2, "num_key_value_heads": 8,
      "num_local_experts": 32, "output_router_logits": false, "pad_token_id": 199999, "quantization_config":
      {"modules_to_not_convert": ["model.layers.*.self_attn"], "quant_method": "mxfp4"}, "rms_norm_eps": 1e-05,
      "rope_scaling": {"rope_type": "yarn", "truncate": false}, "rope_theta": 150000, "router_aux_loss_coef": 0.9,
      "sliding_window": 128, "swiglu_limit": 7.0, "tie_word_embeddings": false, "transformers_version": "4.55.0.dev0",
      "use_cache": true, "vocab_size": 201088})"},
    {"llama-4", "gqa(chunk 8192)+moe gqa+moe", R"({"architectures": ["Llama4ForConditionalGeneration"], "boi_token_index": 200080,
      "eoi_token_index": 200081, "image_token_index": 200092, "model_type": "llama4", "text_config": {"_attn_implementation_autoset":
      true, "attention_bias": false, "attention_chunk_size": 8192, "attention_dropout": 0.0, "attn_scale": 0.1,
      "attn_temperature_tuning": 4, "bos_token_id": 200000, "eos_token_id": [200001, 200007, 200008], "floor_scale": 8192,
      "for_llm_compressor": false, "head_dim": 128, "hidden_act": "silu", "hidden_size": 5120, "initializer_range": 0.02,
      "interleave_moe_layer_step": 1, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "max_position_embeddings": 10485760,
      "model_type": "llama4_text", "no_rope_layers": [], "num_attention_heads": 40, "num_experts_per_tok": 1,
      "num_hidden_layers": 48, "num_key_value_heads": 8, "num_local_experts": 16, "output_router_logits": false,
      "pad_token_id": 200018, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 16.0}, "rope_theta": 500000.0,
      "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0, "torch_dtype": "bfloat16", "use_cache": true, "use_qk_norm": true,
      "vocab_size": 202048}, "torch_dtype": "bfloat16", "transformers_version": "4.51.0.dev0", "vision_config": {"hidden_size": 1408}})"},
    {"qwen3-next", "delta_net+moe gqa+moe", R"({"architectures": ["Qwen3NextForCausalLM"], "attention_bias": false,
      "attention_dropout": 0.0, "bos_token_id": 151643, "decoder_sparse_step": 1, "eos_token_id": 151645,
      "full_attention_interval": 4, "head_dim": 256, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
      "intermediate_size": 5120, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
      "linear_num_value_heads": 32, "linear_value_head_dim": 128, "max_position_embeddings": 262144, "mlp_only_layers": [],
      "model_type": "qwen3_next", "moe_intermediate_size": 512, "norm_topk_prob": true, "num_attention_heads": 16,
      "num_experts": 512, "num_experts_per_tok": 10, "num_hidden_layers": 48, "num_key_value_heads": 2,
      "output_router_logits": false, "partial_rotary_factor": 0.25, "rms_norm_eps": 1e-06, "rope_scaling": null,
      "rope_theta": 10000000, "router_aux_loss_coef": 0.001, "shared_expert_intermediate_size": 512, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16", "use_cache": true, "use_sliding_window": false, "vocab_size": 151936})"},
    {"hunyuan", "gqa+moe", R"({"add_classification_head": false, "anyres_pooling_size": 2, "anyres_vit_max_image_size": null,
      "architectures": ["HunYuanMoEV1ForCausalLM"], "attention_bias": false, "attention_dropout": 0.1, "attention_head_dim": 128,
      "bos_token_id": 1, "cla_share_factor": 2, "class_num": 0, "dense_list": [4096, 0], "eod_token_id": 3, "group_limited_greedy": false,
      "hidden_act": "silu", "hidden_size": 4096, "im_end_id": 6, "im_start_id": 5, "initializer_range": 0.02,
      "intermediate_size": 3072, "kv_lora_rank": null, "mask_init_id": 12, "max_position_embeddings": 32768, "mlp_bias": false,
      "model_type": "hunyuan_v1_moe", "moe_drop_tokens": false, "moe_intermediate_size": [3072, 3072], "moe_layer_num_skipped": 0,
      "moe_random_routing_dropped_token": false, "moe_topk": [8, 8], "norm_topk_prob": true, "norm_type": "rms",
      "num_attention_heads": 32, "num_experts": 64, "num_hidden_layers": 2, "num_key_value_heads": 8, "num_media_embeds": 257,
      "num_shared_expert": [1, 1], "pool_type": "last", "position_embedding_xdrope": false, "pretraining_tp": 1, "q_lora_rank": null,
      "qk_nope_head_dim": null, "qk_rope_head_dim": null, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "routed_scaling_factor": 1.0,
      "tie_word_embeddings": true, "use_cla": false, "use_mixed_mlp_moe": true, "use_mla": false, "use_qk_norm": true,
      "use_rotary_pos_emb": true, "v_head_dim": null, "vit_type": null, "vocab_size": 128167, "xd_num": 4})"},
    {"ernie", "gqa+dense gqa+moe", R"({"architectures": ["Ernie4_5_MoeForCausalLM"], "bos_token_id": 1, "eos_token_id": 2,
      "hidden_act": "silu", "hidden_size": 2560, "intermediate_size": 12288, "max_position_embeddings": 131072,
      "model_type": "ernie4_5_moe", "moe_capacity": [64, 64, 64], "moe_gate": "topk", "moe_intermediate_size": 1536, "moe_k": 6,
      "moe_layer_end_index": 27, "moe_layer_interval": 1, "moe_layer_start_index": 1, "moe_num_experts": 64,
      "moe_num_shared_experts": 2, "moe_use_aux_free": true, "num_attention_heads": 20, "num_hidden_layers": 28,
      "num_key_value_heads": 4, "num_nextn_predict_layers": 1, "pad_token_id": 0, "rms_norm_eps": 1e-05, "rope_scaling": null,
      "rope_theta": 500000.0, "tie_word_embeddings": true, "torch_dtype": "bfloat16", "use_bias": false, "use_cache": false,
      "vocab_size": 103424})"},
    {"jamba", "mamba+dense mamba+moe gqa+dense", R"({"architectures": ["JambaForCausalLM"], "attention_dropout": 0.0,
      "attn_layer_offset": 4, "attn_layer_period": 8, "bos_token_id": 1, "calc_logits_for_entire_prompt": false, "eos_token_id": 2,
      "expert_layer_offset": 1, "expert_layer_period": 2, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
      "intermediate_size": 14336, "mamba_conv_bias": true, "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": "auto",
      "mamba_expand": 2, "mamba_proj_bias": false, "max_position_embeddings": 262144, "model_type": "jamba",
      "num_attention_heads": 32, "num_experts": 16, "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
      "num_logits_to_keep": 1, "output_router_logits": false, "pad_token_id": 0, "rms_norm_eps": 1e-06,
      "router_aux_loss_coef": 0.001, "sliding_window": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
      "use_cache": true, "use_mamba_kernels": true, "vocab_size": 65536})"},
    {"dbrx", "gqa+moe", R"({"architectures": ["DbrxForCausalLM"], "attn_config": {"clip_qkv": 8, "kv_n_heads": 8, "model_type": "",
      "rope_theta": 500000}, "auto_map": {}, "d_model": 6144, "emb_pdrop": 0.0, "ffn_config": {"ffn_hidden_size": 10752,
      "model_type": "", "moe_jitter_eps": 0, "moe_loss_weight": 0.05, "moe_num_experts": 16, "moe_top_k": 4},
      "initializer_range": 0.02, "max_seq_len": 32768, "model_type": "dbrx", "n_heads": 48, "n_layers": 40,
      "output_router_logits": false, "resid_pdrop": 0.0, "router_aux_loss_coef": 0.05, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 100352})"},
    {"minimax-m2", "gqa+moe", R"({"architectures": ["MiniMaxM2ForCausalLM"], "attention_dropout": 0.0, "attn_type_list": [1, 1],
      "bos_token_id": null, "eos_token_id": null, "head_dim": 128, "hidden_act": "silu", "hidden_size": 3072, "initializer_range": 0.02,
      "intermediate_size": 1536, "layernorm_full_attention_beta": 1.0, "layernorm_linear_attention_beta": 1.0, "layernorm_mlp_beta": 1.0,
      "max_position_embeddings": 196608, "mlp_intermediate_size": 8192, "model_type": "minimax_m2", "mtp_transformer_layers": 1,
      "num_attention_heads": 48, "num_experts_per_tok": 8, "num_hidden_layers": 2, "num_key_value_heads": 8,
      "num_local_experts": 256, "num_mtp_modules": 3, "output_router_logits": false, "qk_norm_type": "per_layer", "rms_norm_eps": 1e-06,
      "rope_theta": 5000000, "rotary_dim": 64, "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0, "scoring_func": "sigmoid",
      "shared_intermediate_size": 0, "shared_moe_mode": "sigmoid", "sliding_window": null, "tie_word_embeddings": false,
      "use_cache": true, "use_mtp": true, "use_qk_norm": true, "use_routing_bias": true, "vocab_size": 200064})"},
    {"glm-4.5", "gqa+dense gqa+moe", R"({"architectures": ["Glm4MoeForCausalLM"], "attention_bias": true, "attention_dropout": 0.0,
      "eos_token_id": [151329, 151336], "first_k_dense_replace": 1, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096,
      "initializer_range": 0.02, "intermediate_size": 10944, "max_position_embeddings": 131072, "model_type": "glm4_moe",
      "moe_intermediate_size": 1408, "n_group": 1, "n_routed_experts": 128, "n_shared_experts": 1, "norm_topk_prob": true,
      "num_attention_heads": 96, "num_experts_per_tok": 8, "num_hidden_layers": 46, "num_key_value_heads": 8,
      "num_nextn_predict_layers": 1, "pad_token_id": 151329, "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05,
      "rope_scaling": null, "rope_theta": 1000000, "routed_scaling_factor": 1.0, "tie_word_embeddings": false, "topk_group": 1,
      "torch_dtype": "bfloat16", "use_cache": true, "use_qk_norm": false, "vocab_size": 151552})"},
    {"nemotron-3", "mamba2 moe gqa", R"({"architectures": ["NemotronHForCausalLM"], "attention_bias": false,
      "attention_dropout": 0.0, "auto_map": {}, "bos_token_id": 1, "chunk_size": 128, "conv_kernel": 4, "eos_token_id": 2, "expand": 2,
      "head_dim": 128, "hidden_dropout": 0.0, "hidden_size": 2688, "hybrid_override_pattern": "MEM*", "initializer_range": 0.02,
      "intermediate_size": 1856, "layer_norm_epsilon": 1e-05, "mamba_head_dim": 64, "mamba_hidden_act": "silu", "mamba_num_heads": 64,
      "mamba_proj_bias": false, "mamba_ssm_cache_dtype": "float32", "max_position_embeddings": 262144, "mlp_bias": false,
      "mlp_hidden_act": "relu2", "model_type": "nemotron_h", "moe_intermediate_size": 1856, "moe_shared_expert_intermediate_size": 3712,
      "n_group": 1, "n_groups": 8, "n_routed_experts": 128, "n_shared_experts": 1, "norm_eps": 1e-05, "norm_topk_prob": true,
      "num_attention_heads": 32, "num_experts_per_tok": 6, "num_hidden_layers": 4, "num_key_value_heads": 2, "num_logits_to_keep": 1,
      "pad_token_id": 0, "partial_rotary_factor": 1.0, "rescale_prenorm_residual": true, "residual_in_fp32": false,
      "rope_theta": 10000, "routed_scaling_factor": 2.5, "sliding_window": null, "ssm_state_size": 128, "tie_word_embeddings": false,
      "time_step_floor": 0.0001, "time_step_limit": [0.0, 1.0], "time_step_max": 0.1, "time_step_min": 0.001, "topk_group": 1,
      "torch_dtype": "bfloat16", "use_bias": false, "use_cache": true, "use_conv_bias": true, "use_mamba_kernels": true,
      "vocab_size": 131072})"},
    {"phi-3.5-moe", "gqa+moe", R"({"architectures": ["PhiMoEForCausalLM"], "attention_bias": true, "attention_dropout": 0.0,
      "auto_map": {}, "bos_token_id": 1, "eos_token_id": 32000, "hidden_act": "silu", "hidden_dropout": 0.0, "hidden_size": 4096,
      "initializer_range": 0.02, "input_jitter_noise": 0.01, "intermediate_size": 6400, "lm_head_bias": true,
      "max_position_embeddings": 131072, "model_type": "phimoe", "num_attention_heads": 32, "num_experts_per_tok": 2,
      "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 16, "original_max_position_embeddings": 4096,
      "output_router_logits": false, "rms_norm_eps": 1e-05, "rope_scaling": {"type": "longrope"}, "rope_theta": 10000.0,
      "router_aux_loss_coef": 0.0, "router_jitter_noise": 0.01, "sliding_window": 131072, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 32064})"},
    {"granite", "gqa+moe", R"({"architectures": ["GraniteMoeForCausalLM"], "attention_bias": false, "attention_dropout": 0.1,
      "attention_multiplier": 0.015625, "bos_token_id": 0, "embedding_multiplier": 12.0, "eos_token_id": 0, "hidden_act": "silu",
      "hidden_size": 1024, "initializer_range": 0.02, "intermediate_size": 512, "logits_scaling": 6.0, "max_position_embeddings": 4096,
      "model_type": "granitemoe", "num_attention_heads": 16, "num_experts_per_tok": 8, "num_hidden_layers": 24,
      "num_key_value_heads": 8, "num_local_experts": 32, "output_router_logits": false, "pad_token_id": 0, "residual_multiplier": 0.22,
      "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 10000, "router_aux_loss_coef": 0.0, "tie_word_embeddings": true,
      "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 49155})"},
    {"olmoe", "gqa+moe", R"({"architectures": ["OlmoeForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
      "clip_qkv": null, "eos_token_id": 50279, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
      "intermediate_size": 1024, "max_position_embeddings": 4096, "model_type": "olmoe", "norm_topk_prob": false,
      "num_attention_heads": 16, "num_experts": 64, "num_experts_per_tok": 8, "num_hidden_layers": 16, "num_key_value_heads": 16,
      "output_router_logits": false, "pad_token_id": 1, "rope_scaling": null, "rope_theta": 10000.0, "router_aux_loss_coef": 0.01,
      "tie_word_embeddings": false, "use_cache": true, "vocab_size": 50304})"},
    {"longcat", "mla+moe+dense+mla+dense", R"({"architectures": ["LongcatFlashForCausalLM"], "attention_bias": false,
      "attention_dropout": 0.0, "attention_method": "MLA", "auto_map": {}, "bos_token_id": 1, "eos_token_id": 2,
      "expert_ffn_hidden_size": 2048, "ffn_hidden_size": 12288, "hidden_size": 6144, "kv_lora_rank": 512,
      "max_position_embeddings": 131072, "mla_scale_kv_lora": true, "mla_scale_q_lora": true, "model_type": "longcat_flash",
      "moe_topk": 12, "n_routed_experts": 512, "num_attention_heads": 64, "num_layers": 28, "q_lora_rank": 1536,
      "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-05, "rope_theta": 10000000.0, "routed_scaling_factor": 6.0,
      "router_bias": false, "torch_dtype": "bfloat16", "transformers_version": "4.55.0", "use_cache": true, "v_head_dim": 128,
      "vocab_size": 131072, "zero_expert_num": 256, "zero_expert_type": "identity"})"},
    {"qwen2-moe", "gqa+moe", R"({"architectures": ["Qwen2MoeForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 151643,
      "decoder_sparse_step": 1, "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 3584, "initializer_range": 0.02,
      "intermediate_size": 18944, "max_position_embeddings": 131072, "max_window_layers": 28, "mlp_only_layers": [],
      "model_type": "qwen2_moe", "moe_intermediate_size": 2560, "norm_topk_prob": false, "num_attention_heads": 28,
      "num_experts": 64, "num_experts_per_tok": 8, "num_hidden_layers": 28, "num_key_value_heads": 4, "output_router_logits": false,
      "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.001, "shared_expert_intermediate_size": 20480,
      "sliding_window": 65536, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "use_cache": true,
      "use_sliding_window": false, "vocab_size": 151936})"},
    {"qwen2", "gqa+dense", R"({"architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 151643,
      "eos_token_id": 151645, "hidden_act": "silu", "hidden_size": 5120, "initializer_range": 0.02, "intermediate_size": 27648,
      "max_position_embeddings": 32768, "max_window_layers": 70, "model_type": "qwen2", "num_attention_heads": 40,
      "num_hidden_layers": 64, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 131072,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16", "use_cache": true, "use_sliding_window": false, "vocab_size": 152064})"},
    {"mistral", "gqa(window 4096)+dense", R"({"architectures": ["MistralForCausalLM"], "bos_token_id": 1, "eos_token_id": 2,
      "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336,
      "max_position_embeddings": 32768, "model_type": "mistral", "num_attention_heads": 32, "num_hidden_layers": 32,
      "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 32000})"},
    {"gpt2", "gqa+dense", R"({"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
      "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
      "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "resid_pdrop": 0.1,
      "summary_activation": null, "summary_first_dropout": 0.1, "summary_type": "cls_index", "summary_use_proj": true,
      "task_specific_params": {"text-generation": {"do_sample": true}}, "vocab_size": 50257})"},
    {"gpt-neox", "gqa+dense", R"({"architectures": ["GPTNeoXForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 0,
      "classifier_dropout": 0.1, "eos_token_id": 0, "hidden_act": "gelu_fast", "hidden_dropout": 0.0, "hidden_size": 6144,
      "initializer_range": 0.02, "intermediate_size": 24576, "layer_norm_eps": 1e-05, "max_position_embeddings": 2048,
      "model_type": "gpt_neox", "num_attention_heads": 64, "num_hidden_layers": 44, "rotary_emb_base": 10000, "rotary_pct": 0.25,
      "tie_word_embeddings": false, "torch_dtype": "float16", "use_cache": true, "use_parallel_residual": true, "vocab_size": 50432})"},
};

std::string kind_names(const ModelSpec& model) {
  std::string out;
  for (const LayerKind& kind : model.kinds) out += (out.empty() ? "" : " ") + kind.name;
  return out;
}

TEST(PublicConfigs, LoadUnchangedAndWithoutWarning) {
  for (const Published& published : kPublished) {
    SCOPED_TRACE(published.name);
    const ModelSpec model = parse_model(Document::parse(published.text, published.name));
    EXPECT_THAT(model.warnings, testing::IsEmpty());
    EXPECT_EQ(kind_names(model), published.kinds);
  }
}

TEST(PublicConfigs, OfGptTwoCountItsPublished124Million) {
  for (const Published& published : kPublished)
    if (std::string(published.name) == "gpt2") {
      const ModelSpec model = parse_model(Document::parse(published.text, "gpt2"));
      EXPECT_EQ(count_params(model).total(), 124'439'808);
    }
}

// Written here once more, so that a family that vanishes from the table fails a test.
TEST(Families, AreAllInTheTableAndHaveDistinctTypes) {
  std::vector<std::string> types;
  for (const Family& family : families()) {
    EXPECT_FALSE(family.help.empty());
    types.insert(types.end(), family.model_types.begin(), family.model_types.end());
  }
  EXPECT_THAT(types, testing::UnorderedElementsAre(
                         "llama", "mistral", "qwen2", "qwen3", "gpt2", "gpt_neox", "mixtral", "phimoe", "granitemoe",
                         "granitemoeshared", "olmoe", "grok-1", "grok1", "dbrx", "minimax_m2", "minimax_text_01", "minimax_m1",
                         "minimax", "deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "glm_moe_dsa", "glm4_moe", "dots1",
                         "deepseek_v4", "qwen2_moe", "qwen3_moe", "qwen3_vl_moe_text", "qwen3_next", "qwen3_5_moe_text", "gpt_oss",
                         "llama4_text", "nemotron_h", "jamba", "ernie4_5_moe", "hunyuan_v1_moe", "hunyuan", "longcat_flash"));
}

/// Calls `use` with each config and each key of it.
template <class Use>
void for_each_key(Use use) {
  for (const Published& published : kPublished) {
    const Json config = Json::parse(published.text);
    for (const auto& [key, value] : config.items()) {
      SCOPED_TRACE(std::string(published.name) + ": " + key);
      Json rest = config;
      rest.erase(key);
      use(rest, key, value);
    }
  }
}

/// The error, or else the warnings, that a config gives.
std::string complaint(const Json& config) {
  try {
    std::string out;
    for (const std::string& w : parse_model(Document::parse(config.dump(), "c")).warnings) out += w + "\n";
    return out;
  } catch (const InputError& e) { return e.what(); }
}

TEST(PublicConfigs, NoKeyThatBelongsThereIsTakenForASlipOfAMissingOne) {
  int missing = 0;
  for_each_key([&](const Json& rest, const std::string&, const Json&) {
    const std::string text = complaint(rest);
    missing += text.ends_with(": missing");
    EXPECT_EQ(text.find("did you mean it by"), std::string::npos) << text;
  });
  EXPECT_GT(missing, 50);
}

TEST(PublicConfigs, ASlipInARequiredKeyIsSaidWithTheKey) {
  int slips = 0;
  for_each_key([&](Json rest, const std::string& key, const Json& value) {
    if (!complaint(rest).ends_with(": " + key + ": missing")) return;
    const std::string slip = key.substr(0, 2) + key.substr(3);   // a letter less
    rest[slip] = value;
    EXPECT_EQ(complaint(rest), "c: " + key + ": missing; did you mean it by \"" + slip + "\"?");
    ++slips;
  });
  EXPECT_GT(slips, 50);
}

}  // namespace
}  // namespace moesim
