#include "spec/huggingface/expert_layers.hpp"

#include <fmt/format.h>

#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/layer_lists.hpp"
#include "spec/model_limits.hpp"

namespace roofline::huggingface {

Experts read_experts(Config& config, std::int64_t width) {
  // how scores are made, grouped and scaled: neither matrices nor their number changes
  read_past(config, {"n_group", "topk_group", "norm_topk_prob", "routed_scaling_factor",
                     "scoring_func", "router_aux_loss_coef", "output_router_logits",
                     "router_jitter_noise", "aux_loss_alpha", "seq_aux", "ep_size"});
  const std::int64_t count = config.count(
      {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}, most_experts);
  const std::int64_t per_token =
      config.count({"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk",
                    "moe_k", "moe_top_k"},
                   most_experts);
  return checked_experts(config, count, per_token, width);
}

std::int64_t read_expert_width(Config& config) {
  return config.count("moe_intermediate_size", most_mlp_width);
}

HasExperts read_sparse_steps(Config& config, std::int64_t layers) {
  const std::int64_t step = config.count_or({"decoder_sparse_step"}, most_layers, 1);
  const auto dense = read_layer_set(config, "mlp_only_layers", layers);
  return [step, dense](std::int64_t layer) {
    return (layer + 1) % step == 0 && !(dense && (*dense)[static_cast<std::size_t>(layer)]);
  };
}

HasExperts read_first_dense(Config& config) {
  const std::int64_t dense = config.at("first_k_dense_replace").count(most_layers, 0);
  const std::int64_t step = config.optional_count({"moe_layer_freq"}, most_layers).value_or(1);
  return [dense, step](std::int64_t layer) { return layer >= dense && layer % step == 0; };
}

FeedForwardOf with_dense_layers(Config& config, std::int64_t layers, const Experts& experts,
                                const HasExperts& has_experts, std::string_view dense_key) {
  bool any_dense = false;
  for (std::int64_t i = 0; i < layers; ++i) any_dense = any_dense || !has_experts(i);
  (void)config.find(dense_key);
  Mlp dense;
  if (any_dense) dense.width = config.count(dense_key, most_mlp_width);
  return [=](std::int64_t layer) -> FeedForward {
    if (has_experts(layer)) return experts;
    return dense;
  };
}

void add_expert_layers(Model& model, std::int64_t layers, const LayerGroup& like,
                       const FeedForwardOf& feed_forward) {
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerGroup layer = like;
    layer.feed_forward = feed_forward(i);
    add_layer(model, std::move(layer));
  }
}

std::optional<std::int64_t> prediction_parameters(const Model& model, const LayerGroup& layer,
                                                  std::int64_t tables) {
  Model prediction;
  prediction.hidden_size = model.hidden_size;
  prediction.vocabulary = tables * model.vocabulary;
  prediction.tied_embeddings = true;
  prediction.final_norm_parameters = 3 * model.hidden_size;
  prediction.layers = {layer};
  prediction.layers.front().count = 1;
  prediction.extra_maps = {{"prediction input", 2 * model.hidden_size, model.hidden_size}};
  if (size_problem(prediction)) return std::nullopt;
  return count_parameters(prediction).total();
}

void warn_of_prediction(Model& model, std::int64_t count, const std::string& parameters) {
  if (count == 0) return;
  model.prediction_layers = count;
  model.left_out.push_back(fmt::format(
      "{} multi-token-prediction layer{}{} {} left out of the step", count, count == 1 ? "" : "s",
      parameters.empty() ? "" : fmt::format(" ({})", parameters), count == 1 ? "is" : "are"));
}

std::int64_t read_prediction_layers(Config& config) {
  return config.optional_count({"num_nextn_predict_layers"}, most_layers, 0).value_or(0);
}

}  // namespace roofline::huggingface
