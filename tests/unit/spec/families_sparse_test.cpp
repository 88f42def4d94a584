// Families with experts and with latent attention: counts from small dimensions worked out by hand,
// which layers have experts, what is a default, what is refused.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/families.hpp"

using namespace roofline;
using namespace roofline::huggingface;
using Catch::Matchers::Contains;
using Catch::Matchers::VectorContains;
using nlohmann::json;

namespace {

using Reader = Model (*)(Config&);

/// h 40, V 100, 4 layers, 6 heads of 8 that share 2 K/V heads, 8 experts of which a token passes 3,
/// each 24 wide; then `changes`, where null takes a key away.
json config(const std::string& changes) {
  json result = json::parse(R"({
    "model_type": "x", "hidden_size": 40, "vocab_size": 100, "num_hidden_layers": 4,
    "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 24,
    "num_experts": 8, "num_experts_per_tok": 3, "torch_dtype": "bfloat16"})");
  result.merge_patch(json::parse(changes));
  return result;
}

/// What a reader makes of a config, and the defaults that it noted.
struct Answer {
  Model model;
  std::vector<std::string> defaults;
};

Answer answer(Reader reader, const std::string& changes) {
  Config keys(JsonNode::parse(config(changes).dump(), "m.json"));
  keys.set_family("x");
  Model model = reader(keys);
  return {std::move(model), keys.defaults()};
}

Model read(Reader reader, const std::string& changes) {
  return answer(reader, changes).model;
}

std::string refusal(Reader reader, const std::string& changes) {
  try {
    (void)read(reader, changes);
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().at(0);
    return first.where + ": " + first.what;
  }
  return {};
}

/// For each layer whether it has experts, in the order of the groups.
using Groups = std::vector<std::pair<std::int64_t, bool>>;
Groups groups(const Model& model) {
  Groups result;
  for (const LayerGroup& group : model.layers) {
    result.emplace_back(group.count, std::holds_alternative<Experts>(group.feed_forward));
  }
  return result;
}

// q and o 2 x 40 x 48, k and v 2 x 40 x 16.
constexpr std::int64_t attention = 5120;
// Embedding and lm_head 2 x 100 x 40, the final norm 40.
constexpr std::int64_t embedding = 4000;
constexpr std::int64_t outside = 2 * embedding + 40;
constexpr std::int64_t router = 8 * 40;
constexpr std::int64_t norms = 2 * 40;

/// Three matrices between 40 and `width`.
constexpr std::int64_t mlp(std::int64_t width) {
  return 3 * 40 * width;
}

/// Eight experts of 24, the router and two norms.
constexpr std::int64_t sparse = attention + 8 * mlp(24) + router + norms;
constexpr std::int64_t dense_56 = attention + mlp(56) + norms;

}  // namespace

TEST_CASE("Families with experts count as their formulas say", "[spec]") {
  struct Case {
    const char* name;
    Reader reader;
    const char* changes;
    std::int64_t total;
    std::int64_t layers_with_experts;
  };
  const Case c = GENERATE(values<Case>({
      {"mixtral", read_mixtral, "{}", outside + 4 * sparse, 4},
      {"mixtral tied", read_mixtral, R"({"tie_word_embeddings": true})",
       outside - embedding + 4 * sparse, 4},
      // LayerNorms with bias: 2 h each; q, k, v biases 48 + 2 x 16 and o 40; lm_head's bias 100
      {"phimoe", read_phimoe, R"({"attention_bias": true, "lm_head_bias": true})",
       outside + 40 + 100 + 4 * (sparse + norms + 80 + 40), 4},
      {"phimoe plain", read_phimoe, "{}", outside + 40 + 4 * (sparse + norms), 4},
      // norms over the whole width of q and k: 48 + 16
      {"olmoe", read_olmoe, "{}", outside + 4 * (sparse + 64), 4},
      // shared expert of 72, its gate 40, q, k, v biases 80 though no key says so
      {"qwen2_moe", read_qwen2_moe,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56,
           "shared_expert_intermediate_size": 72})",
       outside + 4 * (sparse + mlp(72) + 40 + 80), 4},
      {"qwen2_moe no bias", read_qwen2_moe,
       R"({"moe_intermediate_size": 24, "intermediate_size": null, "qkv_bias": false,
           "shared_expert_intermediate_size": 72})",
       outside + 4 * (sparse + mlp(72) + 40), 4},
      // norms of head_dim on q and k
      {"qwen3_moe", read_qwen3_moe, R"({"moe_intermediate_size": 24, "intermediate_size": 56})",
       outside + 4 * (sparse + 16), 4},
      // layers 1 and 3 have experts, but layer 3 is named dense
      {"qwen3_moe step 2", read_qwen3_moe,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56, "decoder_sparse_step": 2,
           "mlp_only_layers": [3]})",
       outside + sparse + 3 * dense_56 + 4 * 16, 1},
      // 2 shared experts are one MLP of 48
      {"deepseek", read_deepseek,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56, "n_shared_experts": 2,
           "first_k_dense_replace": 1})",
       outside + 3 * (sparse + mlp(48)) + dense_56, 3},
      {"deepseek every other", read_deepseek,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56, "n_shared_experts": null,
           "first_k_dense_replace": 1, "moe_layer_freq": 2})",
       outside + sparse + 3 * dense_56, 1},
      // a bias for each of 8 scores; q, k, v biases 80, none on o; norms of head_dim
      {"glm4_moe", read_glm4_moe,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56, "n_shared_experts": 1,
           "first_k_dense_replace": 2, "attention_bias": true, "use_qk_norm": true})",
       outside + 2 * (sparse + mlp(24) + 8) + 2 * dense_56 + 4 * (80 + 16), 2},
      // biases of q, k, v, o 120; router 8; each expert 2 x 24 + 40; 6 sinks
      {"gpt_oss", read_gpt_oss, R"({"sliding_window": 16, "attention_bias": true})",
       outside + 4 * (sparse + 120 + 8 + 8 * 88 + 6), 4},
      {"granitemoe", read_granitemoe, R"({"tie_word_embeddings": true})",
       outside - embedding + 4 * sparse, 4},
      {"granitemoeshared", read_granitemoe, R"({"shared_intermediate_size": 72})",
       outside + 4 * (sparse + mlp(72)), 4},
      {"minimax_m2", read_minimax_m2, R"({"use_qk_norm": true, "use_routing_bias": true})",
       outside + 4 * (sparse + 64 + 8), 4},
      // layers 1 and 3 in the range 1 .. last, each other one; tied where no key says so
      {"ernie4_5_moe", read_ernie4_5_moe,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56, "moe_num_shared_experts": 2,
           "moe_layer_start_index": 1, "moe_layer_end_index": -1, "moe_layer_interval": 2})",
       outside - embedding + 2 * (sparse + mlp(48) + 8) + 2 * dense_56, 2},
      {"ernie4_5_moe range", read_ernie4_5_moe,
       R"({"moe_intermediate_size": 24, "intermediate_size": 56, "moe_num_shared_experts": 0,
           "moe_layer_start_index": 1, "moe_layer_end_index": 2})",
       outside - embedding + 2 * (sparse + 8) + 2 * dense_56, 2},
      // the shared expert is as wide as the MLP, not as an expert
      {"hunyuan_v1_moe", read_hunyuan_v1_moe,
       R"({"moe_intermediate_size": [24, 24, 24, 24], "intermediate_size": 56,
           "num_shared_expert": [1, 1, 1, 1], "moe_topk": [3, 3, 3, 3], "use_qk_norm": true,
           "use_mixed_mlp_moe": true})",
       outside + 4 * (sparse + mlp(56) + 16), 4},
      {"hunyuan_v1_moe first dense", read_hunyuan_v1_moe,
       R"({"num_shared_expert": 2, "moe_topk": 3, "use_qk_norm": false,
           "use_mixed_mlp_moe": true, "moe_layer_num_skipped": 1})",
       outside + 3 * (sparse + mlp(48)) + attention + mlp(24) + norms, 3},
      // beside the experts of layer 2 a residual MLP of h x h matrices and its norm
      {"arctic", read_arctic, R"({"moe_layer_frequency": 3, "parallel_attn_mlp_res": true})",
       outside + sparse + 3 * 40 * 40 + 40 + 3 * (attention + mlp(24) + norms), 1},
      {"arctic plain", read_arctic, R"({"moe_layer_frequency": 1})", outside + 4 * sparse, 4},
      // a shared expert as wide as a routed one; dense layers of 56
      {"llama4", read_llama4, R"({"interleave_moe_layer_step": 3, "intermediate_size_mlp": 56})",
       outside + sparse + mlp(24) + 3 * dense_56, 1},
      {"llama4 moe_layers", read_llama4, R"({"moe_layers": [0], "intermediate_size_mlp": 56})",
       outside + sparse + mlp(24) + 3 * dense_56, 1},
  }));
  CAPTURE(c.name);
  const ParameterCount count = count_parameters(read(c.reader, c.changes));
  CHECK(count.total() == c.total);
  const std::int64_t biases = std::string(c.name) == "gpt_oss" ? 88 : 0;
  CHECK(count.idle == c.layers_with_experts * 5 * (mlp(24) + biases));
}

TEST_CASE("Qwen1.5-MoE-A2.7B has its published size", "[spec]") {
  const Model model = read(read_qwen2_moe, R"({"hidden_size": 2048, "vocab_size": 151936,
      "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16,
      "head_dim": null, "num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408,
      "shared_expert_intermediate_size": 5632})");
  CHECK(count_parameters(model).total() == 14'315'784'192);
}

TEST_CASE("DBRX keeps its sizes in objects of their own", "[spec]") {
  const Model model = read(read_dbrx, R"({
    "hidden_size": null, "num_hidden_layers": null, "num_attention_heads": null,
    "num_key_value_heads": null, "intermediate_size": null, "num_experts": null,
    "num_experts_per_tok": null, "d_model": 40, "n_layers": 4, "n_heads": 6, "max_seq_len": 512,
    "attn_config": {"kv_n_heads": 2, "tie_word_embeddings": true},
    "ffn_config": {"ffn_hidden_size": 24, "moe_num_experts": 8, "moe_top_k": 3}})");
  CHECK(count_parameters(model).total() == outside + 4 * sparse);
  CHECK(model.max_context == 512);
  CHECK_FALSE(model.tied_embeddings);
}

// q 40 x 20 + 20 x 6 x (5 + 3), kv 40 x (12 + 3) + 12 x 6 x (5 + 7), o 6 x 7 x 40, norms 20 + 12.
constexpr std::int64_t latent = 800 + 960 + 600 + 864 + 1680 + 32;
const std::string latent_keys =
    R"("q_lora_rank": 20, "kv_lora_rank": 12, "qk_rope_head_dim": 3, "qk_nope_head_dim": 5,
       "v_head_dim": 7, "moe_intermediate_size": 24, "intermediate_size": 56,
       "first_k_dense_replace": 1, "n_shared_experts": 2)";

TEST_CASE("Latent attention counts one latent a token and its low-rank matrices", "[spec]") {
  const std::int64_t layers = 4 * (latent + norms) + mlp(56);
  const std::int64_t experts = 3 * (8 * mlp(24) + mlp(48) + router);

  SECTION("version 2 has no bias on its scores") {
    const Model model = read(read_deepseek_v2, "{" + latent_keys + "}");
    CHECK(count_parameters(model).total() == outside + layers + experts);
    CHECK(count_parameters(model).idle == 3 * 5 * mlp(24));
    CHECK(kv_elements_per_token(model) == 4 * (12 + 3));
    CHECK(groups(model) == Groups{{1, false}, {3, true}});
  }
  SECTION("version 3 has one for each expert where no key says otherwise") {
    const Answer given = answer(read_deepseek_v3, "{" + latent_keys + "}");
    CHECK(count_parameters(given.model).total() == outside + layers + experts + 3 * 8);
    CHECK_THAT(
        given.defaults,
        VectorContains(std::string("topk_method is absent: noaux_tc, the family's default")));
    CHECK(given.model.warnings.empty());
  }
  SECTION("topk_method decides") {
    const Model none = read(read_deepseek_v3, R"({"topk_method": "greedy", )" + latent_keys + "}");
    CHECK(count_parameters(none).total() == outside + layers + experts);
    const Model some =
        read(read_deepseek_v2, R"({"topk_method": "noaux_tc", )" + latent_keys + "}");
    CHECK(count_parameters(some).total() == outside + layers + experts + 3 * 8);
  }
  SECTION("without q_lora_rank the queries come from one matrix of 40 x 6 x (5 + 3)") {
    json keys = json::parse("{" + latent_keys + "}");
    keys["q_lora_rank"] = "none";
    CHECK_THAT(refusal(read_deepseek_v2, keys.dump()), Contains("q_lora_rank"));
    keys["q_lora_rank"] = nullptr;
    const Model model = read(read_deepseek_v2, keys.dump());
    CHECK(count_parameters(model).total() ==
          outside + layers + experts - 4 * (800 + 960 + 20) + 4 * 1920);
  }
}

// A layer with experts, three norms, a map 80 -> 40, and tables of 2 x 4000.
TEST_CASE("Prediction layers are left out of the count and named", "[spec]") {
  SECTION("with both tables in DeepSeek's files") {
    const Model model =
        read(read_deepseek_v3, R"({"num_nextn_predict_layers": 1, )" + latent_keys + "}");
    // 4936 + 80 + 8 x 2880 + 5760 + 320 + 8 + 120 + 3200 + 8000
    CHECK(model.left_out == std::vector<std::string>{
                                "1 multi-token-prediction layer (45,464 parameters in the file) is "
                                "left out of the step"});
  }
  SECTION("each of several") {
    const Model model =
        read(read_deepseek_v3, R"({"num_nextn_predict_layers": 2, )" + latent_keys + "}");
    CHECK_THAT(
        model.left_out.at(0),
        Contains("2 multi-token-prediction layers (90,928 parameters in the file) are left"));
  }
  SECTION("with or without tables in GLM's") {
    const Model model = read(read_glm4_moe, R"({"moe_intermediate_size": 24,
        "intermediate_size": 56, "n_shared_experts": 1, "first_k_dense_replace": 2,
        "num_nextn_predict_layers": 1})");
    // 28,560 + 2880 + 8 + 120 + 3200, and 8000
    CHECK(
        model.left_out.at(0) ==
        "1 multi-token-prediction layer (42,768 parameters, 34,768 where the file does not repeat "
        "embedding and lm_head) is left out of the step");
  }
  SECTION("without a size where it is not known") {
    const Model model = read(read_minimax_m2, R"({"use_mtp": true, "num_mtp_modules": 3,
        "mtp_transformer_layers": 1})");
    CHECK(model.left_out.at(0) == "3 multi-token-prediction layers are left out of the step");
    CHECK(read(read_minimax_m2, R"({"use_mtp": false, "num_mtp_modules": 3})").left_out.empty());
  }
}

TEST_CASE("Llama 4 attends in chunks but on each fourth layer", "[spec]") {
  struct Case {
    const char* changes;
    std::int64_t global;
    std::int64_t chunk;
  };
  const Case c = GENERATE(values<Case>({
      {"{}", 1, 8192},
      {R"({"no_rope_layers": [], "attention_chunk_size": 64})", 1, 64},
      {R"({"no_rope_layers": [1, 0, 1, 0]})", 2, 8192},
      {R"({"no_rope_layer_interval": 3})", 1, 8192},
      {R"({"layer_types": ["full_attention", "chunked_attention", "full_attention",
           "full_attention"], "no_rope_layers": [1, 1, 1, 1]})",
       3, 8192},
  }));
  CAPTURE(c.changes);
  std::int64_t global = 0;
  for (const LayerGroup& group : read(read_llama4, c.changes).layers) {
    const auto& mixer = std::get<Attention>(group.mixer);
    CHECK_FALSE(mixer.window);
    if (!mixer.chunk) global += group.count;
    if (mixer.chunk) CHECK(*mixer.chunk == c.chunk);
  }
  CHECK(global == c.global);
}

TEST_CASE("gpt-oss has windows on every other layer from the first on", "[spec]") {
  const Answer given = answer(read_gpt_oss, R"({"sliding_window": 16})");
  REQUIRE(given.model.layers.size() == 2);
  const auto& first = std::get<Attention>(given.model.layers[0].mixer);
  CHECK(first.window == 16);
  CHECK(first.qkv_bias);
  CHECK(first.output_bias);
  CHECK(given.model.layers[0].count == 2);
  CHECK_FALSE(std::get<Attention>(given.model.layers[1].mixer).window);
  CHECK_THAT(given.defaults,
             VectorContains(std::string("attention_bias is absent: true, the family's default")));
  const Model listed = read(read_gpt_oss, R"({"sliding_window": 16, "layer_types":
      ["full_attention", "full_attention", "sliding_attention", "full_attention"]})");
  CHECK(listed.layers.at(0).count == 3);
}

TEST_CASE("A window of Mixtral or PhiMoE holds for every layer", "[spec]") {
  const auto reader = GENERATE(read_mixtral, read_phimoe);
  const Model model = read(reader, R"({"sliding_window": 16})");
  REQUIRE(model.layers.size() == 1);
  CHECK(std::get<Attention>(model.layers[0].mixer).window == 16);
}

TEST_CASE("Layers of Hunyuan may differ in their experts", "[spec]") {
  const Model model = read(read_hunyuan_v1_moe, R"({"moe_topk": [1, 2, 2, 3],
      "moe_intermediate_size": [24, 24, 24, 32], "num_shared_expert": [1, 1, 1, 2],
      "intermediate_size": 56})");
  REQUIRE(model.layers.size() == 3);
  CHECK(model.layers[1].count == 2);
  const auto& last = std::get<Experts>(model.layers[2].feed_forward);
  CHECK(last.per_token == 3);
  CHECK(last.width == 32);
  CHECK(last.shared_width == 112);
}

TEST_CASE("Dense relatives read as gated decoders", "[spec]") {
  // biases of q, k, v, o 120, of the MLP 2 x 24 + 40
  CHECK(count_parameters(read(read_ernie4_5, R"({"use_bias": true})")).total() ==
        outside - embedding + 4 * (attention + mlp(24) + norms + 120 + 88));
  CHECK(count_parameters(read(read_hunyuan_v1_dense, R"({"num_experts": 1})")).total() ==
        outside + 4 * (attention + mlp(24) + norms + 16));
}

TEST_CASE("What a sparse family does not know is refused by name", "[spec]") {
  const std::string latent_with = "{" + latent_keys + ", ";
  struct Case {
    Reader reader;
    std::string changes;
    const char* text;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {read_mixtral, R"({"num_experts_per_tok": 9})", "a token passes 9 of 8 experts"},
      {read_mixtral, R"({"num_experts": null})", "num_local_experts"},
      {read_mixtral, R"({"num_key_value_heads": null})", "num_key_value_heads"},
      {read_qwen2_moe, R"({"moe_intermediate_size": 24})", "shared_expert_intermediate_size"},
      {read_qwen3_moe, R"({"moe_intermediate_size": 24, "head_dim": null})", "head_dim"},
      {read_qwen3_moe, R"({"moe_intermediate_size": 24, "use_sliding_window": true})",
       "use_sliding_window"},
      {read_qwen3_moe, R"({"moe_intermediate_size": 24, "shared_expert_intermediate_size": 8})",
       "other than 0"},
      {read_qwen3_moe, R"({"moe_intermediate_size": 24, "mlp_only_layers": [4]})", "out of range"},
      {read_qwen3_moe,
       R"({"moe_intermediate_size": 24, "decoder_sparse_step": 2, "intermediate_size": null})",
       "intermediate_size"},
      {read_deepseek_v3, latent_with + R"("index_topk": 64})", "index_topk"},
      {read_deepseek_v3, latent_with + R"("attention_bias": true})", "attention_bias"},
      {read_deepseek_v3, latent_with + R"("topk_method": "best"})", "unknown topk_method 'best'"},
      {read_deepseek_v32, "{}", "DeepSeek V3.2"},
      {read_gpt_oss, "{}", "sliding_window"},
      {read_gpt_oss, R"({"sliding_window": 16, "layer_types": ["full_attention"]})",
       "1 entries for 4 layers"},
      {read_llama4, R"({"layer_types": ["a", "a", "a", "a"]})", "unknown layer type 'a'"},
      {read_llama4, R"({"no_rope_layers": [1, 1, 2, 0]})", "out of range"},
      {read_minimax_m2, R"({"attn_type_list": [1, 1, 1, 0]})", "out of range"},
      {read_minimax_m2, R"({"qk_norm_type": "per_head"})", "qk_norm_type"},
      {read_minimax_m2, R"({"shared_intermediate_size": [0, 0, 0, 8]})", "other than 0"},
      {read_ernie4_5_moe, R"({"moe_intermediate_size": 24, "use_bias": true})", "use_bias"},
      {read_ernie4_5_moe, R"({"moe_intermediate_size": [24, 8]})", "moe_intermediate_size"},
      {read_hunyuan_v1_moe, R"({"use_cla": true})", "use_cla"},
      {read_hunyuan_v1_moe, R"({"use_mla": true})", "use_mla"},
      {read_hunyuan_v1_moe, R"({"moe_topk": [3, 3]})", "2 entries for 4 layers"},
      {read_hunyuan_v1_dense, "{}", "num_experts"},
      {read_arctic, R"({"sliding_window": 16})", "sliding_window"},
      {read_dbrx, "{}", "attn_config"},
  }));
  CAPTURE(c.changes);
  CHECK_THAT(refusal(c.reader, c.changes), Contains(c.text));
}
