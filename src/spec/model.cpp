// Parameter counts from the architecture: every matrix, bias and norm, exactly.
#include "roofline/model.hpp"

namespace roofline {

std::int64_t layer_count(const Model& model) {
  std::int64_t count = 0;
  for (const LayerGroup& group : model.layers) count += group.count;
  return count;
}

ParameterCount count_parameters(const Model& model) {
  const std::int64_t h = model.hidden_size;
  ParameterCount total;
  total.embedding = (model.vocabulary + model.learned_positions) * h;
  total.lm_head = model.tied_embeddings ? 0 : model.vocabulary * h;
  total.norms = model.final_norm_parameters;
  for (const LayerGroup& group : model.layers) {
    const Attention& attention = group.attention;
    const Mlp& mlp = group.mlp;
    const std::int64_t query_width = attention.query_heads * attention.head_dim;
    const std::int64_t qkv_width = query_width + 2 * attention.kv_heads * attention.head_dim;
    const std::int64_t up_width = (mlp.gated ? 2 : 1) * mlp.width;
    total.layers += group.count * h * (qkv_width + query_width + up_width + mlp.width);
    total.biases += group.count * ((attention.qkv_bias ? qkv_width : 0) +
                                   (attention.output_bias ? h : 0) + (mlp.bias ? up_width + h : 0));
    total.norms += group.count * group.norm_parameters;
  }
  return total;
}

std::int64_t kv_elements_per_token(const Model& model) {
  std::int64_t elements = 0;
  for (const LayerGroup& group : model.layers) {
    elements += group.count * 2 * group.attention.kv_heads * group.attention.head_dim;
  }
  return elements;
}

}  // namespace roofline
