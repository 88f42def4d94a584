#include "spec/huggingface/gated_decoder.hpp"

#include <utility>

namespace roofline::huggingface {

Model read_gated_base(Config& config, const GatedDecoder& family) {
  Model model = read_base(config);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", family.tied_by_default);
  if (!config.find("tie_word_embeddings") && !family.tied_by_default) {
    config.note_default("tie_word_embeddings", "false");  // a whole matrix hangs on it
  }
  model.final_norm_parameters = (family.norm_bias ? 2 : 1) * model.hidden_size;
  return model;
}

std::int64_t query_key_norm_parameters(QueryKeyNorms norms, const Attention& attention) {
  switch (norms) {
    case QueryKeyNorms::none:
      return 0;
    case QueryKeyNorms::per_head:
      return 2 * attention.head_dim;
    case QueryKeyNorms::full_width:
      return (attention.query_heads + attention.kv_heads) * attention.head_dim;
  }
  return 0;
}

LayerGroup read_attention_layer(Config& config, const GatedDecoder& family, const Model& model) {
  if (family.head_dim_required) (void)config.at("head_dim");
  const Attention attention = read_attention(config, family.attention, model);
  LayerGroup layer;
  layer.mixer = attention;
  layer.norm_parameters = family.norms_a_layer * (family.norm_bias ? 2 : 1) * model.hidden_size +
                          query_key_norm_parameters(family.query_key_norms, attention);
  return layer;
}

Mlp read_gated_mlp(Config& config, const GatedDecoder& family) {
  return {.width = config.count("intermediate_size", most_mlp_width),
          .gated = family.gated,
          .bias = family.mlp_bias};
}

Model read_gated_decoder(Config& config, const GatedDecoder& family) {
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  LayerGroup layer = read_attention_layer(config, family, model);
  layer.feed_forward = read_gated_mlp(config, family);
  add_layers(model, layers, layer,
             read_layer_types(config, layers, family.window_size, family.window));
  return model;
}

GatedDecoder with_window(GatedDecoder family, std::optional<std::int64_t> window) {
  family.window = [window](std::int64_t) { return window; };
  family.window_size = window;
  return family;
}

}  // namespace roofline::huggingface
