// Qwen 2 and 3 with experts. intermediate_size is the width of the layers without experts only.
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {
namespace {

Model read_sparse_decoder(Config& config, const GatedDecoder& family, const Experts& experts) {
  config.refuse_true({"use_sliding_window"});
  read_past(config, {"sliding_window", "max_window_layers"});
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  const LayerGroup like = read_attention_layer(config, family, model);
  add_expert_layers(model, layers, like,
                    with_dense_layers(config, layers, experts, read_sparse_steps(config, layers)));
  return model;
}

}  // namespace

Model read_qwen2_moe(Config& config) {
  Experts experts = read_experts(config, read_expert_width(config));
  experts.shared_width = config.count("shared_expert_intermediate_size", most_mlp_width);
  experts.shared_gate = true;
  return read_sparse_decoder(config, {.attention = {.qkv_bias = config.flag_or("qkv_bias", true)}},
                             experts);
}

Model read_qwen3_moe(Config& config) {
  refuse_positive(config, {"shared_expert_intermediate_size"});
  refuse_false(config, {"use_qk_norm"});
  config.refuse_true({"qkv_bias"});
  const bool bias = config.flag_or("attention_bias", false);
  return read_sparse_decoder(config,
                             {.attention = {.qkv_bias = bias, .output_bias = bias},
                              .head_dim_required = true,
                              .query_key_norms = QueryKeyNorms::per_head},
                             read_experts(config, read_expert_width(config)));
}

}  // namespace roofline::huggingface
