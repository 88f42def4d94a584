// OPT: multi-head, plain MLP, all biases, LayerNorms, learned positions with an offset of 2.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

Model read_opt(const JsonNode& config) {
  Model model = read_base(config);
  if (const auto width = config.find("word_embed_proj_dim")) {
    if (width->count(most_width) != model.hidden_size) {
      width->fail("differs from hidden_size",
                  "embeddings that are projected to another width (opt-350m) are not analysed");
    }
  }
  if (!flag_or(config, "do_layer_norm_before", true)) {
    config.at("do_layer_norm_before")
        .fail("is false", "norms behind the blocks (opt-350m) are not analysed");
  }
  const bool bias = flag_or(config, "enable_bias", true);
  model.tied_embeddings = flag_or(config, "tie_word_embeddings", true);
  model.learned_positions = config.at("max_position_embeddings").count(most_vocabulary) + 2;
  model.final_norm_parameters = 2 * model.hidden_size;
  LayerGroup layer;
  layer.count = config.at("num_hidden_layers").count(most_layers);
  const std::int64_t heads = config.at("num_attention_heads").count(most_width);
  layer.attention = checked_attention(config, model, heads, heads);
  layer.attention.qkv_bias = bias;
  layer.attention.output_bias = bias;
  layer.mlp = {.width = config.at("ffn_dim").count(most_mlp_width), .gated = false, .bias = bias};
  layer.norm_parameters = 4 * model.hidden_size;
  model.layers = {layer};
  return model;
}

}  // namespace roofline::huggingface
