// Keys of public config.json files that do not change what moesim computes: positions, activation, initialisation, training losses,
// tokenizer ids, code loading, vision towers, storage format.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "model/families/family.h"

namespace moesim {

namespace {

constexpr auto kExact = std::to_array<std::string_view>({
    // loading and generation
    "architectures",
    "auto_map",
    "transformers_version",
    "torch_dtype",
    "dtype",
    "model_type",
    "text_config",
    "language_config",
    "llm_config",
    "name_or_path",
    "use_cache",
    "cache_implementation",
    "is_encoder_decoder",
    "is_decoder",
    "add_cross_attention",
    "cross_attention_hidden_size",
    "attn_implementation",
    "problem_type",
    "id2label",
    "label2id",
    "num_labels",
    "return_dict",
    "output_attentions",
    "output_hidden_states",
    "torchscript",
    "use_bfloat16",
    "tf_legacy_loss",
    "pruned_heads",
    "chunk_size_feed_forward",
    "finetuning_task",
    "tokenizer_class",
    "prefix",
    "task_specific_params",
    "do_sample",
    "early_stopping",
    "num_beams",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
    "repetition_penalty",
    "length_penalty",
    "no_repeat_ngram_size",
    "max_length",
    "min_length",
    "bad_words_ids",
    "num_return_sequences",
    "remove_invalid_values",
    "exponential_decay_length_penalty",
    "suppress_tokens",
    "begin_suppress_tokens",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "num_beam_groups",
    "diversity_penalty",
    "encoder_no_repeat_ngram_size",
    "output_scores",
    "return_dict_in_generate",
    "tie_encoder_decoder",
    "pretraining_tp",
    "ep_size",
    "use_flash_attention",
    "tensor_parallel_degree",
    "sequence_parallel",
    "num_logits_to_keep",
    "calc_logits_for_entire_prompt",
    "use_mamba_kernels",
    "for_llm_compressor",
    "unsloth_fixed",
    "unsloth_version",
    "ignore_index",
    "ignored_index",
    "classifier_activation",
    // storage format
    "quantization_config",
    "compression_config",
    "expert_dtype",
    "router_dtype",
    "mamba_ssm_dtype",
    "mamba_ssm_cache_dtype",
    // activation, norm, scale and initialisation
    "hidden_act",
    "hidden_activation",
    "activation_function",
    "mlp_hidden_act",
    "mamba_hidden_act",
    "hidden_dropout_prob",
    "swiglu_limit",
    "initializer_range",
    "initializer_factor",
    "rms_norm_eps",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "layernorm_epsilon",
    "norm_eps",
    "norm_epsilon",
    "norm_type",
    "use_rmsnorm",
    "rmsnorm_eps",
    "postnorm",
    "residual_in_fp32",
    "rescale_prenorm_residual",
    "embedding_multiplier",
    "logits_scaling",
    "residual_multiplier",
    "attention_multiplier",
    "embedding_multiplier_scale",
    "output_multiplier_scale",
    "attn_output_multiplier",
    "max_attn_value",
    "attn_scale",
    "floor_scale",
    "attn_temperature_tuning",
    "mla_scale_q_lora",
    "mla_scale_kv_lora",
    "scale_attn_weights",
    "scale_attn_by_inverse_layer_idx",
    "reorder_and_upcast_attn",
    "use_parallel_residual",
    "clip_qkv",
    "weight_share_add_bias",
    "hc_mult",
    "hc_sinkhorn_iters",
    "hc_eps",
    // positions and lengths
    "max_position_embeddings",
    "max_seq_len",
    "max_sequence_length",
    "max_model_len",
    "model_max_length",
    "seq_length",
    "n_ctx",
    "initial_context_length",
    "original_max_position_embeddings",
    "partial_rotary_factor",
    "rotary_dim",
    "rotary_pct",
    "rotary_emb_base",
    "use_rotary_pos_emb",
    "position_embedding_xdrope",
    "compress_rope_theta",
    "xd_num",
    "use_sliding_window",
    // routing: scores, losses and capacity, which a scenario sets
    "norm_topk_prob",
    "aux_loss_alpha",
    "seq_aux",
    "router_aux_loss_coef",
    "router_z_loss_coef",
    "output_router_logits",
    "router_jitter_noise",
    "input_jitter_noise",
    "moe_normalize_expert_weights",
    "moe_loss_weight",
    "moe_jitter_eps",
    "uniform_expert_assignment",
    "moe_capacity",
    "moe_gate",
    "moe_gate_act",
    "moe_norm_min",
    "moe_norm_gate_logits",
    "moe_drop_tokens",
    "moe_random_routing_dropped_token",
    "capacity_factor",
    "group_limited_greedy",
    "use_mixed_mlp_moe",
    "shared_moe_mode",
    "zero_expert_type",
    "attention_method",
    "moe_dropout_prob",
    "ffn_act_fn",
    // multi-token prediction details, state-space details
    "mtp_use_dedicated_embeddings",
    "mtp_loss_scaling_factor",
    "mamba_conv_bias",
    "mamba_proj_bias",
    "use_conv_bias",
    "chunk_size",
    "output_gate_type",
    "moe_shared_expert_overlap",
    "expand",
    "use_bias",
    "use_cla",
    "cla_share_factor",
    "use_qk_norm",
    "full_attention_interval",
    // other modalities and heads
    "vision_config",
    "audio_config",
    "vision_feature_layer",
    "vision_feature_select_strategy",
    "projector_hidden_act",
    "class_num",
    "pool_type",
    "add_classification_head",
    "add_pooling_layer",
    "num_media_embeds",
    "max_image_size",
    "min_image_size",
    "spatial_merge_size",
    "use_unified_vision_chunk",
    "video_placeholder",
    "dense_list",
});

// Keys that shape the architecture in some family: a reader may not have asked for them yet, but they are no slips.
constexpr auto kArchitecture = std::to_array<std::string_view>({
    "attention_bias", "attention_chunk_size", "attention_head_dim", "attn_config", "attn_layer_offset", "attn_layer_period",
    "attn_output_gate", "attn_type_list", "compress_ratios", "conv_kernel", "d_model", "decoder_sparse_step",
    "expert_ffn_hidden_size", "expert_layer_offset", "expert_layer_period", "experts_per_token", "ffn_config",
    "ffn_hidden_size", "first_k_dense_replace", "head_dim", "hidden_size", "hybrid_override_pattern", "index_head_dim",
    "index_n_heads", "index_topk", "interleave_moe_layer_step", "intermediate_size", "intermediate_size_mlp", "kv_lora_rank",
    "kv_n_heads", "layer_types", "linear_conv_kernel_dim", "linear_key_head_dim", "linear_num_key_heads",
    "linear_num_value_heads", "linear_value_head_dim", "lm_head_bias", "mamba_d_conv", "mamba_d_state", "mamba_dt_rank",
    "mamba_expand", "mamba_head_dim", "mamba_num_heads", "max_window_layers", "mlp_bias", "mlp_intermediate_size",
    "mlp_layer_types", "mlp_only_layers", "moe_intermediate_size", "moe_k", "moe_latent_size", "moe_layer_end_index",
    "moe_layer_freq", "moe_layer_interval", "moe_layer_num_skipped", "moe_layer_start_index", "moe_layers", "moe_num_experts",
    "moe_num_shared_experts", "moe_shared_expert_intermediate_size", "moe_top_k", "moe_topk", "moe_use_aux_free",
    "mtp_hybrid_override_pattern", "mtp_num_hidden_layers", "mtp_transformer_layers", "n_embd", "n_group", "n_groups", "n_head",
    "n_heads", "n_inner", "n_layer", "n_layers", "n_positions", "n_routed_experts", "n_shared_experts",
    "no_rope_layer_interval", "no_rope_layers", "num_attention_heads", "num_expert", "num_experts", "num_experts_per_tok",
    "num_hash_layers", "num_hidden_layers", "num_key_value_heads", "num_layers", "num_local_experts", "num_mtp_modules",
    "num_nextn_predict_layers", "num_shared_expert", "o_groups", "o_lora_rank", "q_lora_rank", "qk_head_dim",
    "qk_nope_head_dim", "qk_norm_type", "qk_rope_head_dim", "qkv_bias", "routed_scaling_factor", "router_bias", "scoring_func",
    "shared_expert_intermediate_size", "shared_intermediate_size", "sliding_window", "sliding_window_pattern", "ssm_state_size",
    "tie_word_embeddings", "topk_group", "topk_method", "use_mla", "use_mtp", "use_routing_bias", "v_head_dim", "vocab_size",
    "zero_expert_num",
});

constexpr auto kPrefixes =
    std::to_array<std::string_view>({"rope", "indexer_", "layernorm_", "time_step_", "summary_", "image_", "video_", "vision_",
                                     "vit_", "mm_", "media_", "anyres_", "im_", "fuse_", "projector_"});
constexpr auto kSuffixes = std::to_array<std::string_view>(
    {"_token_id", "_token_ids", "_token_index", "_dropout", "_pdrop", "_init_id", "_start_id", "_end_id", "_newline_id"});

bool starts(std::string_view key, std::string_view with) { return key.substr(0, with.size()) == with; }
bool ends(std::string_view key, std::string_view with) {
  return key.size() >= with.size() && key.substr(key.size() - with.size()) == with;
}

bool without_effect(std::string_view key) {
  return std::find(kExact.begin(), kExact.end(), key) != kExact.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return starts(key, p); }) ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view s) { return ends(key, s); });
}

}  // namespace

void warn_about_unread(const Reader& config, std::vector<std::string>& warnings) {
  for (const std::string& key : config.unread())
    if (config.has(key) && !without_effect(key))  // null says nothing
      warnings.push_back(config.file() + ": " + (config.path().empty() ? "" : config.path() + ".") + shortened(key) +
                         ": unknown key, not used" + config.suggestion(key));
}

std::string near_miss(const Reader& config, std::string_view missing) {
  std::vector<std::string> strange;
  for (const std::string& key : config.unread())
    if (!without_effect(key) && std::find(kArchitecture.begin(), kArchitecture.end(), key) == kArchitecture.end()) strange.push_back(key);
  const std::string found = nearest(missing, strange);
  return found.empty() ? "" : "; did you mean it by \"" + shortened(found) + "\"?";
}

}  // namespace moesim
