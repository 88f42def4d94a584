// Mistral: Llama's shape; a sliding window, where there is one, holds for every layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_mistral(const JsonNode& config) {
  refuse_true(config, {"attention_bias", "mlp_bias"});
  const std::optional<std::int64_t> window = read_window(config);
  return read_gated_decoder(
      config, {.window = [=](std::int64_t) { return window; }, .window_size = window});
}

}  // namespace roofline::huggingface
