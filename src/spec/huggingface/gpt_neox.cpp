// GPT-NeoX (Pythia): multi-head, all biases, two LayerNorms a layer whether attention and MLP are
// parallel or not, an lm_head of its own.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {

Model read_gpt_neox(Config& config) {
  Model model = read_base(config);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.final_norm_parameters = 2 * model.hidden_size;
  read_past(config, {"use_parallel_residual", "rotary_pct", "rotary_emb_base"});
  const bool bias = config.flag_or("attention_bias", true);
  const std::int64_t heads = read_heads(config);
  const Attention attention = checked_attention(config, model, heads, heads);
  const std::int64_t width = config.count("intermediate_size", most_mlp_width);
  add_layers(
      model, read_layer_count(config),
      gpt_layer(model, attention, width, {.attention_bias = bias, .mlp_bias = true, .norms = 2}),
      full_attention);
  return model;
}

}  // namespace roofline::huggingface
