// Phi-1 and Phi-2: attention and plain MLP in parallel behind one LayerNorm, all biases, and an
// lm_head of its own with a bias.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {

Model read_phi(Config& config) {
  Model model = read_base(config);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.final_norm_parameters = 2 * model.hidden_size + model.vocabulary;
  const Attention attention = read_attention(config, {.kv_heads_default_to_heads = true}, model);
  const std::int64_t width = config.count("intermediate_size", most_mlp_width);
  LayerGroup layer =
      gpt_layer(model, attention, width, {.attention_bias = true, .mlp_bias = true, .norms = 1});
  // LayerNorms of head_dim on queries and on keys, weights and biases.
  if (config.flag_or("qk_layernorm", false)) layer.norm_parameters += 4 * attention.head_dim;
  add_layers(model, read_layer_count(config), layer, full_attention);
  return model;
}

}  // namespace roofline::huggingface
