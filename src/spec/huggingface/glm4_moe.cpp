// GLM-4.5: grouped attention, dense first layers, experts chosen with a bias for each score.
#include <fmt/format.h>

#include "base/format.hpp"
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {
namespace {

/// Files differ in whether a prediction layer has tables of its own, which config.json leaves open.
std::string prediction_size(const Model& model, const LayerGroup& layer, std::int64_t count) {
  const auto with_tables = prediction_parameters(model, layer, 2);
  const auto without = prediction_parameters(model, layer, 0);
  if (!with_tables || !without) return {};
  return fmt::format("{} parameters, {} where the file does not repeat embedding and lm_head",
                     format_count(static_cast<double>(count * *with_tables)),
                     format_count(static_cast<double>(count * *without)));
}

}  // namespace

Model read_glm4_moe(Config& config) {
  const GatedDecoder family{.attention = {.qkv_bias = config.flag_or("attention_bias", false)},
                            .query_key_norms = config.flag_or("use_qk_norm", false)
                                                   ? QueryKeyNorms::per_head
                                                   : QueryKeyNorms::none};
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  Experts experts = read_experts(config, read_expert_width(config));
  experts.shared_width = experts.width * config.at("n_shared_experts").count(most_experts, 0);
  experts.router_bias = true;
  LayerGroup like = read_attention_layer(config, family, model);
  add_expert_layers(model, layers, like,
                    with_dense_layers(config, layers, experts, read_first_dense(config)));
  if (const std::int64_t count = read_prediction_layers(config); count > 0) {
    like.feed_forward = experts;
    warn_of_prediction(model, count, prediction_size(model, like, count));
  }
  return model;
}

}  // namespace roofline::huggingface
