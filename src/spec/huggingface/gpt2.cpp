// GPT-2: multi-head, plain MLP of 4 h unless n_inner says otherwise, all biases, LayerNorms,
// learned positions, tied.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

Model read_gpt2(const JsonNode& config) {
  Model model = read_base(config);
  refuse_true(config, {"add_cross_attention"});
  model.tied_embeddings = flag_or(config, "tie_word_embeddings", true);
  model.learned_positions = config.at_any({"n_positions", "n_ctx"}).count(most_vocabulary);
  model.final_norm_parameters = 2 * model.hidden_size;
  LayerGroup layer;
  layer.count = config.at_any({"n_layer", "num_hidden_layers"}).count(most_layers);
  const std::int64_t heads = config.at_any({"n_head", "num_attention_heads"}).count(most_width);
  layer.attention = checked_attention(config, model, heads, heads);
  layer.attention.qkv_bias = true;
  layer.attention.output_bias = true;
  const auto inner = config.find("n_inner");
  layer.mlp = {.width = inner ? inner->count(most_mlp_width) : 4 * model.hidden_size,
               .gated = false,
               .bias = true};
  layer.norm_parameters = 4 * model.hidden_size;
  model.layers = {layer};
  return model;
}

}  // namespace roofline::huggingface
