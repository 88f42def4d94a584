// GLM-4: in its own old format (chatglm), in transformers' (glm), and GLM-4-0414 (glm4), which has
// four norms a layer. Llama's shape; biases on q, k and v alone.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::int64_t four_norms = 4;

Model read_glm_shape(Config& config, std::int64_t norms) {
  config.refuse_true({"mlp_bias"});
  const bool bias = config.flag_or("attention_bias", false);
  return read_gated_decoder(
      config, {.attention = {.qkv_bias = bias}, .head_dim_required = true, .norms_a_layer = norms});
}

/// The first ChatGLM, prefix tuning, and weights that its own code quantises.
void refuse_other_chatglm(Config& config) {
  if (const auto key = config.find("inner_hidden_size")) {
    key->fail("is not known in family chatglm",
              "ChatGLM2, ChatGLM3 and GLM-4 are read; the first ChatGLM is not");
  }
  refuse_positive(config, {"pre_seq_len", "quantization_bit"});
  // Where the residual is taken and in which order and type values are computed.
  read_past(config, {"apply_query_key_layer_scaling", "apply_residual_connection_post_layernorm",
                     "attention_softmax_in_fp32", "bias_dropout_fusion", "fp32_residual_connection",
                     "original_rope", "prefix_projection", "rope_ratio"});
}

Attention read_chatglm_attention(Config& config, bool bias) {
  const std::int64_t heads = config.count("num_attention_heads", most_width);
  (void)config.find("multi_query_group_num");
  const bool shared = config.flag_or("multi_query_attention", false);
  const std::int64_t kv_heads = shared ? config.count("multi_query_group_num", most_width) : heads;
  Model shape;  // a head has kv_channels elements, whatever the hidden size
  shape.hidden_size = heads * config.count("kv_channels", most_width);
  Attention attention = checked_attention(config, shape, heads, kv_heads);
  attention.qkv_bias = config.flag_or("add_qkv_bias", false) || bias;
  attention.output_bias = bias;
  return attention;
}

}  // namespace

Model read_glm(Config& config) {
  return read_glm_shape(config, 2);
}

Model read_glm4(Config& config) {
  return read_glm_shape(config, four_norms);
}

Model read_chatglm(Config& config) {
  refuse_other_chatglm(config);
  Model model = read_base(config);
  if (const auto padded = config.optional_count({"padded_vocab_size"}, most_vocabulary)) {
    model.vocabulary = *padded;
  }
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  const bool bias = config.flag_or("add_bias_linear", false);
  const std::int64_t norm = (config.flag_or("rmsnorm", true) ? 1 : 2) * model.hidden_size;
  model.final_norm_parameters = config.flag_or("post_layer_norm", true) ? norm : 0;
  LayerGroup layer;
  layer.mixer = read_chatglm_attention(config, bias);
  layer.feed_forward =
      Mlp{.width = config.count("ffn_hidden_size", most_mlp_width), .gated = true, .bias = bias};
  layer.norm_parameters = 2 * norm;
  add_layers(model, read_layer_count(config), layer, full_attention);
  return model;
}

}  // namespace roofline::huggingface
