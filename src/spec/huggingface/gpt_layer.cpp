#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {

LayerGroup gpt_layer(const Model& model, Attention attention, std::int64_t width,
                     const GptLayer& family) {
  attention.qkv_bias = family.attention_bias;
  attention.output_bias = family.attention_bias;
  LayerGroup layer;
  layer.mixer = attention;
  layer.feed_forward = Mlp{.width = width, .gated = false, .bias = family.mlp_bias};
  layer.norm_parameters = family.norms * 2 * model.hidden_size;
  return layer;
}

std::int64_t read_heads(Config& config) {
  return config.count({"num_attention_heads", "n_head", "n_heads"}, most_width);
}

std::int64_t read_width_or_four_hidden(Config& config, Keys keys, const Model& model) {
  return config.count_or(keys, most_mlp_width, 4 * model.hidden_size);
}

}  // namespace roofline::huggingface
