// Mixtral and families that put plain experts of intermediate_size on every layer: PhiMoE (biased
// LayerNorms and lm_head) and OLMoE (norms over the whole width of queries and keys).
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {
namespace {

/// Experts on every layer; a window, where there is one, holds for every layer too.
Model read_plain_experts(Config& config, const GatedDecoder& family) {
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  LayerGroup layer = read_attention_layer(config, family, model);
  layer.feed_forward = read_experts(config, config.count("intermediate_size", most_mlp_width));
  add_layers(model, layers, layer, family.window);
  return model;
}

}  // namespace

Model read_mixtral(Config& config) {
  config.refuse_true({"attention_bias"});
  return read_plain_experts(config, with_window({}, read_window(config)));
}

Model read_phimoe(Config& config) {
  const bool bias = config.flag_or("attention_bias", false);
  read_past(config, {"input_jitter_noise", "original_max_position_embeddings"});
  Model model = read_plain_experts(
      config, with_window({.attention = {.qkv_bias = bias, .output_bias = bias}, .norm_bias = true},
                          read_window(config)));
  if (config.flag_or("lm_head_bias", false)) model.final_norm_parameters += model.vocabulary;
  return model;
}

Model read_olmoe(Config& config) {
  const bool bias = config.flag_or("attention_bias", false);
  read_past(config, {"clip_qkv"});
  return read_plain_experts(
      config,
      {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias},
       .query_key_norms = QueryKeyNorms::full_width});
}

}  // namespace roofline::huggingface
