// GPT-2: multi-head, plain MLP of 4 h unless n_inner says otherwise, all biases, LayerNorms,
// learned positions, tied. GPT-BigCode (StarCoder, SantaCoder): the same with one K/V head.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {
namespace {

Model read(Config& config, bool multi_query) {
  Model model = read_base(config);
  config.refuse_true({"add_cross_attention"});
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.learned_positions = config.count({"n_positions", "n_ctx"}, most_vocabulary);
  model.final_norm_parameters = 2 * model.hidden_size;
  const std::int64_t heads = read_heads(config);
  const Attention attention = checked_attention(config, model, heads, multi_query ? 1 : heads);
  const std::int64_t width = read_width_or_four_hidden(config, {"n_inner"}, model);
  const std::int64_t layers = read_layer_count(config);
  add_layers(model, layers, gpt_layer(model, attention, width), full_attention);
  return model;
}

}  // namespace

Model read_gpt2(Config& config) {
  return read(config, false);
}

Model read_gpt_bigcode(Config& config) {
  return read(config, config.flag_or("multi_query", true));
}

}  // namespace roofline::huggingface
