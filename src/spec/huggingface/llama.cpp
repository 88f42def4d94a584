// Llama and all that has its shape: no biases unless asked for, untied unless asked for. Granite
// scales some values besides; EXAONE 3 names its keys otherwise.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {
namespace {

Model read_llama_shape(Config& config) {
  const auto window = config.find("sliding_window");
  const auto in_use = config.find("use_sliding_window");
  if (window && (!in_use || in_use->boolean())) {
    window->fail("is not known in family " + config.family(),
                 "mistral is the family with a window on each layer");
  }
  const bool bias = config.flag_or("attention_bias", false);
  return read_gated_decoder(
      config,
      {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias},
       .mlp_bias = config.flag_or("mlp_bias", false)});
}

}  // namespace

Model read_llama(Config& config) {
  return read_llama_shape(config);
}

Model read_granite(Config& config) {
  read_past(config, {"attention_multiplier", "embedding_multiplier", "logits_scaling",
                     "residual_multiplier"});
  return read_llama_shape(config);
}

Model read_exaone(Config& config) {
  config.refuse_true({"attention_bias", "mlp_bias"});
  return read_llama_shape(config);
}

}  // namespace roofline::huggingface
