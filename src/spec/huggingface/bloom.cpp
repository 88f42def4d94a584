// BLOOM: GPT-2's layer with ALiBi instead of a position table, a LayerNorm on the embedding, tied.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {

Model read_bloom(Config& config) {
  Model model = read_base(config);
  const std::int64_t width = 4 * model.hidden_size;
  require_count(config, "n_inner", width);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.final_norm_parameters = 2 * model.hidden_size + 2 * model.hidden_size;  // embedding's too
  // Where the residual is taken and how products are split do not change their sizes.
  read_past(config, {"apply_residual_connection_post_layernorm", "slow_but_exact"});
  const std::int64_t heads = read_heads(config);
  const Attention attention = checked_attention(config, model, heads, heads);
  add_layers(model, read_layer_count(config), gpt_layer(model, attention, width), full_attention);
  return model;
}

}  // namespace roofline::huggingface
