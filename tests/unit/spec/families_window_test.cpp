// Families without experts whose layers differ: windows, Gemma 3's defaults, Gemma 3n's shared
// caches.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/dense_config.hpp"

using namespace roofline;
using namespace roofline::dense_config;
using Catch::Matchers::Contains;

TEST_CASE("Cohere's context is the longer of two keys", "[spec]") {
  CHECK(read(config("cohere", R"({"model_max_length": 131072})")).max_context == 131072);
  CHECK(read(config("cohere", R"({"model_max_length": 7})")).max_context == 31);
  CHECK(read(config("cohere")).max_context == 31);
}

TEST_CASE("Windows of families whose layers differ", "[spec]") {
  const std::string eight = R"("num_hidden_layers": 8)";
  const std::string listed = R"("layer_types": ["sliding_attention", "full_attention",
    "sliding_attention"], "sliding_window": 17)";
  const auto [family, keys, expected] = GENERATE_COPY(table<std::string, std::string, Windows>({
      {"starcoder2", R"("sliding_window": 17)", {{3, 17}}},
      {"starcoder2", R"("sliding_window": null)", {{3, 0}}},
      {"mistral3", R"("sliding_window": 17)", {{3, 17}}},
      // three of four, the first three
      {"cohere2", eight, {{6, 4096}, {2, 0}}},
      {"cohere2",
       eight + R"(, "sliding_window": 17, "sliding_window_pattern": 3)",
       {{6, 17}, {2, 0}}},
      {"cohere2",
       eight + R"(, "layer_switch": 2, "order_of_interleaved_layers":
        "local_attn_first")",
       {{4, 4096}, {4, 0}}},
      {"cohere2", listed, {{2, 17}, {1, 0}}},
      {"olmo3", eight, {{6, 4096}, {2, 0}}},
      {"olmo3", listed, {{2, 17}, {1, 0}}},
      {"exaone4", listed + R"(, "sliding_window_pattern": "LLLG")", {{2, 17}, {1, 0}}},
      {"exaone4", R"("sliding_window": null)", {{3, 0}}},
      // SmolLM3: layers without rotary positions, where windows are in use
      {"smollm3", R"("sliding_window": 17, "no_rope_layers": [1, 0, 1])", {{3, 0}}},
      {"smollm3",
       R"("sliding_window": 17, "use_sliding_window": true, "no_rope_layers": [0, 0, 1])",
       {{2, 17}, {1, 0}}},
      {"smollm3",
       eight + R"(, "sliding_window": 17, "use_sliding_window": true)",
       {{6, 0}, {2, 17}}},
      {"smollm3",
       R"("sliding_window": 17, "use_sliding_window": true, "no_rope_layer_interval": 2)",
       {{2, 0}, {1, 17}}},
      {"qwen2_vl",
       R"("sliding_window": 17, "use_sliding_window": true, "max_window_layers": 2)",
       {{2, 0}, {1, 17}}},
      {"qwen2_vl", R"("sliding_window": 17, "max_window_layers": 0)", {{3, 0}}},
      // Gemma 3: every sixth layer is full
      {"gemma3_text", eight, {{7, 4096}, {1, 0}}},
      {"gemma3_text",
       eight + R"(, "sliding_window": 17, "sliding_window_pattern": 2)",
       {{4, 17}, {4, 0}}},
      {"gemma3_text", listed, {{2, 17}, {1, 0}}},
  }));
  CAPTURE(family, keys);
  CHECK(windows(read(config(family, "{" + keys + "}"))) == expected);
}

// q and k norms of d, four norms of h, tied; no key says head_dim, so it is 256 and not h / H.
TEST_CASE("Gemma 3 fills a sparse text_config with its defaults", "[spec]") {
  const json sparse = json::parse(R"({"model_type": "gemma3", "torch_dtype": "bfloat16",
    "text_config": {"model_type": "gemma3_text", "hidden_size": 70, "intermediate_size": 13,
                    "num_hidden_layers": 7, "sliding_window": 17},
    "vision_config": {"hidden_size": 1152}})");
  const Model model = read(sparse);
  CHECK(parts(model) == Parts{262208 * 70, 0, 7 * (2 * 70 * 8 * 256 + 2 * 70 * 4 * 256), 7 * gated,
                              7 * (4 * 70 + 2 * 256) + 70});
  CHECK(windows(model) == Windows{{6, 17}, {1, 0}});
  CHECK(model.max_context == 131072);
  CHECK(kv_elements_per_token(model) == 7 * 2 * 4 * 256);
  for (const char* key : {"vocab_size", "num_attention_heads", "num_key_value_heads", "head_dim",
                          "sliding_window_pattern", "max_position_embeddings"}) {
    CAPTURE(key);
    CHECK(notes_default(model, key));
  }
  CHECK_FALSE(notes_default(model, "hidden_size"));

  json full = sparse;
  full["text_config"].merge_patch(json::parse(R"({"vocab_size": 103, "num_attention_heads": 10,
    "num_key_value_heads": 5, "head_dim": 7, "attention_bias": true, "sliding_window": null,
    "tie_word_embeddings": false})"));
  const Model other = read(full);
  CHECK(parts(other) == Parts{table_size, table_size, 7 * grouped, 7 * gated,
                              7 * (4 * 70 + 2 * 7 + grouped_bias + 70) + 70});
  CHECK(windows(other) == Windows{{6, 4096}, {1, 0}});
  CHECK(notes_default(other, "sliding_window is absent: 4096"));
}

namespace {

/// a 3, r 5, p 2; 11 layers, of which the last 4 have no cache of their own.
json gemma3n(const std::string& changes = "{}") {
  json text = json::parse(R"({"model_type": "gemma3n_text", "hidden_size": 70, "vocab_size": 103,
    "num_hidden_layers": 11, "num_attention_heads": 10, "num_key_value_heads": 5, "head_dim": 7,
    "intermediate_size": [13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 17], "sliding_window": 19,
    "num_kv_shared_layers": 4, "hidden_size_per_layer_input": 2, "altup_num_inputs": 3,
    "laurel_rank": 5, "vocab_size_per_layer_input": 101, "altup_correct_scale": true,
    "activation_sparsity_pattern": [0.95], "final_logit_softcapping": 30.0})");
  text.merge_patch(json::parse(changes));
  return {{"model_type", "gemma3n"}, {"torch_dtype", "bfloat16"}, {"text_config", text}};
}

}  // namespace

// Matrices of a layer besides attention and MLP: h r and r h, h p and p h, h a, a^3, a^2; besides
// the layers h L p and 2 (a - 1) h h. Vectors of a layer: 2 d, four norms, and h four times more.
TEST_CASE("Gemma 3n counts its second table and its small matrices", "[spec]") {
  const Model model = read(gemma3n());
  const std::int64_t extra = 2 * 70 * 5 + 2 * 70 * 2 + 70 * 3 + 27 + 9;
  CHECK(parts(model) == Parts{table_size + 101 * 11 * 2, 0, 11 * grouped,
                              10 * gated + 3 * 70 * 17 + 11 * extra + 70 * 11 * 2 + 2 * 2 * 70 * 70,
                              11 * (2 * 7 + 8 * 70) + 70 + 2});
  CHECK(model.lookup_rows == 101);
  CHECK(model.lookup_width == 22);
  CHECK(model.tied_embeddings);

  const Model plain_width = read(gemma3n(R"({"intermediate_size": 13, "attention_bias": true})"));
  CHECK(parts(plain_width)[3] == parts(model)[3] - 3 * 70 * 4);
  CHECK(parts(plain_width)[4] == parts(model)[4] + 11 * (grouped_bias + 70));
}

// Layers 4 and 9 of 0..10 are full; 7..10 reuse: the full one that of layer 4, the others that
// of 6.
TEST_CASE("Gemma 3n has no cache in the layers that reuse one", "[spec]") {
  const Model model = read(gemma3n());
  std::int64_t reusing = 0;
  std::int64_t full_owners = 0;
  for (const LayerGroup& group : model.layers) {
    const auto& attention = std::get<Attention>(group.mixer);
    if (attention.reuses_cache) reusing += group.count;
    if (!attention.reuses_cache && !attention.window) full_owners += group.count;
    if (attention.window) CHECK(*attention.window == 19);
  }
  CHECK(layer_count(model) == 11);
  CHECK(reusing == 4);
  CHECK(full_owners == 1);
  CHECK(kv_elements_per_token(model) == 7 * 2 * 35);

  CHECK(kv_elements_per_token(read(gemma3n(R"({"num_kv_shared_layers": 0})"))) == 11 * 2 * 35);
  CHECK_THAT(refusal(gemma3n(R"({"num_kv_shared_layers": 8})")),
             Contains("layer 4 has no earlier layer whose K/V it could reuse"));
  CHECK_THAT(refusal(gemma3n(R"({"num_kv_shared_layers": 12})")), Contains("layer 0 has no"));
  // Its default would be 15 of these 11 layers.
  CHECK_THAT(refusal(gemma3n(R"({"num_kv_shared_layers": null})")), Contains("layer 0 has no"));
  CHECK_THAT(refusal(gemma3n(R"({"intermediate_size": [13, 13]})")),
             Contains("has 2 entries for 11 layers"));
  CHECK_THAT(refusal(gemma3n(R"({"altup_num_inputs": 1})")), Contains("out of range"));
  CHECK_THAT(refusal(gemma3n(R"({"hidden_size_per_layer_input": 1000000})")),
             Contains("11 layers of 1000000 per-layer elements are out of range"));
}
