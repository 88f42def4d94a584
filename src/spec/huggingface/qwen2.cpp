// Qwen2: Llama's shape with biases on q, k and v, which no key of the config mentions.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/qwen_windows.hpp"

namespace roofline::huggingface {

Model read_qwen2(const JsonNode& config) {
  refuse_true(config, {"mlp_bias"});
  return read_gated_decoder(config, {.attention = {.qkv_bias = true},
                                     .window = qwen_windows(config),
                                     .window_size = qwen_window_size(config)});
}

}  // namespace roofline::huggingface
