// Granite with experts: attention on every layer (granitemoe, granitemoeshared) or Mamba 2 on most
// of them (granitemoehybrid), where every layer has a shared MLP too.
#include <fmt/format.h>

#include <algorithm>

#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"
#include "spec/huggingface/state_layers.hpp"

namespace roofline::huggingface {
namespace {

/// Scales of activations change no size.
GatedDecoder granite_shape(Config& config) {
  read_past(config, {"embedding_multiplier", "logits_scaling", "residual_multiplier",
                     "attention_multiplier", "position_embedding_type"});
  const bool bias = config.flag_or("attention_bias", false);
  return {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias}};
}

/// Where there are no experts the shared MLP is all that a token passes.
FeedForward read_hybrid_feed_forward(Config& config) {
  const std::int64_t shared = config.count("shared_intermediate_size", most_mlp_width);
  if (config.at("num_local_experts").count(most_experts, 0) == 0) {
    read_past(config, {"intermediate_size", "num_experts_per_tok", "output_router_logits",
                       "router_aux_loss_coef"});
    return Mlp{.width = shared};
  }
  Experts experts = read_experts(config, config.count("intermediate_size", most_mlp_width));
  experts.shared_width = shared;
  return experts;
}

Mamba2 read_hybrid_mamba(Config& config, const Model& model) {
  refuse_false(config, {"mamba_conv_bias"});
  read_past(config, {"mamba_chunk_size"});
  const std::int64_t inner = model.hidden_size * config.count_or({"mamba_expand"}, most_width, 2);
  Mamba2 mixer;
  mixer.heads = config.count("mamba_n_heads", most_width);
  mixer.head_dim = read_auto_count(config, {"mamba_d_head"}, most_width,
                                   std::max<std::int64_t>(inner / mixer.heads, 1));
  if (mixer.heads * mixer.head_dim != inner) {
    config.fail(fmt::format("{} Mamba heads of {} are not mamba_expand x hidden_size = {} channels",
                            mixer.heads, mixer.head_dim, inner));
  }
  mixer.state = config.count("mamba_d_state", most_width);
  mixer.groups = config.count_or({"mamba_n_groups"}, most_width, 1);
  mixer.convolution = config.count_or({"mamba_d_conv"}, most_width, 4);
  if (config.flag_or("mamba_proj_bias", false)) mixer.vectors = projection_biases(model, mixer);
  return mixer;
}

/// True of the layers with attention.
std::vector<bool> attention_layers(Config& config, std::int64_t layers) {
  const Keys keys{"layer_types", "layers_block_type"};
  const auto names = read_layer_names(config, keys, layers);
  if (!names) {
    config.note_default("layer_types", "Mamba on every layer");
    return std::vector<bool>(static_cast<std::size_t>(layers), false);
  }
  std::vector<bool> attention;
  for (const std::string& name : *names) {
    const bool mamba = name == "mamba" || name == "linear_attention";
    if (!mamba && name != "attention" && name != "full_attention") {
      fail_layer_type(config, keys, name, {"mamba", "attention"});
    }
    attention.push_back(!mamba);
  }
  return attention;
}

}  // namespace

Model read_granitemoe(Config& config) {
  const GatedDecoder family = granite_shape(config);
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  LayerGroup layer = read_attention_layer(config, family, model);
  Experts experts = read_experts(config, config.count("intermediate_size", most_mlp_width));
  experts.shared_width =
      config.optional_count({"shared_intermediate_size"}, most_mlp_width, 0).value_or(0);
  layer.feed_forward = experts;
  add_layers(model, layers, layer, full_attention);
  return model;
}

Model read_granitemoehybrid(Config& config) {
  const GatedDecoder family = granite_shape(config);
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  LayerGroup attention = read_attention_layer(config, family, model);
  attention.feed_forward = read_hybrid_feed_forward(config);
  const std::vector<bool> attends = attention_layers(config, layers);
  LayerGroup mamba = attention;
  if (std::find(attends.begin(), attends.end(), false) != attends.end()) {
    mamba.mixer = read_hybrid_mamba(config, model);
  } else {
    // Files whose layers all attend keep the keys of those that would not.
    read_past(config, {"mamba_chunk_size", "mamba_conv_bias", "mamba_d_conv", "mamba_d_head",
                       "mamba_d_state", "mamba_expand", "mamba_n_groups", "mamba_n_heads",
                       "mamba_proj_bias"});
  }
  for (const bool attention_layer : attends) add_layer(model, attention_layer ? attention : mamba);
  return model;
}

}  // namespace roofline::huggingface
