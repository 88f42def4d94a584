// Pieces that several families read alike.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "roofline/model.hpp"
#include "spec/huggingface/config.hpp"
#include "spec/layer_groups.hpp"

namespace roofline::huggingface {

/// hidden_size, vocab_size (absent: the family's default, if it has one), max_position_embeddings
/// and the number format: every family has them.
[[nodiscard]] Model read_base(Config& config,
                              std::optional<std::int64_t> default_vocabulary = std::nullopt);

/// num_hidden_layers under any of its names.
[[nodiscard]] std::int64_t read_layer_count(Config& config);

/// What the class of a family does where the key is absent.
struct AttentionDefaults {
  bool kv_heads_default_to_heads = false;  ///< else num_key_value_heads is required
  bool qkv_bias = false;
  bool output_bias = false;
};

/// num_attention_heads, num_key_value_heads, head_dim. Heads must divide; notes what was a default.
[[nodiscard]] Attention read_attention(Config& config, const AttentionDefaults& defaults,
                                       const Model& model);

/// An attention from plain numbers, checked: d = head_dim or else h / H, and K divides H.
[[nodiscard]] Attention checked_attention(Config& config, const Model& model, std::int64_t heads,
                                          std::int64_t kv_heads);

/// Routed experts from plain numbers, checked: k <= E.
[[nodiscard]] Experts checked_experts(Config& config, std::int64_t count, std::int64_t per_token,
                                      std::int64_t width);

/// The window of each layer of a family whose layers differ; none: full attention.
using WindowOf = std::function<std::optional<std::int64_t>(std::int64_t layer)>;

[[nodiscard]] std::optional<std::int64_t> full_attention(std::int64_t layer);

/// What `layer_types` says where it is there ("full_attention", "sliding_attention" with
/// `window`), else `otherwise`.
[[nodiscard]] WindowOf read_layer_types(Config& config, std::int64_t layers,
                                        std::optional<std::int64_t> window, WindowOf otherwise);

/// sliding_window; none where absent.
[[nodiscard]] std::optional<std::int64_t> read_window(Config& config);

/// Adds `layers` layers that differ only in their windows; `like.mixer` is an Attention.
void add_layers(Model& model, std::int64_t layers, const LayerGroup& like, const WindowOf& window);

}  // namespace roofline::huggingface
