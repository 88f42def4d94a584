// Command R and Aya (cohere, cohere2): attention and gated MLP in parallel behind one LayerNorm
// without bias, tied. Cohere 2 has a window on three layers of four.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/window_pattern.hpp"

#include <algorithm>

namespace roofline::huggingface {
namespace {

constexpr std::int64_t default_window = 4096;
constexpr std::int64_t default_period = 4;

GatedDecoder parallel_block(Config& config) {
  config.refuse_true({"mlp_bias", "layer_norm_bias"});
  refuse_false(config, {"use_parallel_block", "use_gated_activation", "use_embedding_sharing"});
  read_past(config, {"logit_scale", "use_parallel_embedding"});
  const bool bias = config.flag_or("attention_bias", false);
  return {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias},
          .tied_by_default = true,
          .norms_a_layer = 1};
}

/// Files with 128 Ki tokens of context say so under another name.
void raise_context(Config& config, Model& model) {
  const auto longer = config.optional_count({"model_max_length"}, most_context);
  if (longer) model.max_context = std::max(*longer, model.max_context.value_or(0));
}

}  // namespace

Model read_cohere(Config& config) {
  GatedDecoder family = parallel_block(config);
  if (config.flag_or("use_qk_norm", false)) family.query_key_norms = QueryKeyNorms::full_width;
  if (const auto window = config.find("sliding_window")) {
    window->fail("is not known in family cohere", "cohere2 is the family with windows");
  }
  Model model = read_gated_decoder(config, family);
  raise_context(config, model);
  return model;
}

Model read_cohere2(Config& config) {
  config.refuse_true({"use_qk_norm"});
  require_text(config, "order_of_interleaved_layers", "local_attn_first");
  GatedDecoder family = parallel_block(config);
  family.window_size = config.count_or({"sliding_window"}, most_context, default_window);
  const auto period = config.optional_count(
      {"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}, most_layers);
  if (!period && !config.find("layer_types")) config.note_default("sliding_window_pattern", "4");
  family.window = full_every(period.value_or(default_period), family.window_size);
  Model model = read_gated_decoder(config, family);
  raise_context(config, model);
  return model;
}

}  // namespace roofline::huggingface
