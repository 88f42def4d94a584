// Hunyuan: experts beside a shared MLP of intermediate_size, sizes that may differ from layer to
// layer; or dense.
#include <fmt/format.h>

#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"

namespace roofline::huggingface {
namespace {

using Counts = std::vector<std::int64_t>;

/// Keys that the files share with models that have a vision tower, latent attention or a
/// classifier.
void read_past_relatives(Config& config) {
  read_past(config, {"cla_share_factor",
                     "add_classification_head",
                     "anyres_pooling_size",
                     "anyres_vit_max_image_size",
                     "anyres_vit_two_views",
                     "class_num",
                     "dense_list",
                     "group_limited_greedy",
                     "moe_drop_tokens",
                     "moe_random_routing_dropped_token",
                     "norm_type",
                     "num_media_embeds",
                     "org_vocab_size",
                     "pad_id",
                     "pool_type",
                     "position_embedding_xdrope",
                     "skip_cls_token",
                     "text_end_id",
                     "text_start_id",
                     "use_rotary_pos_emb",
                     "vit_add_patchemb_bias",
                     "vit_input_resolution",
                     "vit_mapping_type",
                     "vit_norm_type",
                     "vit_patch",
                     "vit_remove_prenorm",
                     "vit_token",
                     "vit_used_rms_norm",
                     "attention_head_dim",
                     "eod_token_id",
                     "im_end_id",
                     "im_newline_id",
                     "im_start_id",
                     "image_token_id",
                     "sep_token_id",
                     "mask_init_id"});
}

GatedDecoder hunyuan_shape(Config& config) {
  read_past_relatives(config);
  config.refuse_true({"use_cla", "use_mla", "mlp_bias"});
  const bool bias = config.flag_or("attention_bias", false);
  return {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias},
          .query_key_norms =
              config.flag_or("use_qk_norm", true) ? QueryKeyNorms::per_head : QueryKeyNorms::none};
}

Counts required_counts(Config& config, Keys keys, std::int64_t layers, std::int64_t most) {
  (void)config.at(keys);
  return *read_layer_counts(config, keys, layers, most);
}

Counts counts_or(Config& config, std::string_view key, std::int64_t layers, std::int64_t most,
                 std::int64_t fallback) {
  if (auto counts = read_layer_counts(config, {key}, layers, most)) return *counts;
  config.note_default(key, fmt::format("{}", fallback));
  return Counts(static_cast<std::size_t>(layers), fallback);
}

FeedForwardOf read_hunyuan_feed_forward(Config& config, std::int64_t layers) {
  const std::int64_t width = config.count("intermediate_size", most_mlp_width);
  const std::int64_t dense =
      config.optional_count({"moe_layer_num_skipped"}, most_layers, 0).value_or(0);
  const Counts counts =
      required_counts(config, {"num_experts", "num_local_experts"}, layers, most_experts);
  const Counts per_token =
      required_counts(config, {"moe_topk", "num_experts_per_tok"}, layers, most_experts);
  const Counts widths = counts_or(config, "moe_intermediate_size", layers, most_mlp_width, width);
  const bool shares = config.flag_or("use_mixed_mlp_moe", true);
  const Counts shared = counts_or(config, "num_shared_expert", layers, most_experts, 1);
  std::vector<FeedForward> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (static_cast<std::int64_t>(i) < dense || counts[i] == 1) {
      parts.emplace_back(Mlp{.width = width});
      continue;
    }
    Experts experts = checked_experts(config, counts[i], per_token[i], widths[i]);
    if (shares) experts.shared_width = width * shared[i];
    parts.emplace_back(experts);
  }
  return [parts](std::int64_t layer) { return parts[static_cast<std::size_t>(layer)]; };
}

}  // namespace

Model read_hunyuan_v1_moe(Config& config) {
  read_past(config, {"n_group", "topk_group", "norm_topk_prob", "routed_scaling_factor"});
  const GatedDecoder family = hunyuan_shape(config);
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  add_expert_layers(model, layers, read_attention_layer(config, family, model),
                    read_hunyuan_feed_forward(config, layers));
  return model;
}

Model read_hunyuan_v1_dense(Config& config) {
  const auto experts = config.optional_count({"num_experts"}, most_experts, 0);
  if (experts.value_or(1) > 1)
    config.at("num_experts").fail("is not known in family " + config.family());
  return read_gated_decoder(config, hunyuan_shape(config));
}

}  // namespace roofline::huggingface
