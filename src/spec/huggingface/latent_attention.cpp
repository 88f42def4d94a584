#include "spec/huggingface/latent_attention.hpp"

#include "spec/huggingface/family_checks.hpp"

namespace roofline::huggingface {

LatentAttention read_latent_attention(Config& config) {
  config.refuse_true({"attention_bias"});
  refuse_false(config, {"use_mla"});
  // the cache holds one latent, however many heads read it
  read_past(config, {"num_key_value_heads"});
  LatentAttention attention;
  attention.heads = config.count("num_attention_heads", most_width);
  attention.query_rank = config.optional_count({"q_lora_rank"}, most_width);
  if (!attention.query_rank) config.note_default("q_lora_rank", "one matrix for the queries");
  attention.kv_rank = config.count("kv_lora_rank", most_width);
  attention.rope_dim = config.count("qk_rope_head_dim", most_width);
  attention.nope_dim = config.count("qk_nope_head_dim", most_width);
  attention.value_dim = config.count("v_head_dim", most_width);
  return attention;
}

}  // namespace roofline::huggingface
