// Pieces that several families read alike. Limits keep every parameter count within 63 bits; no
// real model comes near them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "roofline/model.hpp"
#include "spec/json_node.hpp"

namespace roofline::huggingface {

inline constexpr std::int64_t most_layers = 10'000;
inline constexpr std::int64_t most_width = 1'000'000;
inline constexpr std::int64_t most_mlp_width = 10'000'000;
inline constexpr std::int64_t most_vocabulary = 100'000'000;
inline constexpr std::int64_t most_context = 1'000'000'000;

/// A truth value, or `fallback` where the key is absent.
[[nodiscard]] bool flag_or(const JsonNode& config, std::string_view key, bool fallback);

/// Throws for each of `keys` that is true: the family has no such parts.
void refuse_true(const JsonNode& config, std::initializer_list<std::string_view> keys);

/// hidden_size, vocab_size, max_position_embeddings and the number format: every family has them.
[[nodiscard]] Model read_base(const JsonNode& config);

/// What the class of a family does where the key is absent.
struct AttentionDefaults {
  bool kv_heads_default_to_heads = false;  ///< else num_key_value_heads is required
  bool qkv_bias = false;
  bool output_bias = false;
};

/// num_attention_heads, num_key_value_heads, head_dim. Heads must divide; notes what was a default.
[[nodiscard]] Attention read_attention(const JsonNode& config, const AttentionDefaults& defaults,
                                       Model& model);

/// An attention from plain numbers, checked: d = h / H, and K divides H.
[[nodiscard]] Attention checked_attention(const JsonNode& config, const Model& model,
                                          std::int64_t heads, std::int64_t kv_heads);

/// The window of each layer of a family whose layers differ; none: full attention.
using WindowOf = std::function<std::optional<std::int64_t>(std::int64_t layer)>;

[[nodiscard]] std::optional<std::int64_t> full_attention(std::int64_t layer);

/// What `layer_types` says where it is there ("full_attention", "sliding_attention" with
/// `window`), else `otherwise`.
[[nodiscard]] WindowOf read_layer_types(const JsonNode& config, std::int64_t layers,
                                        std::optional<std::int64_t> window, WindowOf otherwise);

/// Puts `layers` layers that differ only in their windows into groups.
void add_layers(Model& model, std::int64_t layers, const LayerGroup& like, const WindowOf& window);

/// sliding_window; none where absent.
[[nodiscard]] std::optional<std::int64_t> read_window(const JsonNode& config);

}  // namespace roofline::huggingface
