// The shape that most families share: norms, attention, a gated MLP of intermediate_size. A family
// says how it differs, or takes the pieces and adds what it has of its own.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// Norms on queries and keys before they meet.
enum class QueryKeyNorms {
  none,
  per_head,   ///< one of head_dim elements for all query heads, one for all key heads
  full_width  ///< one of H d elements, one of H_kv d
};

struct GatedDecoder {
  AttentionDefaults attention{};
  bool gated = true;  ///< else two matrices: up and down
  bool mlp_bias = false;
  bool tied_by_default = false;    ///< where tie_word_embeddings is absent
  bool head_dim_required = false;  ///< the class's default is not hidden_size / heads
  QueryKeyNorms query_key_norms = QueryKeyNorms::none;
  std::int64_t norms_a_layer = 2;
  bool norm_bias = false;  ///< LayerNorm: twice the elements of an RMSNorm
  /// The window of each layer where `layer_types` does not say it.
  WindowOf window = full_attention;
  std::optional<std::int64_t> window_size{};  ///< of "sliding_attention" in `layer_types`
};

/// Everything outside the layers: read_base, tie_word_embeddings and the final norm.
[[nodiscard]] Model read_gated_base(Config& config, const GatedDecoder& family);

/// One layer's attention and norms, without window and without a feed-forward part.
[[nodiscard]] LayerGroup read_attention_layer(Config& config, const GatedDecoder& family,
                                              const Model& model);

/// The MLP of intermediate_size.
[[nodiscard]] Mlp read_gated_mlp(Config& config, const GatedDecoder& family);

/// Elements of the norms on a layer's queries and keys.
[[nodiscard]] std::int64_t query_key_norm_parameters(QueryKeyNorms norms,
                                                     const Attention& attention);

/// The whole model: layers that differ in their windows alone.
[[nodiscard]] Model read_gated_decoder(Config& config, const GatedDecoder& family);

/// A window that holds for every layer, and for every sliding one in `layer_types`.
[[nodiscard]] GatedDecoder with_window(GatedDecoder family, std::optional<std::int64_t> window);

}  // namespace roofline::huggingface
