// Layers with routed experts: the keys that families read alike, which layers have experts, and
// the prediction layers that some files add.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// The number of routed experts and of those that a token passes, under any of their names.
[[nodiscard]] Experts read_experts(Config& config, std::int64_t width);

/// moe_intermediate_size: the width of one expert where intermediate_size is another MLP's.
[[nodiscard]] std::int64_t read_expert_width(Config& config);

/// True of a layer that has experts; the others have a dense MLP.
using HasExperts = std::function<bool(std::int64_t layer)>;

/// Qwen: each decoder_sparse_step-th layer, but those of mlp_only_layers.
[[nodiscard]] HasExperts read_sparse_steps(Config& config, std::int64_t layers);

/// DeepSeek: layers from first_k_dense_replace on, of those each moe_layer_freq-th.
[[nodiscard]] HasExperts read_first_dense(Config& config);

/// What each layer does to a token.
using FeedForwardOf = std::function<FeedForward(std::int64_t layer)>;

/// `experts` in the layers that have them, in the others a gated MLP as wide as `dense_key` says;
/// it need not be there where all layers have experts.
[[nodiscard]] FeedForwardOf with_dense_layers(Config& config, std::int64_t layers,
                                              const Experts& experts, const HasExperts& has_experts,
                                              std::string_view dense_key = "intermediate_size");

/// Adds `layers` layers that differ only in their feed-forward parts.
void add_expert_layers(Model& model, std::int64_t layers, const LayerGroup& like,
                       const FeedForwardOf& feed_forward);

/// Parameters of one multi-token-prediction layer: `layer`, a map 2 h -> h and three norms, and
/// `tables` of V h. None where a dimension is out of range.
[[nodiscard]] std::optional<std::int64_t> prediction_parameters(const Model& model,
                                                                const LayerGroup& layer,
                                                                std::int64_t tables);

/// Adds a warning that `count` prediction layers are left out; `parameters` is what all of them
/// have, in words, and may be empty.
void warn_of_prediction(Model& model, std::int64_t count, const std::string& parameters);

/// num_nextn_predict_layers, 0 where absent.
[[nodiscard]] std::int64_t read_prediction_layers(Config& config);

}  // namespace roofline::huggingface
