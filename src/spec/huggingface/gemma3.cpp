// Gemma 3: Gemma 2 with norms on queries and keys, and every sixth layer full. The text part of a
// file with a vision tower is sparse: what it lacks is the class's default.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/window_pattern.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::int64_t default_vocabulary = 262'208;
constexpr std::int64_t default_context = 131'072;
constexpr std::int64_t default_heads = 8;
constexpr std::int64_t default_kv_heads = 4;
constexpr std::int64_t default_head_dim = 256;
constexpr std::int64_t default_window = 4096;
constexpr std::int64_t default_period = 6;
constexpr std::int64_t norms_a_layer = 4;

Attention read_gemma3_attention(Config& config) {
  const std::int64_t heads = config.count_or({"num_attention_heads"}, most_width, default_heads);
  const std::int64_t kv_heads =
      config.count_or({"num_key_value_heads"}, most_width, default_kv_heads);
  Model shape;  // so that an absent head_dim is the class's, whatever the hidden size
  shape.hidden_size = heads * config.count_or({"head_dim"}, most_width, default_head_dim);
  return checked_attention(config, shape, heads, kv_heads);
}

WindowOf read_windows(Config& config, std::int64_t layers) {
  const std::optional<std::int64_t> window =
      config.count_or({"sliding_window"}, most_context, default_window);
  const bool listed = config.find("layer_types").has_value();
  const auto period =
      config.optional_count({"sliding_window_pattern", "_sliding_window_pattern"}, most_layers);
  if (!listed && !period) config.note_default("sliding_window_pattern", "6");
  return read_layer_types(config, layers, window,
                          full_every(period.value_or(default_period), window));
}

}  // namespace

Model read_gemma3(Config& config) {
  config.refuse_true({"mlp_bias", "use_bidirectional_attention"});
  Model model = read_base(config, default_vocabulary);
  if (!model.max_context) {
    config.note_default("max_position_embeddings", "131072");
    model.max_context = default_context;
  }
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.final_norm_parameters = model.hidden_size;
  Attention attention = read_gemma3_attention(config);
  attention.qkv_bias = config.flag_or("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  LayerGroup layer;
  layer.mixer = attention;
  layer.feed_forward = read_gated_mlp(config, {});
  layer.norm_parameters = norms_a_layer * model.hidden_size +
                          query_key_norm_parameters(QueryKeyNorms::per_head, attention);
  const std::int64_t layers = read_layer_count(config);
  add_layers(model, layers, layer, read_windows(config, layers));
  return model;
}

}  // namespace roofline::huggingface
