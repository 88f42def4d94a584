// Nemotron-H: each block is one thing alone, Mamba 2, attention, an MLP or experts, with one norm.
#include <fmt/format.h>

#include <algorithm>

#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::string_view mamba = "mamba";
constexpr std::string_view attention = "attention";
constexpr std::string_view mlp = "mlp";
constexpr std::string_view experts = "moe";

std::string_view block_of(const JsonNode& pattern, char letter) {
  switch (letter) {
    case 'M':
      return mamba;
    case '*':
      return attention;
    case '-':
      return mlp;
    case 'E':
      return experts;
    default:
      pattern.fail(fmt::format("unknown block '{}'", letter), {},
                   "M (Mamba), * (attention), - (MLP) or E (experts)");
  }
}

std::vector<std::string_view> blocks_of_pattern(const JsonNode& pattern, std::int64_t layers) {
  std::vector<std::string_view> blocks;
  for (const char letter : pattern.text()) blocks.push_back(block_of(pattern, letter));
  if (static_cast<std::int64_t>(blocks.size()) != layers) {
    pattern.fail(fmt::format("has {} blocks for {} layers", blocks.size(), layers));
  }
  return blocks;
}

std::vector<std::string_view> read_blocks(Config& config, std::int64_t layers) {
  const auto pattern = config.find("hybrid_override_pattern");
  const Keys keys{"layers_block_type", "layer_types"};
  const auto names = read_layer_names(config, keys, layers);
  if (pattern || !names) return blocks_of_pattern(config.at("hybrid_override_pattern"), layers);
  std::vector<std::string_view> blocks;
  for (const std::string& name : *names) {
    if (name == "mamba" || name == "linear_attention") {
      blocks.push_back(mamba);
    } else if (name == "attention" || name == "full_attention") {
      blocks.push_back(attention);
    } else if (name == mlp || name == experts) {
      blocks.push_back(name == mlp ? mlp : experts);
    } else {
      fail_layer_type(config, keys, name, {"mamba", "attention", "mlp", "moe"});
    }
  }
  return blocks;
}

Mamba2 read_block_mamba(Config& config) {
  refuse_false(config, {"use_conv_bias", "mamba_conv_bias"});
  config.refuse_true({"use_bias", "mamba_proj_bias"});
  // heads x head_dim is the inner width, whatever these say; the rest is how a step is computed
  read_past(config, {"expand", "mamba_expand", "time_step_rank", "chunk_size", "mamba_chunk_size",
                     "time_step_limit", "time_step_floor", "time_step_max", "time_step_min",
                     "mamba_hidden_act", "use_mamba_kernels", "rescale_prenorm_residual",
                     "residual_in_fp32"});
  return {.heads = config.count("mamba_num_heads", most_width),
          .head_dim = config.count("mamba_head_dim", most_width),
          .state = config.count("ssm_state_size", most_width),
          .groups = config.count({"n_groups", "mamba_n_groups"}, most_width),
          .convolution = config.count({"conv_kernel", "mamba_d_conv"}, most_width)};
}

Attention read_block_attention(Config& config, const Model& model) {
  config.refuse_true({"attention_bias"});
  const std::int64_t head_dim = config.count({"head_dim", "attention_head_dim"}, most_width);
  Attention result = read_attention(config, {}, model);
  result.head_dim = head_dim;
  return result;
}

Experts read_block_experts(Config& config) {
  refuse_present(config, {"moe_latent_size"});
  read_past(config, {"moe_shared_expert_overlap"});
  Experts result = read_experts(config, read_expert_width(config));
  result.gated = false;
  // however many they are called, they are one MLP of this width
  (void)config.count("n_shared_experts", most_experts);
  result.shared_width = config.count("moe_shared_expert_intermediate_size", most_mlp_width);
  return result;
}

LayerGroup read_block(Config& config, const Model& model, std::string_view block) {
  LayerGroup layer;
  layer.norm_parameters = model.hidden_size;
  if (block == mamba) layer.mixer = read_block_mamba(config);
  if (block == attention) layer.mixer = read_block_attention(config, model);
  if (block == experts) layer.feed_forward = read_block_experts(config);
  if (block == mlp) {
    layer.feed_forward =
        Mlp{.width = config.count("intermediate_size", most_mlp_width), .gated = false};
  }
  return layer;
}

}  // namespace

Model read_nemotron_h(Config& config) {
  config.refuse_true({"mlp_bias"});
  read_past(config, {"intermediate_size", "mlp_hidden_act", "mtp_hybrid_override_pattern",
                     "mtp_layers_block_type", "num_logits_to_keep"});
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  const std::vector<std::string_view> blocks = read_blocks(config, layers);
  for (const std::string_view kind : {mamba, attention, mlp, experts}) {
    LayerGroup layer;
    layer.count = std::count(blocks.begin(), blocks.end(), kind);
    if (layer.count == 0) continue;
    const std::int64_t count = layer.count;
    layer = read_block(config, model, kind);
    layer.count = count;
    model.layers.push_back(std::move(layer));
  }
  warn_of_prediction(model, read_prediction_layers(config), {});
  return model;
}

}  // namespace roofline::huggingface
