#include "spec/huggingface/unread_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::huggingface {
namespace {

/// Keys that decide sizes or work where a family has them.
constexpr std::array<std::string_view, 72> structural{"add_cross_attention",
                                                      "add_pooling_layer",
                                                      "attention_bias",
                                                      "attention_chunk_size",
                                                      "attention_out_bias",
                                                      "attn_config",
                                                      "attn_layer_period",
                                                      "attn_type_list",
                                                      "block_configs",
                                                      "block_types",
                                                      "compress_ratios",
                                                      "cross_attention_layers",
                                                      "encoder_layers",
                                                      "ffn_config",
                                                      "first_k_dense_replace",
                                                      "full_attention_interval",
                                                      "head_dim",
                                                      "hybrid_override_pattern",
                                                      "index_head_dim",
                                                      "index_topk",
                                                      "intermediate_size",
                                                      "intermediate_size_mlp",
                                                      "is_encoder",
                                                      "is_encoder_decoder",
                                                      "kv_lora_rank",
                                                      "layer_types",
                                                      "layers_block_type",
                                                      "linear_num_key_heads",
                                                      "lm_head_bias",
                                                      "mamba_d_state",
                                                      "mamba_num_heads",
                                                      "mla_kv_lora_rank",
                                                      "mlp_bias",
                                                      "mlp_only_layers",
                                                      "moe_intermediate_size",
                                                      "moe_num_experts",
                                                      "moe_num_shared_experts",
                                                      "moe_shared_expert_intermediate_size",
                                                      "multi_query",
                                                      "n_inner",
                                                      "n_routed_experts",
                                                      "n_shared_experts",
                                                      "num_decoder_layers",
                                                      "num_encoder_layers",
                                                      "num_experts",
                                                      "num_experts_per_tok",
                                                      "num_key_value_heads",
                                                      "num_key_value_heads_per_layer",
                                                      "num_kv_heads",
                                                      "num_kv_shared_layers",
                                                      "num_local_experts",
                                                      "num_shared_expert",
                                                      "num_shared_experts",
                                                      "o_lora_rank",
                                                      "parallel_attn_mlp_res",
                                                      "q_lora_rank",
                                                      "qk_layernorm",
                                                      "qk_norm",
                                                      "qkv_bias",
                                                      "shared_expert_intermediate_size",
                                                      "shared_intermediate_size",
                                                      "sliding_window",
                                                      "sliding_window_pattern",
                                                      "sliding_window_size",
                                                      "sparsity_config",
                                                      "ssm_state_size",
                                                      "state_size",
                                                      "type_vocab_size",
                                                      "use_bias",
                                                      "use_cla",
                                                      "use_mla",
                                                      "use_qk_norm"};

/// Keys that change neither sizes nor the work of a step.
constexpr std::array<std::string_view, 129> harmless{"_attn_implementation",
                                                     "_attn_implementation_autoset",
                                                     "_name_or_path",
                                                     "_remove_final_layer_norm",
                                                     "activation_function",
                                                     "activation_sparsity_pattern",
                                                     "adapter_path",
                                                     "alibi",
                                                     "altup_active_idx",
                                                     "altup_correct_scale",
                                                     "architectures",
                                                     "attention_multiplier",
                                                     "attn_implementation",
                                                     "attn_logit_softcapping",
                                                     "attn_pdrop",
                                                     "attn_temperature_tuning",
                                                     "auto_map",
                                                     "aux_loss_alpha",
                                                     "bos_token",
                                                     "cache_implementation",
                                                     "chunk_size",
                                                     "class_num",
                                                     "clip_qkv",
                                                     "custom_generate",
                                                     "decoder_start_token_id",
                                                     "embd_pdrop",
                                                     "embedding_multiplier",
                                                     "enable_expert_tensor_parallelism",
                                                     "ep_size",
                                                     "final_logit_softcapping",
                                                     "floor_scale",
                                                     "for_llm_compressor",
                                                     "full_attn_mod",
                                                     "fused_add_norm",
                                                     "gradient_checkpointing",
                                                     "group_limited_greedy",
                                                     "hidden_act",
                                                     "hidden_activation",
                                                     "hidden_dropout",
                                                     "id2label",
                                                     "initial_context_length",
                                                     "initializer_factor",
                                                     "initializer_range",
                                                     "interpolate_factor",
                                                     "is_decoder",
                                                     "is_llama_config",
                                                     "keys_to_ignore_at_inference",
                                                     "label2id",
                                                     "language",
                                                     "logit_scale",
                                                     "logits_scaling",
                                                     "mamba_chunk_size",
                                                     "mamba_hidden_act",
                                                     "mamba_ssm_cache_dtype",
                                                     "mlp_hidden_act",
                                                     "model_max_length",
                                                     "model_type",
                                                     "moe_drop_tokens",
                                                     "moe_random_routing_dropped_token",
                                                     "n_ctx",
                                                     "n_group",
                                                     "no_rope_layer_interval",
                                                     "no_rope_layers",
                                                     "norm_topk_prob",
                                                     "norm_type",
                                                     "num_beams",
                                                     "num_labels",
                                                     "num_logits_to_keep",
                                                     "org_vocab_size",
                                                     "original_max_position_embeddings",
                                                     "output_attentions",
                                                     "output_hidden_states",
                                                     "output_past",
                                                     "output_router_logits",
                                                     "pad_id",
                                                     "pad_vocab_size_multiple",
                                                     "partial_rotary_factor",
                                                     "pool_type",
                                                     "position_embedding_type",
                                                     "position_embedding_xdrope",
                                                     "postnorm",
                                                     "prefix",
                                                     "pretraining_tp",
                                                     "problem_type",
                                                     "pruned_heads",
                                                     "query_pre_attn_scalar",
                                                     "reorder_and_upcast_attn",
                                                     "rescale_prenorm_residual",
                                                     "resid_pdrop",
                                                     "residual_in_fp32",
                                                     "residual_multiplier",
                                                     "return_dict",
                                                     "rms_norm",
                                                     "rotary_base",
                                                     "rotary_dim",
                                                     "rotary_emb_base",
                                                     "rotary_pct",
                                                     "routed_scaling_factor",
                                                     "router_aux_loss_coef",
                                                     "router_jitter_noise",
                                                     "router_z_loss_coef",
                                                     "scale_attention_softmax_in_fp32",
                                                     "scale_attn_by_inverse_layer_idx",
                                                     "scale_attn_weights",
                                                     "scoring_func",
                                                     "seq_aux",
                                                     "shared_moe_mode",
                                                     "skip_cls_token",
                                                     "slow_but_exact",
                                                     "summary_activation",
                                                     "summary_first_dropout",
                                                     "summary_proj_to_labels",
                                                     "summary_type",
                                                     "summary_use_proj",
                                                     "swiglu_limit",
                                                     "task_specific_params",
                                                     "text_end_id",
                                                     "text_start_id",
                                                     "tokenizer_class",
                                                     "topk_group",
                                                     "topk_method",
                                                     "torchscript",
                                                     "transformers_version",
                                                     "unk_token",
                                                     "unsloth_fixed",
                                                     "unsloth_version",
                                                     "use_cache",
                                                     "use_mamba_kernels",
                                                     "use_mrope"};

constexpr std::array<std::string_view, 9> harmless_starts{
    "rope_", "time_step_", "layernorm_", "summary_", "vit_", "anyres_", "mm_", "router_", "image_"};
constexpr std::array<std::string_view, 12> harmless_ends{
    "_token_id", "_token_ids", "_dropout",   "_eps",   "_epsilon", "_coef",
    "_clip",     "_theta",     "_tokens_id", "_index", "_impl",    "_prob"};

bool is_harmless(const std::string& key) {
  return std::binary_search(harmless.begin(), harmless.end(), key) ||
         std::any_of(harmless_starts.begin(), harmless_starts.end(),
                     [&](std::string_view start) { return key.starts_with(start); }) ||
         std::any_of(harmless_ends.begin(), harmless_ends.end(),
                     [&](std::string_view end) { return key.ends_with(end); });
}

bool is_structural(const std::string& key) {
  return std::binary_search(structural.begin(), structural.end(), key);
}

/// Not false, 0, or empty.
bool is_in_force(const JsonNode& node) {
  if (node.is_boolean()) return node.boolean();
  if (node.is_number()) return !node.is_zero();
  if (node.is_array() || node.is_object()) return !node.is_empty();
  return true;
}

}  // namespace

void judge_unread_keys(const Config& config, Model& model) {
  for (const JsonNode& node : config.unread_around()) {
    if (!is_structural(node.key()) || !is_in_force(node)) continue;
    node.fail("is not known beside the decoder of family " + config.family(),
              "it changes what the model is");
  }
  std::vector<std::string> unknown;
  for (const JsonNode& node : config.unread()) {
    const std::string& key = node.key();
    if (is_harmless(key) || !is_in_force(node)) continue;
    if (is_structural(key)) {
      node.fail(fmt::format("is not known in family {}", config.family()),
                "it changes what the model is: is model_type right?");
    }
    unknown.push_back(key);
  }
  if (unknown.empty()) return;
  constexpr std::size_t most_named = 8;
  const std::size_t others = unknown.size() > most_named ? unknown.size() - most_named : 0;
  unknown.resize(unknown.size() - others);
  model.warnings.push_back(
      fmt::format("keys of the config that are not understood and left out of account: {}{}",
                  fmt::join(unknown, ", "), others > 0 ? fmt::format(" and {} more", others) : ""));
}

std::optional<std::string> structural_key(const Config& config) {
  for (const JsonNode& node : config.unread()) {
    if (is_structural(node.key()) && is_in_force(node)) return node.key();
  }
  return std::nullopt;
}

}  // namespace roofline::huggingface
