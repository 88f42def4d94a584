// Families without experts: the counts of each, written as their derivation, and what each refuses.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/dense_config.hpp"

using namespace roofline;
using namespace roofline::dense_config;
using Catch::Matchers::Contains;

TEST_CASE("Gated families beyond Llama count as their formulas say", "[spec]") {
  const std::int64_t mixer = layers * grouped;
  const std::int64_t mlp = layers * gated;
  const std::int64_t norms = layers * 2 * 70 + 70;
  const auto [family, changes, expected] = GENERATE_COPY(table<std::string, std::string, Parts>({
      {"granite", "{}", {table_size, table_size, mixer, mlp, norms}},
      {"granite", R"({"tie_word_embeddings": true})", {table_size, 0, mixer, mlp, norms}},
      {"granite",
       R"({"attention_bias": true, "mlp_bias": true, "residual_multiplier": 0.2})",
       {table_size, table_size, mixer, mlp, norms + layers * (grouped_bias + 70 + 2 * 13 + 70)}},
      {"exaone",
       R"({"num_hidden_layers": null, "num_layers": 3})",
       {table_size, table_size, mixer, mlp, norms}},
      // norms of 7 on queries and keys
      {"exaone4", "{}", {table_size, table_size, mixer, mlp, norms + layers * 2 * 7}},
      // InternLM2: one key for the biases of both attention matrices, true where absent
      {"internlm2", R"({"bias": false})", {table_size, table_size, mixer, mlp, norms}},
      {"internlm2", "{}", {table_size, table_size, mixer, mlp, norms + layers * 210}},
      {"internlm2",
       R"({"bias": false, "num_key_value_heads": null})",
       {table_size, table_size, layers * multi_head, mlp, norms}},
      {"mistral3", "{}", {table_size, table_size, mixer, mlp, norms}},
      // OLMo's norms have no weights, OLMo 2 and 3 have norms of (H + K) d
      {"olmo", "{}", {table_size, table_size, mixer, mlp, 0}},
      {"olmo2", "{}", {table_size, table_size, mixer, mlp, norms + layers * 15 * 7}},
      {"olmo2",
       R"({"num_key_value_heads": null})",
       {table_size, table_size, layers * multi_head, mlp, norms + layers * 20 * 7}},
      {"olmo3", "{}", {table_size, table_size, mixer, mlp, norms + layers * 15 * 7}},
      {"smollm3", "{}", {table_size, 0, mixer, mlp, norms}},
      {"smollm3",
       R"({"tie_word_embeddings": false, "attention_bias": true})",
       {table_size, table_size, mixer, mlp, norms + layers * (grouped_bias + 70)}},
      // LayerNorms of 2 h
      {"stablelm", "{}", {table_size, table_size, mixer, mlp, 2 * norms}},
      {"stablelm",
       R"({"use_qkv_bias": true, "use_parallel_residual": true})",
       {table_size, table_size, mixer, mlp, layers * (2 * 70 + grouped_bias) + 2 * 70}},
      // biases on q, k and v alone
      {"qwen2_vl", "{}", {table_size, table_size, mixer, mlp, norms + layers * grouped_bias}},
      {"qwen2_5_vl_text",
       R"({"tie_word_embeddings": true, "attention_bias": false})",
       {table_size, 0, mixer, mlp, norms + layers * grouped_bias}},
      {"glm", R"({"head_dim": 7})", {table_size, table_size, mixer, mlp, norms}},
      {"glm",
       R"({"head_dim": 7, "attention_bias": true})",
       {table_size, table_size, mixer, mlp, norms + layers * grouped_bias}},
      {"glm4",
       R"({"head_dim": 7, "attention_bias": true})",
       {table_size, table_size, mixer, mlp, layers * (4 * 70 + grouped_bias) + 70}},
      // Seed-OSS: q, k and v biases unless the file says otherwise
      {"seed_oss",
       R"({"head_dim": 7})",
       {table_size, table_size, mixer, mlp, norms + layers * grouped_bias}},
      {"seed_oss",
       R"({"head_dim": 7, "attention_bias": false, "attention_out_bias": true})",
       {table_size, table_size, mixer, mlp, norms + layers * 70}},
      // Command R: one norm of h a layer, tied
      {"cohere", "{}", {table_size, 0, mixer, mlp, layers * 70 + 70}},
      {"cohere",
       R"({"use_qk_norm": true, "tie_word_embeddings": null})",
       {table_size, 0, mixer, mlp, layers * (70 + 15 * 7) + 70}},
      {"cohere",
       R"({"attention_bias": true, "tie_word_embeddings": false})",
       {table_size, table_size, mixer, mlp, layers * (70 + grouped_bias + 70) + 70}},
      {"cohere2", "{}", {table_size, 0, mixer, mlp, layers * 70 + 70}},
  }));
  CAPTURE(family, changes);
  const Model model = read(config(family, changes));
  CHECK(parts(model) == expected);
  CHECK(model.family == family);
  CHECK(layer_count(model) == layers);
  CHECK(model.warnings.empty());
}

TEST_CASE("Plain families count as their formulas say", "[spec]") {
  const std::int64_t final_norm = 2 * 70;
  const std::int64_t two_norms = 4 * 70;
  const auto [family, changes, expected] = GENERATE_COPY(table<std::string, std::string, Parts>({
      {"starcoder2",
       "{}",
       {table_size, 0, layers * grouped, layers * plain,
        layers * (two_norms + grouped_bias + 70 + 13 + 70) + final_norm}},
      {"starcoder2",
       R"({"use_bias": false, "tie_word_embeddings": false})",
       {table_size, table_size, layers * grouped, layers * plain, layers * two_norms + final_norm}},
      {"nemotron",
       "{}",
       {table_size, table_size, layers * grouped, layers * plain, layers * two_norms + final_norm}},
      {"nemotron",
       R"({"num_key_value_heads": null, "attention_bias": true, "mlp_bias": true})",
       {table_size, table_size, layers * multi_head, layers * plain,
        layers * (two_norms + multi_head_bias + 70 + 13 + 70) + final_norm}},
      // H d = 110 beside h = 70
      {"nemotron",
       R"({"head_dim": 11})",
       {table_size, table_size, layers * (2 * 70 * 110 + 2 * 70 * 55), layers * plain,
        layers * two_norms + final_norm}},
      {"gpt_neox",
       R"({"num_key_value_heads": null, "use_parallel_residual": true})",
       {table_size, table_size, layers * multi_head, layers * plain,
        layers * (two_norms + multi_head_bias + 70 + 13 + 70) + final_norm}},
      {"gpt_neox",
       R"({"num_key_value_heads": null, "attention_bias": false})",
       {table_size, table_size, layers * multi_head, layers * plain,
        layers * (two_norms + 13 + 70) + final_norm}},
      // Phi: one norm a layer, and V biases on the lm_head
      {"phi",
       R"({"num_key_value_heads": null})",
       {table_size, table_size, layers * multi_head, layers * plain,
        layers * (2 * 70 + multi_head_bias + 70 + 13 + 70) + final_norm + 103}},
      {"phi",
       R"({"qk_layernorm": true})",
       {table_size, table_size, layers * grouped, layers * plain,
        layers * (2 * 70 + grouped_bias + 70 + 13 + 70 + 4 * 7) + final_norm + 103}},
  }));
  CAPTURE(family, changes);
  const Model model = read(config(family, changes));
  CHECK(parts(model) == expected);
  CHECK_FALSE(std::get<Mlp>(model.layers.at(0).feed_forward).gated);
  CHECK(model.warnings.empty());
}

TEST_CASE("The kin of GPT-2 count as their formulas say", "[spec]") {
  const std::int64_t final_norm = 2 * 70;
  const std::int64_t mlp_bias = 280 + 70;
  const std::int64_t two_norms = 4 * 70;
  const auto [family, changes, expected] = GENERATE_COPY(table<std::string, std::string, Parts>({
      // GPT-BigCode: one K/V head unless the file says otherwise, 31 positions
      {"gpt_bigcode",
       R"({"n_positions": 31})",
       {table_size + 31 * 70, 0, layers * one_kv_head, layers * four_hidden,
        layers * (70 + 2 * 7 + 70 + mlp_bias + two_norms) + final_norm}},
      {"gpt_bigcode",
       R"({"n_positions": 31, "multi_query": false, "n_inner": 13})",
       {table_size + 31 * 70, 0, layers * multi_head, layers * plain,
        layers * (multi_head_bias + 70 + 13 + 70 + two_norms) + final_norm}},
      // BLOOM: a LayerNorm on the embedding
      {"bloom",
       R"({"n_embd": null, "n_embed": 70})",
       {table_size, 0, layers * multi_head, layers * four_hidden,
        layers * (multi_head_bias + 70 + mlp_bias + two_norms) + 2 * final_norm}},
      {"bloom",
       R"({"n_embd": null, "hidden_size": 70, "n_head": null, "num_attention_heads": 10,
           "n_inner": 280, "seq_length": 2048})",
       {table_size, 0, layers * multi_head, layers * four_hidden,
        layers * (multi_head_bias + 70 + mlp_bias + two_norms) + 2 * final_norm}},
      // GPT-J: one norm, no biases in attention, V biases on the lm_head
      {"gptj",
       R"({"n_positions": 31, "rotary_dim": 4, "n_inner": null})",
       {table_size, table_size, layers * multi_head, layers * four_hidden,
        layers * (mlp_bias + 2 * 70) + final_norm + 103}},
      {"gptj",
       R"({"n_inner": 13})",
       {table_size, table_size, layers * multi_head, layers * plain,
        layers * (13 + 70 + 2 * 70) + final_norm + 103}},
      // Old Falcon files: RefinedWeb is the new architecture though no key says so
      {"RefinedWeb",
       R"({"n_head_kv": 5, "parallel_attn": true, "multi_query": true, "alibi": false})",
       {table_size, 0, layers * grouped, layers * four_hidden, layers * two_norms + final_norm}},
      {"RefinedWebModel",
       R"({"multi_query": true, "parallel_attn": true, "bias": false})",
       {table_size, 0, layers * one_kv_head, layers * four_hidden, layers * 2 * 70 + final_norm}},
      {"falcon",
       R"({"new_decoder_architecture": true, "num_kv_heads": 5, "num_ln_in_parallel_attn": 1,
           "parallel_attn": false})",
       {table_size, 0, layers * grouped, layers * four_hidden, layers * two_norms + final_norm}},
  }));
  CAPTURE(family, changes);
  const Model model = read(gpt_config(family, changes));
  CHECK(parts(model) == expected);
  CHECK(model.warnings.empty());
}

// No biases and norms of h, unless no_bias is false.
TEST_CASE("MPT takes its K/V heads from attn_config", "[spec]") {
  const json mpt = json::parse(R"({"model_type": "mpt", "d_model": 70, "vocab_size": 103,
    "n_layers": 3, "n_heads": 10, "max_seq_len": 2048, "learned_pos_emb": true, "no_bias": true,
    "attn_config": {"alibi": true, "attn_type": "multihead_attention", "clip_qkv": 8,
                    "prefix_lm": false, "qk_ln": false, "is_encoder_decoder": false}})");
  const std::int64_t four = layers * four_hidden;
  const std::int64_t norms = layers * 2 * 70 + 70;
  const std::int64_t biases = layers * (multi_head_bias + 70 + 280 + 70);
  const auto [changes, expected] = GENERATE_COPY(table<std::string, Parts>({
      {"{}", {table_size, 0, layers * multi_head, four, norms}},
      {R"({"attn_config": {"attn_type": "multiquery_attention"}})",
       {table_size, 0, layers * one_kv_head, four, norms}},
      {R"({"attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 5}})",
       {table_size, 0, layers * grouped, four, norms}},
      {R"({"attn_config": {"kv_n_heads": 5}})", {table_size, 0, layers * grouped, four, norms}},
      {R"({"attn_config": null})", {table_size, 0, layers * multi_head, four, norms}},
      {R"({"no_bias": false})", {table_size, 0, layers * multi_head, four, 2 * norms + biases}},
      {R"({"expansion_ratio": 2})",
       {table_size, 0, layers * multi_head, layers * 2 * 70 * 140, norms}},
      {R"({"ffn_config": {"ffn_type": "mptmlp", "ffn_hidden_size": 13}})",
       {table_size, 0, layers * multi_head, layers * plain, norms}},
      {R"({"tie_word_embeddings": false})",
       {table_size, table_size, layers * multi_head, four, norms}},
  }));
  CAPTURE(changes);
  json changed = mpt;
  changed.merge_patch(json::parse(changes));
  const Model model = read(changed);
  CHECK(parts(model) == expected);
  CHECK(model.max_context == 2048);
  CHECK(model.warnings.empty());
}

// GLM-4-9B's own keys: kv_channels may differ from h / H, and the padded vocabulary counts.
TEST_CASE("ChatGLM has its own names", "[spec]") {
  const json glm = json::parse(R"({"model_type": "chatglm", "hidden_size": 70, "num_layers": 3,
    "num_attention_heads": 10, "kv_channels": 11, "multi_query_attention": true,
    "multi_query_group_num": 2, "ffn_hidden_size": 13, "padded_vocab_size": 103,
    "vocab_size": 101, "add_qkv_bias": true, "add_bias_linear": false, "rmsnorm": true,
    "post_layer_norm": true, "seq_length": 131072, "pre_seq_len": null, "quantization_bit": 0,
    "apply_residual_connection_post_layernorm": false, "torch_dtype": "bfloat16"})");
  const std::int64_t shared = 2 * 70 * 110 + 2 * 70 * 22;
  const std::int64_t qkv_bias = 110 + 2 * 22;
  const std::int64_t norms = layers * 2 * 70 + 70;
  const auto [changes, expected] = GENERATE_COPY(table<std::string, Parts>({
      {"{}", {table_size, table_size, layers * shared, layers * gated, norms + layers * qkv_bias}},
      {R"({"add_qkv_bias": false})",
       {table_size, table_size, layers * shared, layers * gated, norms}},
      {R"({"add_bias_linear": true, "add_qkv_bias": false})",
       {table_size, table_size, layers * shared, layers * gated,
        norms + layers * (qkv_bias + 70 + 2 * 13 + 70)}},
      {R"({"multi_query_attention": false})",
       {table_size, table_size, layers * 4 * 70 * 110, layers * gated, norms + layers * 330}},
      {R"({"rmsnorm": false, "post_layer_norm": false})",
       {table_size, table_size, layers * shared, layers * gated, layers * (4 * 70 + qkv_bias)}},
      {R"({"padded_vocab_size": null})",
       {101 * 70, 101 * 70, layers * shared, layers * gated, norms + layers * qkv_bias}},
  }));
  CAPTURE(changes);
  json changed = glm;
  changed.merge_patch(json::parse(changes));
  const Model model = read(changed);
  CHECK(parts(model) == expected);
  CHECK(model.max_context == 131072);
  CHECK(model.warnings.empty());
}

TEST_CASE("Dense families refuse by name what they do not know", "[spec]") {
  const auto [family, changes, what] = GENERATE(table<std::string, std::string, std::string>({
      {"gemma3_text", R"({"use_bidirectional_attention": true})", "'use_bidirectional_attention'"},
      {"gemma3_text", R"({"num_attention_heads": 7, "num_key_value_heads": 5})",
       "7 attention heads cannot share 5 K/V heads"},
      {"gemma2", R"({"head_dim": 7, "sliding_window": 17, "sliding_window_size": 18})",
       "'sliding_window_size'"},
      {"cohere", R"({"sliding_window": 17})", "'sliding_window'"},
      {"cohere", R"({"use_parallel_block": false})", "'use_parallel_block'"},
      {"cohere2", R"({"use_qk_norm": true})", "'use_qk_norm'"},
      {"cohere2", R"({"order_of_interleaved_layers": "global_attn_first"})",
       "'order_of_interleaved_layers'"},
      {"olmo", R"({"sliding_window": 17})", "'sliding_window'"},
      {"olmo2", R"({"sliding_window": 17})", "'sliding_window'"},
      {"granite", R"({"sliding_window": 17})", "'sliding_window'"},
      {"exaone", R"({"attention_bias": true})", "'attention_bias'"},
      {"exaone4", R"({"sliding_window": 17})", "sliding_window without layer_types"},
      {"stablelm", R"({"qk_layernorm": true})", "'qk_layernorm'"},
      {"starcoder2", R"({"mlp_type": "gated"})", "'mlp_type'"},
      {"starcoder2", R"({"norm_type": "rms_norm"})", "'norm_type'"},
      {"smollm3", R"({"use_sliding_window": true})", "needs 'sliding_window'"},
      {"smollm3", R"({"no_rope_layers": [1, 1]})", "has 2 entries for 3 layers"},
      {"smollm3", R"({"num_key_value_heads": null})", "needs 'num_key_value_heads'"},
      {"glm", "{}", "needs 'head_dim'"},
      {"internlm2", R"({"mlp_bias": true})", "'mlp_bias'"},
      {"qwen2_5_vl", R"({"use_sliding_window": true})", "needs"},
      {"bloom", R"({"n_inner": 13})", "'n_inner'"},
      {"gpt_neox", R"({"intermediate_size": null})", "needs 'intermediate_size'"},
      {"chatglm", R"({"inner_hidden_size": 280})", "'inner_hidden_size'"},
      {"chatglm", R"({"quantization_bit": 4})", "'quantization_bit'"},
      {"chatglm", R"({"pre_seq_len": 128})", "'pre_seq_len'"},
      {"mpt", R"({"attn_config": {"alibi": false}})", "'alibi'"},
      {"mpt", R"({"attn_config": {"qk_ln": true}})", "'qk_ln'"},
      {"mpt", R"({"attn_config": {"rope": true}})", "'rope'"},
      {"mpt", R"({"attn_config": {"sliding_window_size": 17}})", "'sliding_window_size'"},
      {"mpt", R"({"attn_config": {"attn_type": "grouped_query_attention"}})", "needs 'kv_n_heads'"},
      {"mpt", R"({"attn_config": {"attn_type": "linear"}})", "unknown attention type 'linear'"},
      {"mpt", R"({"ffn_config": {"ffn_type": "mptglu"}})", "'ffn_type'"},
      {"opt", R"({"ffn_dim": 13, "_remove_final_layer_norm": true})", "'_remove_final_layer_norm'"},
      {"opt", R"({"ffn_dim": 13, "layer_norm_elementwise_affine": false})",
       "'layer_norm_elementwise_affine'"},
      // another family's keys
      {"olmo2", R"({"num_experts": 8})", "'num_experts'"},
      {"gpt_neox", R"({"num_key_value_heads": null, "sliding_window": 17})", "'sliding_window'"},
  }));
  CAPTURE(family, changes);
  CHECK_THAT(refusal(config(family, changes)), Contains(what));
}

// Totals of the published checkpoints, from the safetensors headers.
TEST_CASE("The relatives count to the published digit", "[spec]") {
  const auto [text, parameters] = GENERATE(table<std::string, std::int64_t>({
      // pythia-6.9b, without the mask buffers of its file
      {R"({"model_type": "gpt_neox", "hidden_size": 4096, "num_hidden_layers": 32,
           "num_attention_heads": 32, "intermediate_size": 16384, "vocab_size": 50432})",
       6'857'302'016},
      // aya-23-8b
      {R"({"model_type": "cohere", "hidden_size": 4096, "num_hidden_layers": 32,
           "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
           "vocab_size": 256000})",
       8'028'033'024},
      // olmo-2-7b
      {R"({"model_type": "olmo2", "hidden_size": 4096, "num_hidden_layers": 32,
           "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 11008,
           "vocab_size": 100352})",
       7'298'617'344},
      // gemma-3-1b
      {R"({"model_type": "gemma3_text", "hidden_size": 1152, "num_hidden_layers": 26,
           "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
           "intermediate_size": 6912, "vocab_size": 262144, "sliding_window": 512})",
       999'885'952},
  }));
  CHECK(count_parameters(read(json::parse(text))).total() == parameters);
}
