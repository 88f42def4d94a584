// The layer that GPT-2 and what came after it share: LayerNorms, attention, a plain MLP.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// What has biases, and how many LayerNorms (each of 2 h elements) a layer has.
struct GptLayer {
  bool attention_bias = true;
  bool mlp_bias = true;
  std::int64_t norms = 2;
};

/// A layer of `attention` and a plain MLP of `width`.
[[nodiscard]] LayerGroup gpt_layer(const Model& model, Attention attention, std::int64_t width,
                                   const GptLayer& family = {});

/// num_attention_heads under any of its names.
[[nodiscard]] std::int64_t read_heads(Config& config);

/// The MLP's width; 4 h, which is noted, where none of `keys` is there.
[[nodiscard]] std::int64_t read_width_or_four_hidden(Config& config, Keys keys, const Model& model);

}  // namespace roofline::huggingface
