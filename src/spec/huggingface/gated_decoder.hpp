// The shape that most families share: RMSNorms, attention, a gated MLP of intermediate_size. A
// family says how it differs.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

struct GatedDecoder {
  AttentionDefaults attention{};
  bool mlp_bias = false;
  bool tied_by_default = false;    ///< where tie_word_embeddings is absent
  bool head_dim_required = false;  ///< the class's default is not hidden_size / heads
  bool query_key_norms = false;    ///< of head_dim elements each
  std::int64_t norms_a_layer = 2;
  /// The window of each layer where `layer_types` does not say it.
  WindowOf window = full_attention;
  std::optional<std::int64_t> window_size{};  ///< of "sliding_attention" in `layer_types`
};

[[nodiscard]] Model read_gated_decoder(const JsonNode& config, const GatedDecoder& family);

}  // namespace roofline::huggingface
