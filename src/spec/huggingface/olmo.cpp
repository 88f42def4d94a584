// OLMo 1 to 3: Llama's shape. OLMo's norms have no weights; OLMo 2 norms behind the blocks and over
// the full width of queries and keys; OLMo 3 adds a window to three layers of four.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/window_pattern.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::int64_t default_window = 4096;
constexpr std::int64_t default_period = 4;

GatedDecoder olmo_shape(Config& config) {
  config.refuse_true({"mlp_bias"});
  const bool bias = config.flag_or("attention_bias", false);
  return {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias}};
}

void refuse_window(Config& config) {
  if (const auto window = config.find("sliding_window")) {
    window->fail("is not known in family " + config.family(), "olmo3 is the family with windows");
  }
}

}  // namespace

Model read_olmo(Config& config) {
  refuse_window(config);
  read_past(config, {"clip_qkv"});
  GatedDecoder family = olmo_shape(config);
  family.norms_a_layer = 0;
  Model model = read_gated_decoder(config, family);
  model.final_norm_parameters = 0;
  return model;
}

Model read_olmo2(Config& config) {
  refuse_window(config);
  GatedDecoder family = olmo_shape(config);
  family.query_key_norms = QueryKeyNorms::full_width;
  return read_gated_decoder(config, family);
}

Model read_olmo3(Config& config) {
  GatedDecoder family = olmo_shape(config);
  family.query_key_norms = QueryKeyNorms::full_width;
  family.window_size = config.count_or({"sliding_window"}, most_context, default_window);
  if (!config.find("layer_types")) config.note_default("layer_types", "every fourth layer full");
  family.window = full_every(default_period, family.window_size);
  return read_gated_decoder(config, family);
}

}  // namespace roofline::huggingface
