// Snowflake Arctic: beside the experts a dense MLP as wide as the hidden size, with its own norm.
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_arctic(Config& config) {
  config.refuse_true({"attention_bias"});
  refuse_present(config, {"sliding_window"});
  read_past(config, {"enable_expert_tensor_parallelism", "use_residual", "moe_eval_capacity_factor",
                     "moe_train_capacity_factor", "moe_min_capacity", "moe_token_dropping"});
  const GatedDecoder family{.attention = {.kv_heads_default_to_heads = true}};
  Model model = read_gated_base(config, family);
  const std::int64_t h = model.hidden_size;
  const std::int64_t layers = read_layer_count(config);
  const LayerGroup like = read_attention_layer(config, family, model);
  const Experts experts = read_experts(config, config.count("intermediate_size", most_mlp_width));
  const std::int64_t step = config.count_or({"moe_layer_frequency"}, most_layers, 2);
  const bool residual = config.flag_or("parallel_attn_mlp_res", false);
  const FeedForwardOf feed_forward = with_dense_layers(
      config, layers, experts, [step](std::int64_t layer) { return (layer + 1) % step == 0; });
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerGroup layer = like;
    layer.feed_forward = feed_forward(i);
    if (residual && std::holds_alternative<Experts>(layer.feed_forward)) {
      layer.norm_parameters += h;
      layer.extra_maps = {{"residual gate+up", h, 2 * h}, {"residual down", h, h}};
    }
    add_layer(model, std::move(layer));
  }
  return model;
}

}  // namespace roofline::huggingface
