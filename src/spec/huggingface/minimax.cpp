// MiniMax: lightning (linear) attention on most layers and softmax attention on the others
// (Text-01, M1), or softmax attention alone with norms over the whole width (M2); experts on every
// layer.
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"

namespace roofline::huggingface {
namespace {

/// True of the layers with softmax attention: 1 in attn_type_list, or by name.
std::vector<bool> softmax_layers(Config& config, std::int64_t layers) {
  std::vector<bool> softmax;
  const auto marks = read_layer_counts(config, {"attn_type_list"}, layers, 1, 0);
  const auto names = read_layer_names(config, {"layer_types"}, layers);
  if (marks || !names) {
    (void)config.at({"attn_type_list", "layer_types"});
    for (const std::int64_t mark : *marks) softmax.push_back(mark == 1);
    return softmax;
  }
  for (const std::string& name : *names) {
    if (name != "full_attention" && name != "linear_attention") {
      fail_layer_type(config, {"layer_types"}, name, {"full_attention", "linear_attention"});
    }
    softmax.push_back(name == "full_attention");
  }
  return softmax;
}

Experts read_minimax_experts(Config& config) {
  refuse_positive(config, {"shared_intermediate_size"});
  read_past(config, {"shared_moe_mode", "rotary_dim"});
  return read_experts(config, config.count("intermediate_size", most_mlp_width));
}

/// What M2's prediction modules hold is not in config.json.
void warn_of_modules(Config& config, Model& model) {
  const auto modules = config.optional_count({"num_mtp_modules"}, most_layers, 0);
  const auto layers = config.optional_count({"mtp_transformer_layers"}, most_layers, 0);
  if (config.flag_or("use_mtp", false)) {
    warn_of_prediction(model, modules.value_or(1) * layers.value_or(1), {});
  }
}

}  // namespace

Model read_minimax(Config& config) {
  refuse_present(config, {"sliding_window"});
  // scales of residual sums, and the block that a prompt is cut into
  read_past(config, {"layernorm_full_attention_alpha", "layernorm_full_attention_beta",
                     "layernorm_linear_attention_alpha", "layernorm_linear_attention_beta",
                     "layernorm_mlp_alpha", "layernorm_mlp_beta", "full_attn_alpha_factor",
                     "full_attn_beta_factor", "linear_attn_alpha_factor", "linear_attn_beta_factor",
                     "mlp_alpha_factor", "mlp_beta_factor", "block_size", "postnorm"});
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  LayerGroup softmax = read_attention_layer(config, {}, model);
  softmax.feed_forward = read_minimax_experts(config);
  const Attention& attention = std::get<Attention>(softmax.mixer);
  LayerGroup linear = softmax;
  linear.mixer = LinearAttention{.heads = attention.query_heads, .head_dim = attention.head_dim};
  for (const bool is_softmax : softmax_layers(config, layers)) {
    add_layer(model, is_softmax ? softmax : linear);
  }
  return model;
}

Model read_minimax_m2(Config& config) {
  refuse_positive(config, {"shared_intermediate_size"});
  const auto norms = config.find("qk_norm_type");
  if (norms && norms->text() != "per_layer") {
    norms->fail("is not known in family minimax_m2", {}, "per_layer");
  }
  const GatedDecoder family{.head_dim_required = true,
                            .query_key_norms = config.flag_or("use_qk_norm", true)
                                                   ? QueryKeyNorms::full_width
                                                   : QueryKeyNorms::none};
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  LayerGroup layer = read_attention_layer(config, family, model);
  Experts experts = read_minimax_experts(config);
  experts.router_bias = config.flag_or("use_routing_bias", true);
  layer.feed_forward = experts;
  // every layer attends in full: 1 is all that the list may hold
  (void)read_layer_counts(config, {"attn_type_list"}, layers, 1, 1);
  add_layers(model, layers, layer, full_attention);
  warn_of_modules(config, model);
  return model;
}

}  // namespace roofline::huggingface
