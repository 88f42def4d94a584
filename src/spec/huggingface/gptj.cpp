// GPT-J: one LayerNorm a layer for attention and MLP alike, no biases in attention, an lm_head of
// its own with a bias, rotary positions.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {

Model read_gptj(Config& config) {
  Model model = read_base(config);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.final_norm_parameters = 2 * model.hidden_size + model.vocabulary;
  read_past(config, {"rotary_dim", "rotary"});
  const std::int64_t heads = read_heads(config);
  const Attention attention = checked_attention(config, model, heads, heads);
  const std::int64_t width = read_width_or_four_hidden(config, {"n_inner"}, model);
  add_layers(
      model, read_layer_count(config),
      gpt_layer(model, attention, width, {.attention_bias = false, .mlp_bias = true, .norms = 1}),
      full_attention);
  return model;
}

}  // namespace roofline::huggingface
