// Jamba: Mamba with norms inside on most layers, attention on one of each period; experts on one of
// each other period.
#include <fmt/format.h>

#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/state_layers.hpp"

namespace roofline::huggingface {
namespace {

/// Layers i with i % period == offset.
struct Period {
  std::int64_t period = 0;
  std::int64_t offset = 0;

  [[nodiscard]] bool has(std::int64_t layer) const { return layer % period == offset; }
};

Period read_period(Config& config, std::string_view period_key, std::int64_t period,
                   std::string_view offset_key, std::int64_t offset) {
  const Period result{config.count_or({period_key}, most_layers, period),
                      config.count_or({offset_key}, most_layers, offset, 0)};
  if (result.offset >= result.period) {
    config.fail(fmt::format("{} {} is not below {} {}", offset_key, result.offset, period_key,
                            result.period));
  }
  return result;
}

Mamba1 read_jamba_mamba(Config& config, const Model& model) {
  refuse_false(config, {"mamba_conv_bias", "mamba_inner_layernorms"});
  read_past(config, {"use_mamba_kernels", "num_logits_to_keep", "calc_logits_for_entire_prompt"});
  Mamba1 mixer;
  mixer.inner = model.hidden_size * config.count_or({"mamba_expand"}, most_width, 2);
  mixer.state = config.count_or({"mamba_d_state"}, most_width, 16);
  mixer.convolution = config.count_or({"mamba_d_conv"}, most_width, 4);
  mixer.step_rank =
      read_auto_count(config, {"mamba_dt_rank"}, most_width, automatic_step_rank(model));
  mixer.vectors = mixer.step_rank + 2 * mixer.state;
  if (config.flag_or("mamba_proj_bias", false)) mixer.vectors += projection_biases(model, mixer);
  return mixer;
}

/// A single expert is a plain MLP: the family then has no router.
FeedForwardOf read_jamba_feed_forward(Config& config, std::int64_t layers) {
  const Period period = read_period(config, "expert_layer_period", 2, "expert_layer_offset", 1);
  const std::int64_t width = config.count("intermediate_size", most_mlp_width);
  const Experts experts = read_experts(config, width);
  return with_dense_layers(config, layers, experts, [period, experts](std::int64_t layer) {
    return experts.count > 1 && period.has(layer);
  });
}

}  // namespace

Model read_jamba(Config& config) {
  refuse_present(config, {"sliding_window"});
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  const LayerGroup attention = read_attention_layer(config, {}, model);
  LayerGroup mamba = attention;
  mamba.mixer = read_jamba_mamba(config, model);
  const Period attends = read_period(config, "attn_layer_period", 8, "attn_layer_offset", 4);
  const FeedForwardOf feed_forward = read_jamba_feed_forward(config, layers);
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerGroup layer = attends.has(i) ? attention : mamba;
    layer.feed_forward = feed_forward(i);
    add_layer(model, std::move(layer));
  }
  return model;
}

}  // namespace roofline::huggingface
