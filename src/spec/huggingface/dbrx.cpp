// DBRX: attention and experts in objects of their own, which may hold keys of other models too.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_dbrx(Config& config) {
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  const JsonNode attention = config.at("attn_config");
  const JsonNode experts = config.at("ffn_config");
  LayerGroup layer;
  layer.mixer =
      checked_attention(config, model, config.count({"n_heads", "num_attention_heads"}, most_width),
                        attention.at("kv_n_heads").count(most_width));
  layer.feed_forward = checked_experts(config, experts.at("moe_num_experts").count(most_experts),
                                       experts.at("moe_top_k").count(most_experts),
                                       experts.at("ffn_hidden_size").count(most_mlp_width));
  layer.norm_parameters = 2 * model.hidden_size;
  add_layers(model, layers, layer, full_attention);
  return model;
}

}  // namespace roofline::huggingface
