// Qwen3-Next and Qwen3.5: three layers of the gated delta rule for one with full attention, whose
// output is gated.
#include <fmt/format.h>

#include "base/format.hpp"
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"

namespace roofline::huggingface {
namespace {

struct MixedLayers {
  LayerGroup full;
  LayerGroup linear;
  std::vector<bool> is_full;
};

std::vector<bool> full_layers(Config& config, std::int64_t layers) {
  std::vector<bool> full;
  if (const auto names = read_layer_names(config, {"layer_types"}, layers)) {
    read_past(config, {"full_attention_interval"});
    for (const std::string& name : *names) {
      if (name != "full_attention" && name != "linear_attention") {
        fail_layer_type(config, {"layer_types"}, name, {"full_attention", "linear_attention"});
      }
      full.push_back(name == "full_attention");
    }
    return full;
  }
  const std::int64_t interval = config.count_or({"full_attention_interval"}, most_layers, 4);
  for (std::int64_t i = 0; i < layers; ++i) full.push_back((i + 1) % interval == 0);
  return full;
}

GatedDelta read_gated_delta(Config& config) {
  return {.key_heads = config.count("linear_num_key_heads", most_width),
          .key_dim = config.count("linear_key_head_dim", most_width),
          .value_heads = config.count("linear_num_value_heads", most_width),
          .value_dim = config.count("linear_value_head_dim", most_width),
          .convolution = config.count_or({"linear_conv_kernel_dim"}, most_width, 4)};
}

MixedLayers read_mixed_layers(Config& config, const Model& model, std::int64_t layers) {
  refuse_false(config, {"attn_output_gate"});
  const bool bias = config.flag_or("attention_bias", false);
  MixedLayers mixed;
  mixed.full = read_attention_layer(config,
                                    {.attention = {.qkv_bias = bias, .output_bias = bias},
                                     .head_dim_required = true,
                                     .query_key_norms = QueryKeyNorms::per_head},
                                    model);
  std::get<Attention>(mixed.full.mixer).output_gate = true;
  mixed.linear.mixer = read_gated_delta(config);
  mixed.linear.norm_parameters = 2 * model.hidden_size;
  mixed.is_full = full_layers(config, layers);
  return mixed;
}

void add_mixed_layers(Model& model, const MixedLayers& mixed, const FeedForwardOf& feed_forward) {
  std::int64_t i = 0;
  for (const bool full : mixed.is_full) {
    LayerGroup layer = full ? mixed.full : mixed.linear;
    layer.feed_forward = feed_forward(i++);
    add_layer(model, std::move(layer));
  }
}

Experts read_gated_experts(Config& config) {
  Experts experts = read_experts(config, read_expert_width(config));
  experts.shared_width = config.count("shared_expert_intermediate_size", most_mlp_width);
  experts.shared_gate = true;
  return experts;
}

/// Qwen3.5's files say how many prediction layers they have.
void warn_of_given_prediction(Config& config, Model& model) {
  read_past(config, {"mtp_use_dedicated_embeddings"});
  warn_of_prediction(
      model, config.optional_count({"mtp_num_hidden_layers"}, most_layers, 0).value_or(0), {});
}

}  // namespace

Model read_qwen3_next(Config& config) {
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  MixedLayers mixed = read_mixed_layers(config, model, layers);
  const Experts experts = read_gated_experts(config);
  add_mixed_layers(model, mixed,
                   with_dense_layers(config, layers, experts, read_sparse_steps(config, layers)));
  mixed.full.feed_forward = experts;
  if (const auto parameters = prediction_parameters(model, mixed.full, 0)) {
    model.left_out.push_back(fmt::format(
        "a multi-token-prediction layer ({} parameters), which some files of this family hold and "
        "config.json does not mention, is left out of the step",
        format_count(static_cast<double>(*parameters))));
  }
  return model;
}

Model read_qwen3_5(Config& config) {
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  const MixedLayers mixed = read_mixed_layers(config, model, layers);
  const Mlp mlp = read_gated_mlp(config, {});
  add_mixed_layers(model, mixed, [mlp](std::int64_t) { return mlp; });
  warn_of_given_prediction(config, model);
  return model;
}

Model read_qwen3_5_moe(Config& config) {
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  const MixedLayers mixed = read_mixed_layers(config, model, layers);
  const Experts experts = read_gated_experts(config);
  add_mixed_layers(model, mixed, [experts](std::int64_t) { return experts; });
  warn_of_given_prediction(config, model);
  return model;
}

}  // namespace roofline::huggingface
