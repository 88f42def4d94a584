// gpt-oss: biases everywhere, windows on every other layer, and one learned sink for each head.
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_gpt_oss(Config& config) {
  read_past(config, {"swiglu_limit", "swiglu_alpha", "initial_context_length"});
  const bool bias = config.flag_or("attention_bias", true);
  const GatedDecoder family{.attention = {.qkv_bias = bias, .output_bias = bias},
                            .head_dim_required = true};
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  LayerGroup layer = read_attention_layer(config, family, model);
  layer.norm_parameters += std::get<Attention>(layer.mixer).query_heads;
  Experts experts = read_experts(config, config.count("intermediate_size", most_mlp_width));
  experts.bias = true;
  experts.router_bias = true;
  layer.feed_forward = experts;
  const std::int64_t window = config.count("sliding_window", most_context);
  const auto alternate = [window](std::int64_t i) {
    return i % 2 == 0 ? std::optional(window) : std::nullopt;
  };
  if (!config.find("layer_types")) {
    config.note_default("layer_types", "sliding and full attention by turns");
  }
  add_layers(model, layers, layer, read_layer_types(config, layers, window, alternate));
  return model;
}

}  // namespace roofline::huggingface
