// MPT: GPT-2's layer with ALiBi, by default without any bias, tied; K/V heads in attn_config.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {
namespace {

void refuse_other_attention(const JsonNode& attention) {
  for (const char* key : {"qk_ln", "qk_gn", "prefix_lm", "rope"}) {
    const auto value = attention.find(key);
    if (value && value->boolean()) value->fail("is not known in family mpt");
  }
  const auto alibi = attention.find("alibi");
  if (alibi && !alibi->boolean()) alibi->fail("is false", "MPT is analysed with ALiBi alone");
  const auto window = attention.find("sliding_window_size");
  if (window && window->count(most_context, -1) != -1) {
    window->fail("is not known in family mpt");
  }
}

std::int64_t kv_heads(const JsonNode& attention, std::int64_t heads) {
  const auto type = attention.find("attn_type");
  const std::string name = type ? type->text() : "multihead_attention";
  const auto given = attention.find("kv_n_heads");
  if (name == "multiquery_attention") return 1;
  if (name == "grouped_query_attention") return attention.at("kv_n_heads").count(most_width);
  if (name != "multihead_attention") {
    type->fail("unknown attention type '" + name + "'", {},
               "multihead_attention, multiquery_attention or grouped_query_attention");
  }
  return given ? given->count(most_width) : heads;
}

/// ffn_config of later files: its width, and no other kind of MLP than the plain one.
std::int64_t read_width(Config& config, const Model& model) {
  const std::int64_t ratio = config.count_or({"expansion_ratio"}, 1000, 4);
  const auto ffn = config.find("ffn_config");
  if (!ffn) return ratio * model.hidden_size;
  const auto type = ffn->find("ffn_type");
  if (type && type->text() != "mptmlp") type->fail("is not known in family mpt");
  const auto width = ffn->find("ffn_hidden_size");
  return width ? width->count(most_mlp_width) : ratio * model.hidden_size;
}

}  // namespace

Model read_mpt(Config& config) {
  Model model = read_base(config);
  const bool bias = !config.flag_or("no_bias", true);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.final_norm_parameters = (bias ? 2 : 1) * model.hidden_size;
  read_past(config, {"learned_pos_emb"});  // ALiBi has no table, whatever this says
  const std::int64_t heads = read_heads(config);
  std::int64_t shared = heads;
  if (const auto attention = config.find("attn_config")) {
    refuse_other_attention(*attention);
    shared = kv_heads(*attention, heads);
  }
  LayerGroup layer =
      gpt_layer(model, checked_attention(config, model, heads, shared), read_width(config, model),
                {.attention_bias = bias, .mlp_bias = bias, .norms = 2});
  if (!bias) layer.norm_parameters /= 2;
  add_layers(model, read_layer_count(config), layer, full_attention);
  return model;
}

}  // namespace roofline::huggingface
