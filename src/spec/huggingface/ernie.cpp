// ERNIE 4.5: dense, or with experts on a range of its layers.
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {
namespace {

/// Each moe_layer_interval-th layer of moe_layer_start_index .. moe_layer_end_index.
HasExperts read_expert_range(Config& config, std::int64_t layers) {
  const std::int64_t interval = config.count_or({"moe_layer_interval"}, most_layers, 1);
  const std::int64_t first = config.count_or({"moe_layer_start_index"}, most_layers, 1, 0);
  const std::int64_t given =
      config.optional_count({"moe_layer_end_index"}, most_layers, -1).value_or(-1);
  const std::int64_t last = given == -1 ? layers - 1 : given;
  return [=](std::int64_t layer) {
    return (layer + 1) % interval == 0 && layer >= first && layer <= last;
  };
}

}  // namespace

Model read_ernie4_5(Config& config) {
  const bool bias = config.flag_or("use_bias", false);
  return read_gated_decoder(config, {.attention = {.qkv_bias = bias, .output_bias = bias},
                                     .mlp_bias = bias,
                                     .tied_by_default = true,
                                     .head_dim_required = true});
}

Model read_ernie4_5_moe(Config& config) {
  config.refuse_true({"use_bias"});
  refuse_false(config, {"moe_use_aux_free"});
  read_past(config, {"moe_norm_min", "moe_capacity"});
  const GatedDecoder family{.tied_by_default = true};
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  Experts experts = read_experts(config, read_expert_width(config));
  experts.shared_width = experts.width * config.at("moe_num_shared_experts").count(most_experts, 0);
  experts.router_bias = true;
  add_expert_layers(model, layers, read_attention_layer(config, family, model),
                    with_dense_layers(config, layers, experts, read_expert_range(config, layers)));
  warn_of_prediction(model, read_prediction_layers(config), {});
  return model;
}

}  // namespace roofline::huggingface
