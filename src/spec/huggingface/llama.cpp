// Llama and all that has its shape: no biases unless asked for, untied unless asked for.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_llama(const JsonNode& config) {
  if (const auto window = config.find("sliding_window")) {
    window->fail("is not known in family llama",
                 "mistral is the family with a window on each layer");
  }
  const bool bias = flag_or(config, "attention_bias", false);
  return read_gated_decoder(
      config,
      {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias},
       .mlp_bias = flag_or(config, "mlp_bias", false)});
}

}  // namespace roofline::huggingface
