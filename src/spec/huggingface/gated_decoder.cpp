#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_gated_decoder(const JsonNode& config, const GatedDecoder& family) {
  Model model = read_base(config);
  model.tied_embeddings = flag_or(config, "tie_word_embeddings", family.tied_by_default);
  model.final_norm_parameters = model.hidden_size;
  if (family.head_dim_required) (void)config.at("head_dim");
  const std::int64_t layers = config.at("num_hidden_layers").count(most_layers);
  LayerGroup layer;
  layer.attention = read_attention(config, family.attention, model);
  layer.mlp = {.width = config.at("intermediate_size").count(most_mlp_width),
               .gated = true,
               .bias = family.mlp_bias};
  layer.norm_parameters = family.norms_a_layer * model.hidden_size +
                          (family.query_key_norms ? 2 * layer.attention.head_dim : 0);
  add_layers(model, layers, layer,
             read_layer_types(config, layers, family.window_size, family.window));
  return model;
}

}  // namespace roofline::huggingface
