// EXAONE 4: Llama's shape with norms on queries and keys; windows by layer_types alone.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_exaone4(Config& config) {
  config.refuse_true({"attention_bias", "mlp_bias"});
  const std::optional<std::int64_t> window = read_window(config);
  (void)config.find("sliding_window_pattern");
  if (window && !config.find("layer_types")) {
    config.fail("sliding_window without layer_types",
                "which layers have the window is known from layer_types alone");
  }
  return read_gated_decoder(config,
                            {.query_key_norms = QueryKeyNorms::per_head, .window_size = window});
}

}  // namespace roofline::huggingface
