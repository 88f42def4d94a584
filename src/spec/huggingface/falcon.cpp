// Falcon, old and new: K/V heads by new_decoder_architecture and multi_query, plain MLP of 4 h,
// tied, no bias unless asked for; one or two LayerNorms a layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {
namespace {

std::int64_t kv_heads(const JsonNode& config, bool new_architecture, std::int64_t heads) {
  if (new_architecture) {
    return config.at_any({"num_kv_heads", "n_head_kv"}).count(most_width);
  }
  return flag_or(config, "multi_query", true) ? 1 : heads;
}

std::int64_t norms_a_layer(const JsonNode& config, bool new_architecture) {
  if (new_architecture) {
    const auto count = config.find("num_ln_in_parallel_attn");
    return count ? count->count(2) : 2;
  }
  return flag_or(config, "parallel_attn", true) ? 1 : 2;
}

}  // namespace

Model read_falcon(const JsonNode& config) {
  Model model = read_base(config);
  const bool bias = flag_or(config, "bias", false);
  const bool new_architecture = flag_or(config, "new_decoder_architecture", false);
  const std::int64_t heads = config.at_any({"num_attention_heads", "n_head"}).count(most_width);
  model.tied_embeddings = flag_or(config, "tie_word_embeddings", true);
  model.final_norm_parameters = 2 * model.hidden_size;
  LayerGroup layer;
  layer.count = config.at_any({"num_hidden_layers", "n_layer"}).count(most_layers);
  layer.attention =
      checked_attention(config, model, heads, kv_heads(config, new_architecture, heads));
  layer.attention.qkv_bias = bias;
  layer.attention.output_bias = bias;
  const auto width = config.find("ffn_hidden_size");
  layer.mlp = {.width = width ? width->count(most_mlp_width) : 4 * model.hidden_size,
               .gated = false,
               .bias = bias};
  layer.norm_parameters = 2 * model.hidden_size * norms_a_layer(config, new_architecture);
  model.layers = {layer};
  return model;
}

}  // namespace roofline::huggingface
