// OPT: multi-head, plain MLP, all biases, LayerNorms, learned positions with an offset of 2.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {
namespace {

/// opt-350m alone has them.
void refuse_projections_and_post_norm(Config& config, const Model& model) {
  if (const auto width = config.find("word_embed_proj_dim")) {
    if (width->count(most_width) != model.hidden_size) {
      width->fail("differs from hidden_size",
                  "embeddings that are projected to another width (opt-350m) are not analysed");
    }
  }
  const auto before = config.find("do_layer_norm_before");
  if (before && !before->boolean()) {
    before->fail("is false", "norms behind the blocks (opt-350m) are not analysed");
  }
}

}  // namespace

Model read_opt(Config& config) {
  Model model = read_base(config);
  refuse_projections_and_post_norm(config, model);
  config.refuse_true({"_remove_final_layer_norm"});
  refuse_false(config, {"layer_norm_elementwise_affine"});
  const bool bias = config.flag_or("enable_bias", true);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.learned_positions = config.count("max_position_embeddings", most_vocabulary) + 2;
  model.final_norm_parameters = 2 * model.hidden_size;
  const std::int64_t heads = read_heads(config);
  const Attention attention = checked_attention(config, model, heads, heads);
  const std::int64_t width = config.count("ffn_dim", most_mlp_width);
  add_layers(
      model, read_layer_count(config),
      gpt_layer(model, attention, width, {.attention_bias = bias, .mlp_bias = bias, .norms = 2}),
      full_attention);
  return model;
}

}  // namespace roofline::huggingface
