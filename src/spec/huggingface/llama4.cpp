// Llama 4's text decoder: layers that attend within chunks between layers that attend everything,
// experts of intermediate_size beside a shared one of the same width.
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"

namespace roofline::huggingface {
namespace {

using Flags = std::vector<bool>;

/// no_rope_layers has 1 for a layer with rotary positions (a chunked one), 0 for a global one.
Flags rotary_layers(Config& config, std::int64_t layers) {
  const auto list = config.find("no_rope_layers");
  Flags rotary;
  if (list && !list->elements().empty()) {
    const auto marks = read_layer_counts(config, {"no_rope_layers"}, layers, 1, 0);
    for (const std::int64_t mark : *marks) rotary.push_back(mark == 1);
    return rotary;
  }
  const std::int64_t interval = config.count_or({"no_rope_layer_interval"}, most_layers, 4);
  for (std::int64_t i = 0; i < layers; ++i) rotary.push_back((i + 1) % interval != 0);
  return rotary;
}

Flags chunked_layers(Config& config, std::int64_t layers) {
  const auto names = read_layer_names(config, {"layer_types"}, layers);
  if (!names) return rotary_layers(config, layers);
  read_past(config, {"no_rope_layers", "no_rope_layer_interval"});
  Flags chunked;
  for (const std::string& name : *names) {
    if (name != "chunked_attention" && name != "full_attention") {
      fail_layer_type(config, {"layer_types"}, name, {"chunked_attention", "full_attention"});
    }
    chunked.push_back(name == "chunked_attention");
  }
  return chunked;
}

HasExperts expert_layers(Config& config, std::int64_t layers) {
  const auto list = read_layer_set(config, "moe_layers", layers);
  if (list) {
    read_past(config, {"interleave_moe_layer_step"});
    return [list](std::int64_t layer) { return (*list)[static_cast<std::size_t>(layer)]; };
  }
  const std::int64_t step = config.count_or({"interleave_moe_layer_step"}, most_layers, 1);
  return [step](std::int64_t layer) { return (layer + 1) % step == 0; };
}

}  // namespace

Model read_llama4(Config& config) {
  // norms on queries and keys have no weights
  read_past(config, {"use_qk_norm", "attn_temperature_tuning", "floor_scale", "attn_scale"});
  const bool bias = config.flag_or("attention_bias", false);
  const GatedDecoder family{.attention = {.qkv_bias = bias, .output_bias = bias}};
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  const LayerGroup like = read_attention_layer(config, family, model);
  Experts experts = read_experts(config, config.count("intermediate_size", most_mlp_width));
  experts.shared_width = experts.width;
  const FeedForwardOf feed_forward = with_dense_layers(
      config, layers, experts, expert_layers(config, layers), "intermediate_size_mlp");
  const Flags chunked = chunked_layers(config, layers);
  const std::int64_t chunk = config.count_or({"attention_chunk_size"}, most_context, 8192);
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerGroup layer = like;
    layer.feed_forward = feed_forward(i);
    if (chunked[static_cast<std::size_t>(i)]) std::get<Attention>(layer.mixer).chunk = chunk;
    add_layer(model, std::move(layer));
  }
  return model;
}

}  // namespace roofline::huggingface
