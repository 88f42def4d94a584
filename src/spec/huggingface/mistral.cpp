// Mistral: Llama's shape; a sliding window, where there is one, holds for every layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_mistral(Config& config) {
  config.refuse_true({"attention_bias", "mlp_bias"});
  return read_gated_decoder(config, with_window({}, read_window(config)));
}

}  // namespace roofline::huggingface
