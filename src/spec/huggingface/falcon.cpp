// Falcon, old and new (RefinedWeb, RefinedWebModel): K/V heads by new_decoder_architecture and
// multi_query, plain MLP of 4 h, tied, no bias unless asked for; one or two LayerNorms a layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gpt_layer.hpp"

namespace roofline::huggingface {
namespace {

std::int64_t kv_heads(Config& config, bool new_architecture, std::int64_t heads) {
  const bool multi_query = config.flag_or("multi_query", !new_architecture);
  if (new_architecture) return config.count({"num_kv_heads", "n_head_kv"}, most_width);
  read_past(config, {"num_kv_heads", "n_head_kv"});  // some old files carry the heads here
  return multi_query ? 1 : heads;
}

std::int64_t norms_a_layer(Config& config, bool new_architecture) {
  const auto parallel_norms = config.find("num_ln_in_parallel_attn");
  const bool parallel = config.flag_or("parallel_attn", true);
  if (!parallel) return 2;
  if (!new_architecture) return 1;
  return parallel_norms ? parallel_norms->count(2) : 2;
}

}  // namespace

Model read_falcon(Config& config) {
  Model model = read_base(config);
  const bool bias = config.flag_or("bias", false);
  const bool new_architecture =
      config.flag_or("new_decoder_architecture", config.family() == "RefinedWeb");
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.final_norm_parameters = 2 * model.hidden_size;
  // ALiBi and where the residual is taken have no weights.
  read_past(config, {"alibi", "apply_residual_connection_post_layernorm"});
  const std::int64_t heads = read_heads(config);
  const Attention attention =
      checked_attention(config, model, heads, kv_heads(config, new_architecture, heads));
  const std::int64_t width = read_width_or_four_hidden(config, {"ffn_hidden_size"}, model);
  const std::int64_t norms = norms_a_layer(config, new_architecture);
  add_layers(model, read_layer_count(config),
             gpt_layer(model, attention, width,
                       {.attention_bias = bias, .mlp_bias = bias, .norms = norms}),
             full_attention);
  return model;
}

}  // namespace roofline::huggingface
