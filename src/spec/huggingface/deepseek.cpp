// DeepSeek: the first layers are dense with intermediate_size, the others have experts of
// moe_intermediate_size, of which some are shared. From version 2 on attention is latent.
#include <fmt/format.h>

#include "base/format.hpp"
#include "spec/huggingface/expert_layers.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/latent_attention.hpp"

namespace roofline::huggingface {
namespace {

Experts read_deepseek_experts(Config& config) {
  Experts experts = read_experts(config, read_expert_width(config));
  experts.shared_width = experts.width * config.count_or({"n_shared_experts"}, most_experts, 0, 0);
  return experts;
}

/// topk_method: "noaux_tc" has a bias for each expert's score.
bool read_score_bias(Config& config, bool bias_by_default) {
  const auto method = config.find("topk_method");
  if (!method) {
    if (bias_by_default) config.note_default("topk_method", "noaux_tc");
    return bias_by_default;
  }
  const std::string name = method->text();
  if (name != "noaux_tc" && name != "greedy" && name != "group_limited_greedy") {
    method->fail(fmt::format("unknown topk_method '{}'", name), {},
                 "noaux_tc, greedy or group_limited_greedy");
  }
  return name == "noaux_tc";
}

Model read_latent_decoder(Config& config, bool score_bias_by_default) {
  Model model = read_gated_base(config, {});
  const std::int64_t layers = read_layer_count(config);
  Experts experts = read_deepseek_experts(config);
  experts.router_bias = read_score_bias(config, score_bias_by_default);
  LayerGroup like;
  like.mixer = read_latent_attention(config);
  like.norm_parameters = 2 * model.hidden_size;
  add_expert_layers(model, layers, like,
                    with_dense_layers(config, layers, experts, read_first_dense(config)));
  if (const std::int64_t count = read_prediction_layers(config); count > 0) {
    like.feed_forward = experts;
    const auto each = prediction_parameters(model, like, 2);
    warn_of_prediction(model, count,
                       each ? fmt::format("{} parameters in the file",
                                          format_count(static_cast<double>(count * *each)))
                            : "");
  }
  return model;
}

void refuse_indexer(Config& config) {
  refuse_present(config, {"index_n_heads", "index_head_dim", "index_topk"});
}

}  // namespace

Model read_deepseek(Config& config) {
  const bool bias = config.flag_or("attention_bias", false);
  const GatedDecoder family{.attention = {.qkv_bias = bias, .output_bias = bias}};
  Model model = read_gated_base(config, family);
  const std::int64_t layers = read_layer_count(config);
  const Experts experts = read_deepseek_experts(config);
  add_expert_layers(model, layers, read_attention_layer(config, family, model),
                    with_dense_layers(config, layers, experts, read_first_dense(config)));
  return model;
}

Model read_deepseek_v2(Config& config) {
  refuse_indexer(config);
  return read_latent_decoder(config, false);
}

Model read_deepseek_v3(Config& config) {
  refuse_indexer(config);
  return read_latent_decoder(config, true);
}

Model read_deepseek_v32(Config& config) {
  config.fail("the sparse attention of DeepSeek V3.2 is not known",
              "an indexer with a cache of its own chooses the tokens that each query attends");
}

}  // namespace roofline::huggingface
