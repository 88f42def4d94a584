// Qwen2, and the decoder of Qwen2-VL and Qwen2.5-VL: Llama's shape with biases on q, k and v, which
// no key of the config mentions.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/qwen_windows.hpp"

namespace roofline::huggingface {

Model read_qwen2(Config& config) {
  config.refuse_true({"mlp_bias"});
  read_past(config, {"attention_bias", "use_mrope"});  // the class has no such choice
  return read_gated_decoder(config, {.attention = {.qkv_bias = true},
                                     .window = qwen_windows(config),
                                     .window_size = qwen_window_size(config)});
}

}  // namespace roofline::huggingface
