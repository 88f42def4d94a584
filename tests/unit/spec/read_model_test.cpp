// config.json to Model: parameters, windows and defaults of each family, and what is impossible.
#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "roofline/error.hpp"
#include "roofline/model.hpp"

using namespace roofline;
using Catch::Matchers::Contains;
using nlohmann::json;
using Strings = std::vector<std::string>;

namespace {

/// h 64, V 100, 3 layers, 4 heads of 16 that share 2 K/V heads, m 96; then `changes`, where null
/// takes a key away.
json config(const std::string& model_type, const std::string& changes = "{}") {
  json result = json::parse(R"({
    "hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 96, "max_position_embeddings": 4096,
    "torch_dtype": "bfloat16"})");
  result["model_type"] = model_type;
  result.merge_patch(json::parse(changes));
  return result;
}

Model read(const json& root) {
  return read_model(root.dump(), "m.json");
}

Diagnostic refusal(const json& root) {
  try {
    (void)read(root);
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

/// Embedding, lm_head, the layers' matrices, vectors (biases and norms).
using Parts = std::array<std::int64_t, 4>;
Parts parts(const Model& model) {
  const auto& count = count_parameters(model).parts;
  return {count[Part::embedding], count[Part::lm_head], count[Part::mixer] + count[Part::mlp],
          count[Part::vectors]};
}

const Attention& attention(const Model& model) {
  return std::get<Attention>(model.layers.at(0).mixer);
}
const Mlp& mlp(const Model& model) {
  return std::get<Mlp>(model.layers.at(0).feed_forward);
}

/// Count and window of each group of layers; 0: full attention.
using Windows = std::vector<std::pair<std::int64_t, std::int64_t>>;
Windows windows(const Model& model) {
  Windows result;
  for (const LayerGroup& group : model.layers) {
    result.emplace_back(group.count, std::get<Attention>(group.mixer).window.value_or(0));
  }
  return result;
}

}  // namespace

// Embedding V h = 6400. A layer: q and o 2 x 64 x 64, k and v 2 x 64 x 32, MLP 3 x 64 x 96: 30,720.
// Norms: 2 h a layer and h behind the last.
TEST_CASE("Gated families count as their formulas say", "[spec]") {
  const auto [family, changes, expected] = GENERATE(table<std::string, std::string, Parts>({
      {"llama", "{}", {6400, 6400, 92160, 448}},
      // 4 K/V heads: k and v as large as q and o
      {"llama", R"({"num_key_value_heads": null})", {6400, 6400, 104448, 448}},
      {"llama", R"({"num_key_value_heads": 1})", {6400, 6400, 86016, 448}},
      {"llama", R"({"tie_word_embeddings": true})", {6400, 0, 92160, 448}},
      // H d = 128 beside h = 64: q and o 2 x 64 x 128, k and v 2 x 64 x 64
      {"llama", R"({"head_dim": 32})", {6400, 6400, 129024, 448}},
      {"llama", R"({"head_dim": null})", {6400, 6400, 92160, 448}},
      // biases of a layer: q, k, v 64 + 2 x 32, o 64; gate, up and down 2 x 96 + 64
      {"llama", R"({"attention_bias": true})", {6400, 6400, 92160, 1024}},
      {"llama", R"({"mlp_bias": true})", {6400, 6400, 92160, 1216}},
      {"mistral", "{}", {6400, 6400, 92160, 448}},
      {"mistral", R"({"head_dim": 32})", {6400, 6400, 129024, 448}},
      {"mistral", R"({"tie_word_embeddings": true})", {6400, 0, 92160, 448}},
      // q, k, v biases though no key says so: 128 a layer
      {"qwen2", "{}", {6400, 6400, 92160, 832}},
      {"qwen2", R"({"tie_word_embeddings": true})", {6400, 0, 92160, 832}},
      // norms of head_dim on queries and keys: 2 x 32 a layer more
      {"qwen3", R"({"head_dim": 32})", {6400, 6400, 129024, 640}},
      {"qwen3", R"({"head_dim": 32, "attention_bias": true})", {6400, 6400, 129024, 1600}},
      {"qwen3", R"({"head_dim": 16, "tie_word_embeddings": true})", {6400, 0, 92160, 544}},
      {"gemma", R"({"head_dim": 32, "num_key_value_heads": 1})", {6400, 0, 116736, 448}},
      {"gemma", R"({"head_dim": 16, "tie_word_embeddings": false})", {6400, 6400, 92160, 448}},
      // four norms a layer
      {"gemma2", R"({"head_dim": 32, "sliding_window": 4096})", {6400, 0, 129024, 832}},
      {"phi3", "{}", {6400, 6400, 92160, 448}},
      {"phi3", R"({"tie_word_embeddings": true})", {6400, 0, 92160, 448}},
      {"phi3", R"({"num_key_value_heads": null})", {6400, 6400, 104448, 448}},
  }));
  CAPTURE(family, changes);
  const Model model = read(config(family, changes));
  CHECK(model.family == family);
  CHECK(parts(model) == expected);
  CHECK(model.tied_embeddings == (expected[1] == 0));
  CHECK(layer_count(model) == 3);
  CHECK(mlp(model).gated);
}

// (V + P) h embedding, 12 h^2 + 13 h a layer (9 h of it biases and 4 h norms), 2 h at the end.
TEST_CASE("GPT-2 has learned positions and all biases and is tied by default", "[spec]") {
  const json gpt2 = json::parse(R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 3,
    "n_positions": 50, "n_ctx": 50, "vocab_size": 100, "n_inner": null})");
  const Model model = read(gpt2);
  CHECK(parts(model) == Parts{9600, 0, 147456, 2624});
  CHECK(count_parameters(model).total() == 100 * 64 + 50 * 64 + 3 * (12 * 4096 + 13 * 64) + 128);
  CHECK(model.learned_positions == 50);
  CHECK(model.max_context == 50);
  CHECK(attention(model).kv_heads == 4);
  CHECK_FALSE(mlp(model).gated);

  json wide = gpt2;
  wide["n_inner"] = 96;  // MLP 2 x 64 x 96, biases 3 h + h + 96 + h
  CHECK(parts(read(wide)) == Parts{9600, 0, 3 * (4 * 4096 + 2 * 64 * 96), 3 * (5 * 64 + 96) + 896});

  json crossed = gpt2;
  crossed["add_cross_attention"] = true;
  CHECK_THAT(refusal(crossed).what, Contains("'add_cross_attention'"));

  json untied = gpt2;
  untied["tie_word_embeddings"] = false;
  CHECK(parts(read(untied)) == Parts{9600, 6400, 147456, 2624});
}

// (V + P + 2) h, a layer 4 h^2 + 4 h + 2 h F + F + h + 4 h with F = 200, and 2 h.
TEST_CASE("OPT has two more positions and all biases", "[spec]") {
  const std::string opt_keys = R"({"max_position_embeddings": 50, "ffn_dim": 200,
    "word_embed_proj_dim": 64, "num_key_value_heads": null, "intermediate_size": null})";
  const json opt = config("opt", opt_keys);
  const Model model = read(opt);
  CHECK(parts(model) == Parts{9728, 0, 125952, 2456});
  CHECK(model.learned_positions == 52);
  CHECK(model.max_context == 50);

  json other = opt;
  other["tie_word_embeddings"] = false;
  CHECK(parts(read(other)) == Parts{9728, 6400, 125952, 2456});
  other["enable_bias"] = false;
  CHECK(parts(read(other)) == Parts{9728, 6400, 125952, 896});

  other = opt;
  other["word_embed_proj_dim"] = 32;
  CHECK(refusal(other).what == "'word_embed_proj_dim': differs from hidden_size");
  other = opt;
  other["do_layer_norm_before"] = false;
  CHECK(refusal(other).what == "'do_layer_norm_before': is false");
  other = opt;
  other.erase("ffn_dim");
  CHECK(refusal(other).what == "needs 'ffn_dim'");
}

// MLP 8 h^2, LayerNorms of 2 h; by architecture 1 or 2 a layer, and 1, K or H K/V heads.
TEST_CASE("Falcon takes K/V heads and norms from its flags", "[spec]") {
  const std::string bare = R"({"num_key_value_heads": null, "intermediate_size": null})";
  const auto [changes, kv_heads, expected] = GENERATE(table<std::string, std::int64_t, Parts>({
      {R"({"new_decoder_architecture": true, "num_kv_heads": 2, "multi_query": true})",
       2,
       {6400, 0, 135168, 896}},
      {R"({"new_decoder_architecture": true, "n_head_kv": 2})", 2, {6400, 0, 135168, 896}},
      {R"({"new_decoder_architecture": true, "num_kv_heads": 2, "num_ln_in_parallel_attn": 1})",
       2,
       {6400, 0, 135168, 512}},
      // old: one shared K/V head and one norm unless the flags say otherwise
      {"{}", 1, {6400, 0, 129024, 512}},
      {R"({"new_decoder_architecture": false, "multi_query": true})", 1, {6400, 0, 129024, 512}},
      {R"({"num_kv_heads": 4})", 1, {6400, 0, 129024, 512}},  // ignored by the old one
      {R"({"multi_query": false, "parallel_attn": false})", 4, {6400, 0, 147456, 896}},
      // biases: q, k, v 3 h, o h, up 4 h, down h
      {R"({"multi_query": false, "parallel_attn": false, "bias": true,
           "tie_word_embeddings": false})",
       4,
       {6400, 6400, 147456, 2624}},
      {R"({"num_hidden_layers": null, "n_layer": 3, "num_attention_heads": null, "n_head": 4})",
       1,
       {6400, 0, 129024, 512}},
      {R"({"ffn_hidden_size": 128})", 1, {6400, 0, 79872, 512}},
  }));
  CAPTURE(changes);
  json falcon = config("falcon", bare);
  falcon.merge_patch(json::parse(changes));
  const Model model = read(falcon);
  CHECK(parts(model) == expected);
  CHECK(attention(model).kv_heads == kv_heads);
  CHECK_FALSE(mlp(model).gated);
}

TEST_CASE("The new Falcon must give its K/V heads", "[spec]") {
  CHECK(refusal(config("falcon", R"({"new_decoder_architecture": true})")).what ==
        "needs 'num_kv_heads' or 'n_head_kv'");
}

// From the checkpoints' published totals.
TEST_CASE("Real configs count to the published digit", "[spec]") {
  const auto [text, parameters, cache] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      // Meta-Llama-3-8B; 131,072 bytes of 16-bit cache a token
      {R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
           "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
           "vocab_size": 128256})",
       8'030'261'248, 65'536},
      // gpt2
      {R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
           "vocab_size": 50257})",
       124'439'808, 18'432},
      // gemma-2b
      {R"({"model_type": "gemma", "hidden_size": 2048, "num_hidden_layers": 18,
           "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256,
           "intermediate_size": 16384, "vocab_size": 256000})",
       2'506'172'416, 9'216},
  }));
  const Model model = read(json::parse(text));
  CHECK(count_parameters(model).total() == parameters);
  CHECK(kv_elements_per_token(model) == cache);
}

TEST_CASE("The cache grows by keys and values of every layer", "[spec]") {
  // 2 x K d a layer: window layers hold them too.
  CHECK(kv_elements_per_token(read(config("llama"))) == 3 * 2 * 2 * 16);
  CHECK(kv_elements_per_token(read(config("mistral", R"({"sliding_window": 8})"))) == 192);
  CHECK(kv_elements_per_token(read(config("gemma2", R"({"head_dim": 32, "sliding_window": 8})"))) ==
        384);
}

TEST_CASE("Layers with the same window form a group", "[spec]") {
  const auto [family, changes, expected] = GENERATE(table<std::string, std::string, Windows>({
      {"llama", R"({"sliding_window": null})", {{3, 0}}},
      {"mistral", "{}", {{3, 0}}},
      {"mistral", R"({"sliding_window": null})", {{3, 0}}},
      {"mistral", R"({"sliding_window": 4096})", {{3, 4096}}},
      {"phi3", R"({"sliding_window": 2047})", {{3, 2047}}},
      {"phi3", "{}", {{3, 0}}},
      // even layers: 0 and 2
      {"gemma2", R"({"head_dim": 16, "sliding_window": 4096})", {{2, 4096}, {1, 0}}},
      {"gemma2",
       R"({"head_dim": 16, "sliding_window": 4096, "num_hidden_layers": 4})",
       {{2, 4096}, {2, 0}}},
      {"gemma2",
       R"({"head_dim": 16, "sliding_window": 4096, "num_hidden_layers": 1})",
       {{1, 4096}}},
      // Qwen: only with use_sliding_window, from max_window_layers on
      {"qwen2", R"({"sliding_window": 4096, "max_window_layers": 1})", {{3, 0}}},
      {"qwen2",
       R"({"use_sliding_window": false, "sliding_window": 4096, "max_window_layers": 1})",
       {{3, 0}}},
      {"qwen2",
       R"({"use_sliding_window": true, "sliding_window": 4096, "max_window_layers": 1})",
       {{1, 0}, {2, 4096}}},
      {"qwen2",
       R"({"use_sliding_window": true, "sliding_window": 4096, "max_window_layers": 0})",
       {{3, 4096}}},
      {"qwen2",
       R"({"use_sliding_window": true, "sliding_window": 4096, "max_window_layers": 3})",
       {{3, 0}}},
      {"qwen3",
       R"({"head_dim": 16, "use_sliding_window": true, "sliding_window": 512,
           "max_window_layers": 2})",
       {{2, 0}, {1, 512}}},
      // layer_types says it for each layer
      {"qwen2",
       R"({"use_sliding_window": true, "sliding_window": 4096, "max_window_layers": 0,
           "layer_types": ["full_attention", "sliding_attention", "full_attention"]})",
       {{2, 0}, {1, 4096}}},
      {"qwen3",
       R"({"head_dim": 16, "layer_types": ["full_attention", "full_attention",
           "full_attention"]})",
       {{3, 0}}},
      {"gemma2",
       R"({"head_dim": 16, "sliding_window": 128, "layer_types": ["full_attention",
           "sliding_attention", "sliding_attention"]})",
       {{1, 0}, {2, 128}}},
      {"mistral",
       R"({"sliding_window": 128, "layer_types": ["full_attention", "full_attention",
           "sliding_attention"]})",
       {{2, 0}, {1, 128}}},
  }));
  CAPTURE(family, changes);
  CHECK(windows(read(config(family, changes))) == expected);
}

TEST_CASE("Layers of all groups are counted and differ only in the window", "[spec]") {
  const Model model =
      read(config("gemma2", R"({"head_dim": 32, "sliding_window": 4096, "num_hidden_layers": 5})"));
  CHECK(layer_count(model) == 5);
  REQUIRE(model.layers.size() == 2);
  LayerGroup full = model.layers[0];
  std::get<Attention>(full.mixer).window.reset();
  full.count = 2;
  CHECK(full == model.layers[1]);
}

TEST_CASE("Windows that are not said are refused", "[spec]") {
  const auto [family, changes, what] = GENERATE(table<std::string, std::string, std::string>({
      {"gemma2", R"({"head_dim": 16})", "needs 'sliding_window'"},
      {"qwen2", R"({"use_sliding_window": true, "max_window_layers": 1})",
       "needs 'sliding_window'"},
      {"qwen2", R"({"use_sliding_window": true, "sliding_window": 4096})",
       "needs 'max_window_layers'"},
      {"mistral", R"({"sliding_window": 0})", "'sliding_window': 0 is out of range"},
      {"mistral", R"({"sliding_window": -1})", "'sliding_window': -1 is out of range"},
      {"qwen3",
       R"({"head_dim": 16, "layer_types": ["sliding_attention", "full_attention",
           "full_attention"]})",
       "'0': sliding_attention needs 'sliding_window'"},
      {"qwen3", R"({"head_dim": 16, "layer_types": ["full_attention", "full_attention"]})",
       "'layer_types': has 2 entries for 3 layers"},
      {"qwen3", R"({"head_dim": 16, "layer_types": []})",
       "'layer_types': has 0 entries for 3 layers"},
      {"qwen3",
       R"({"head_dim": 16, "layer_types": ["full_attention", "linear_attention",
           "full_attention"]})",
       "'1': unknown layer type 'linear_attention'"},
      {"qwen3", R"({"head_dim": 16, "layer_types": "full_attention"})",
       "'layer_types': expected a list"},
  }));
  CAPTURE(family, changes);
  CHECK_THAT(refusal(config(family, changes)).what, Contains(what));
}

TEST_CASE("A default that changes the size is noted or refused", "[spec]") {
  const std::string no_kv_heads = R"({"num_key_value_heads": null, "head_dim": 16})";
  // Llama's and Phi-3's class default is as many K/V heads as heads.
  for (const std::string family : {"llama", "phi3"}) {
    const Model model = read(config(family, no_kv_heads));
    CHECK(attention(model).kv_heads == 4);
    CHECK(model.defaults == Strings{"tie_word_embeddings is absent: false, the family's default",
                                    "num_key_value_heads is absent: 4, the family's default"});
  }
  CHECK(read(config("llama", R"({"tie_word_embeddings": false})")).defaults.empty());
  // The others' class default is a number that has nothing to do with the file.
  for (const std::string family : {"mistral", "qwen2", "qwen3", "gemma", "gemma2"}) {
    CAPTURE(family);
    json without = config(family, no_kv_heads);
    if (family == "gemma2") without["sliding_window"] = 128;
    CHECK(refusal(without).what == "needs 'num_key_value_heads'");
  }
  for (const std::string family : {"qwen3", "gemma", "gemma2"}) {
    CAPTURE(family);
    CHECK(refusal(config(family, R"({"sliding_window": 128})")).what == "needs 'head_dim'");
  }
}

TEST_CASE("What a family does not know is refused", "[spec]") {
  const auto [family, key, value] = GENERATE(table<std::string, std::string, std::string>({
      {"phi3", "attention_bias", "true"},
      {"phi3", "mlp_bias", "true"},
      {"phi3", "lm_head_bias", "true"},
      {"mistral", "attention_bias", "true"},
      {"mistral", "mlp_bias", "true"},
      {"qwen2", "mlp_bias", "true"},
      {"qwen3", "mlp_bias", "true"},
      {"llama", "sliding_window", "1024"},
      // A mixture of experts, a latent cache, another modality: not a dense decoder.
      {"llama", "num_local_experts", "8"},
      {"qwen2", "num_experts", "60"},
      {"llama", "kv_lora_rank", "512"},
      {"mistral", "ssm_state_size", "16"},
      {"gemma", "sliding_window", "4096"},
  }));
  CAPTURE(family, key);
  const bool needs_head_dim = family == "qwen3" || family == "gemma";
  json changed = config(family, needs_head_dim ? R"({"head_dim": 16})" : "{}");
  changed[key] = json::parse(value);
  CHECK(refusal(changed).what == "'" + key + "': is not known in family " + family);
  changed[key] = nullptr;
  CHECK_NOTHROW(read(changed));
}

TEST_CASE("A key that the family needs is asked for", "[spec]") {
  const std::string key = GENERATE("model_type", "hidden_size", "vocab_size", "num_hidden_layers",
                                   "num_attention_heads", "intermediate_size");
  json without = config("llama");
  without.erase(key);
  CHECK_THAT(refusal(without).what,
             Catch::Matchers::StartsWith("needs '") && Contains("'" + key + "'"));
  without[key] = nullptr;
  CHECK_THAT(refusal(without).what, Contains("'" + key + "'"));
}

TEST_CASE("Impossible values are refused with their key", "[spec]") {
  const auto [changes, what] = GENERATE(table<std::string, std::string>({
      {R"({"hidden_size": 0})", "'hidden_size': 0 is out of range"},
      {R"({"hidden_size": -64})", "'hidden_size': -64 is out of range"},
      {R"({"hidden_size": 64.5})", "'hidden_size': 64.5 is not a whole number"},
      {R"({"hidden_size": "64"})", "'hidden_size': expected a whole number, found a string"},
      {R"({"hidden_size": true})", "'hidden_size': expected a whole number, found a truth value"},
      {R"({"hidden_size": [64]})", "'hidden_size': expected a whole number, found a list"},
      {R"({"hidden_size": 1000001})", "'hidden_size': 1000001 is out of range"},
      {R"({"hidden_size": 1e18})", "'hidden_size': 1e+18 is out of range"},
      {R"({"hidden_size": 18446744073709551615})", "is out of range"},
      {R"({"vocab_size": 0})", "'vocab_size': 0 is out of range"},
      {R"({"vocab_size": 100000001})", "'vocab_size': 100000001 is out of range"},
      {R"({"num_hidden_layers": 0})", "'num_hidden_layers': 0 is out of range"},
      {R"({"num_hidden_layers": 10001})", "'num_hidden_layers': 10001 is out of range"},
      {R"({"intermediate_size": 0})", "'intermediate_size': 0 is out of range"},
      {R"({"intermediate_size": 10000001})", "'intermediate_size': 10000001 is out of range"},
      {R"({"intermediate_size": [96, 96, 96]})", "'intermediate_size': expected a whole number"},
      {R"({"num_attention_heads": 0})", "'num_attention_heads': 0 is out of range"},
      {R"({"num_attention_heads": 5})", "hidden_size 64 is not divisible by 5 attention heads"},
      {R"({"num_key_value_heads": 0})", "'num_key_value_heads': 0 is out of range"},
      {R"({"num_key_value_heads": 3})", "4 attention heads cannot share 3 K/V heads"},
      {R"({"num_key_value_heads": 8})", "4 attention heads cannot share 8 K/V heads"},
      {R"({"head_dim": 0})", "'head_dim': 0 is out of range"},
      {R"({"head_dim": 1000001})", "'head_dim': 1000001 is out of range"},
      {R"({"head_dim": 1000000, "num_attention_heads": 1000000, "num_key_value_heads": 1})",
       "1000000 heads of 1000000 elements are out of range"},
      {R"({"max_position_embeddings": 0})", "'max_position_embeddings': 0 is out of range"},
      {R"({"tie_word_embeddings": "true"})", "'tie_word_embeddings': expected true or false"},
      {R"({"attention_bias": 1})", "'attention_bias': expected true or false"},
      {R"({"model_type": 5})", "'model_type': expected a string"},
  }));
  CAPTURE(changes);
  CHECK_THAT(refusal(config("llama", changes)).what, Contains(what));
}

// h 1e6, V 1e8, 1e4 layers of 1e6 heads of 10 without sharing, m 1e7: the sum is below 2^63.
TEST_CASE("The largest model that is read is counted without overflow", "[spec]") {
  const Model model = read(config("llama", R"({"hidden_size": 1000000, "vocab_size": 100000000,
    "num_hidden_layers": 10000, "num_attention_heads": 1000000, "num_key_value_heads": 1000000,
    "head_dim": 10, "intermediate_size": 10000000, "max_position_embeddings": 1000000000})"));
  CHECK(parts(model) ==
        Parts{100'000'000'000'000, 100'000'000'000'000, 700'000'000'000'000'000, 20'001'000'000});
  CHECK(count_parameters(model).total() == 700'200'020'001'000'000);
}

TEST_CASE("Thousands of layers that all differ are refused", "[spec]") {
  json widths = json::array();
  for (int i = 1; i <= 400; ++i) widths.push_back(i);
  json gemma3n = config("gemma3n_text", R"({"num_hidden_layers": 400, "head_dim": 16,
    "num_kv_shared_layers": 0, "sliding_window": 8, "vocab_size_per_layer_input": 100,
    "hidden_size_per_layer_input": 4, "altup_num_inputs": 4, "laurel_rank": 2})");
  gemma3n["intermediate_size"] = widths;
  gemma3n["layer_types"] = json::array();
  for (int i = 0; i < 400; ++i) gemma3n["layer_types"].push_back("full_attention");
  CHECK_THAT(refusal(gemma3n).what, Contains("more than 300 kinds of layers"));
}

TEST_CASE("A whole number may be written with a point", "[spec]") {
  CHECK(read(config("llama", R"({"hidden_size": 64.0, "vocab_size": 1e2})")) ==
        read(config("llama")));
}

TEST_CASE("Keys that say nothing about the size are left alone", "[spec]") {
  CHECK(read(config("llama", R"({"rope_theta": 1e6, "bos_token_id": [1, 2], "hidden_act": "silu",
    "architectures": ["LlamaForCausalLM"], "rms_norm_eps": 1e-05})")) == read(config("llama")));
}

TEST_CASE("The number format is the one that the file says", "[spec]") {
  const auto [changes, type] = GENERATE(table<std::string, MatrixType>({
      {R"({"torch_dtype": "bfloat16"})", MatrixType::bf16},
      {R"({"torch_dtype": "float16"})", MatrixType::fp16},
      {R"({"torch_dtype": "half"})", MatrixType::fp16},
      {R"({"torch_dtype": "float32"})", MatrixType::fp32},
      {R"({"torch_dtype": "float"})", MatrixType::fp32},
      {R"({"torch_dtype": "torch.float16"})", MatrixType::fp16},
      {R"({"torch_dtype": null, "dtype": "float16"})", MatrixType::fp16},
  }));
  CAPTURE(changes);
  const Model model = read(config("llama", changes));
  CHECK(model.published_format == plain_format(type));
  CHECK_FALSE(model.format_assumed);
}

TEST_CASE("A file without a number format is taken as bf16 and says so", "[spec]") {
  const Model model = read(config("llama", R"({"torch_dtype": null})"));
  CHECK(model.published_format == plain_format(MatrixType::bf16));
  CHECK(model.format_assumed);
}

TEST_CASE("An unknown number format is refused", "[spec]") {
  CHECK(refusal(config("llama", R"({"torch_dtype": "int8"})")).what ==
        "'torch_dtype': unknown number format 'int8'");
  CHECK_THAT(refusal(config("llama", R"({"dtype": "float16"})")).what, Contains("contradicts"));
  CHECK(refusal(config("llama", R"({"torch_dtype": 16})")).what ==
        "'torch_dtype': expected a string, found a number");
}

TEST_CASE("The context is what the file says or unknown", "[spec]") {
  CHECK(read(config("llama")).max_context == 4096);
  CHECK_FALSE(read(config("llama", R"({"max_position_embeddings": null})")).max_context);
  CHECK(read(config("llama", R"({"max_position_embeddings": null, "seq_length": 8192})"))
            .max_context == 8192);
}

TEST_CASE("An unknown family is refused", "[spec]") {
  const Diagnostic diagnostic = refusal(config("mixtrall", R"({"num_local_experts": 8})"));
  CHECK(diagnostic.what == "'model_type': unknown model family 'mixtrall'");
  CHECK(diagnostic.suggestions.at(0) == "mixtral");
  CHECK(refusal(config("LLAMA")).suggestions.at(0) == "llama");
}

TEST_CASE("A family with the shape of Llama is computed as such only where that is asked for",
          "[spec]") {
  const json unknown = config("newcomer", R"({"rms_norm_eps": 1e-5})");
  const Diagnostic diagnostic = refusal(unknown);
  CHECK(diagnostic.what == "'model_type': unknown model family 'newcomer'");
  CHECK_THAT(diagnostic.why, Contains("shape of family llama"));
  CHECK_THAT(diagnostic.fix, Contains("--assume llama"));

  const ReadOptions options{.assume = "llama"};
  const Model model = read_model(unknown.dump(), "m.json", options);
  CHECK(count_parameters(model) == count_parameters(read(config("llama"))));
  CHECK(model.family == "newcomer");
  REQUIRE(model.warnings.size() == 1);
  CHECK_THAT(model.warnings.front(), Contains("newcomer") && Contains("llama"));

  // With keys that Llama has not, there is nothing to assume.
  json other = unknown;
  other["kv_lora_rank"] = 512;
  CHECK_THAT(refusal(other).fix, !Contains("--assume"));
  CHECK_THROWS_AS(read_model(other.dump(), "m.json", options), Error);
  other = unknown;
  other.erase("intermediate_size");
  CHECK_THROWS_AS(read_model(other.dump(), "m.json", options), Error);
  CHECK_THROWS_AS(read_model(unknown.dump(), "m.json", {.assume = "mistral"}), Error);
  // A known family is never taken for another.
  CHECK(read_model(config("mistral").dump(), "m.json", options) == read(config("mistral")));
}

TEST_CASE("Keys that are not understood are named in every answer", "[spec]") {
  const Model model = read(config("llama", R"({"frobnication": 3, "wibble": "on", "off": false,
    "none": null, "zero": 0, "rope_theta": 1e6, "pad_token_id": 0})"));
  REQUIRE(model.warnings.size() == 1);
  CHECK_THAT(model.warnings.front(), Contains("frobnication, wibble"));
  CHECK_THAT(model.warnings.front(), !Contains("off") && !Contains("zero") && !Contains("rope"));
  CHECK(read(config("llama")).warnings.empty());
}

TEST_CASE("A nested decoder is read with the file's own keys behind it", "[spec]") {
  json nested;
  nested["model_type"] = "llava";
  nested["vision_config"] = {{"hidden_size", 1024}};
  nested["tie_word_embeddings"] = true;
  nested["torch_dtype"] = "float16";
  nested["text_config"] = config("llama", R"({"torch_dtype": null})");
  const Model model = read(nested);
  CHECK(model.family == "llama");
  CHECK(model.tied_embeddings);
  CHECK(model.published_format == plain_format(MatrixType::fp16));
  CHECK(parts(model)[2] == 92160);
  REQUIRE(model.left_out.size() == 1);
  CHECK_THAT(model.left_out.front(), Contains("vision tower") && Contains("text decoder"));

  json wrapped;
  wrapped["published"] = {{"parameters", 1000}, {"tower_parameters", 1234}};
  wrapped["config"] = nested;
  CHECK_THAT(read(wrapped).left_out.front(), Contains("1,234 parameters"));
}

TEST_CASE("Infinity and NaN are read as Python writes them and are no numbers", "[spec]") {
  std::string text = config("llama").dump();
  text.insert(1, R"("time_step_limit": [0.0, Infinity], "a_eps": -Infinity, "b_eps": NaN,
                    "c_eps": "Infinity NaN",)");
  CHECK(parts(read_model(text, "m.json")) == parts(read(config("llama"))));
  for (const std::string literal : {"Infinity", "-Infinity", "NaN"}) {
    const std::string counted = R"({"model_type": "llama", "hidden_size": )" + literal + "}";
    CHECK_THROWS_WITH(read_model(counted, "m.json"),
                      "'hidden_size': expected a whole number, found a string");
  }
}

TEST_CASE("Keys around a nested decoder that would change it are refused", "[spec]") {
  json nested;
  nested["model_type"] = "llava";
  nested["text_config"] = config("llama");
  nested["is_encoder_decoder"] = false;
  nested["image_seq_length"] = 576;
  CHECK_NOTHROW(read(nested));
  for (const char* key : {"is_encoder_decoder", "num_experts", "kv_lora_rank"}) {
    json changed = nested;
    changed[key] = true;
    CHECK_THAT(refusal(changed).what, Contains(key));
  }
}

TEST_CASE("A hybrid family without state layers needs no sizes of them", "[spec]") {
  const std::string attention_alone = R"({"num_local_experts": 0, "shared_intermediate_size": 96,
    "tie_word_embeddings": true, "layer_types": ["attention", "attention", "attention"])";
  const Model bare = read(config("granitemoehybrid", attention_alone + "}"));
  CHECK(parts(bare) == Parts{6400, 0, 92160, 448});
  CHECK(state_size(bare) == StateSize{});
  // 48 heads of 32 are not 2 x 64 channels, and do not matter.
  const Model kept = read(config("granitemoehybrid", attention_alone + R"(, "mamba_n_heads": 48,
    "mamba_d_head": 32, "mamba_d_state": 16, "mamba_expand": 2, "mamba_d_conv": 4})"));
  CHECK(kept == bare);
}

TEST_CASE("A nested family that is not known is named", "[spec]") {
  json nested;
  nested["model_type"] = "qwen2_vl";
  nested["text_config"] = config("qwen9_text");
  const Model model = read(nested);
  CHECK(model.family == "qwen2_vl");
  REQUIRE(model.warnings.size() == 1);
  CHECK_THAT(model.warnings.front(), Contains("qwen9_text"));
}

TEST_CASE("Encoders are not taken for Llama", "[spec]") {
  for (const char* key : {"type_vocab_size", "num_key_value_heads_per_layer", "block_configs"}) {
    json other = config("newcomer");
    other[key] = 2;
    CHECK_THAT(refusal(other).fix, !Contains("--assume"));
    CHECK_THROWS_AS(read_model(other.dump(), "m.json", {.assume = "llama"}), Error);
  }
}

TEST_CASE("A message has the place of the value", "[spec]") {
  try {
    (void)read_model("{\n  \"model_type\": \"llama\",\n  \"hidden_size\": 0\n}", "dir/m.json");
    FAIL("a hidden size of 0 was read");
  } catch (const Error& error) {
    CHECK(error.diagnostics().at(0).where == "dir/m.json:3:18");
  }
}

TEST_CASE("Text that is no config is refused", "[spec]") {
  CHECK(refusal(json::array()).what == "expected an object, found a list");
  CHECK(refusal(json::object()).what == "needs 'model_type'");
  CHECK(refusal(json("llama")).what == "expected an object, found a string");
  CHECK_THROWS_WITH(read_model("", "m.json"), "the file is empty");
  CHECK_THROWS_WITH(read_model("{\"model_type\": \"llama\", \"model_type\": \"gpt2\"}", "m.json"),
                    "key 'model_type' stands twice in one object");
}

TEST_CASE("A bare config is named after its file or its directory", "[spec]") {
  const auto [file, name] = GENERATE(table<std::string, std::string>({
      {"llama.json", "llama"},
      {"/models/llama-3.1-8b.json", "llama-3.1-8b"},
      {"/models/Llama-3-8B/config.json", "Llama-3-8B"},
      {"models/my.model/config.json", "my.model"},
      {"config.json", "config"},
      {"./config.json", "config"},
      {"stdin", "stdin"},
  }));
  CHECK(read_model(config("llama").dump(), file).name == name);
}

TEST_CASE("A wrapped config brings its own name and metadata", "[spec]") {
  const json wrapped = {{"name", "my-model"},
                        {"aliases", {"mine", "My/Model"}},
                        {"hf_id", "My/Model"},
                        {"published",
                         {{"parameters", 99008},
                          {"exact", true},
                          {"stored_elements", 100000},
                          {"source", "model card"}}},
                        {"source", "config.json"},
                        {"source_kind", "config file read"},
                        {"notes", "small"},
                        {"config", config("llama")}};
  const Model model = read(wrapped);
  CHECK(model.name == "my-model");
  CHECK(model.aliases == Strings{"mine", "My/Model"});
  CHECK(model.source == "config.json");
  CHECK(model.notes == "small");
  CHECK(model.published ==
        PublishedCount{.parameters = 99008, .exact = true, .source = "model card"});
  Model bare = read(config("llama"));
  CHECK(bare.name == "m");
  CHECK(bare.layers == model.layers);
  CHECK_FALSE(bare.published);

  CHECK(read(json{{"config", config("llama")}}).name == "m");
}

TEST_CASE("A wrapper is refused where its metadata is wrong", "[spec]") {
  const auto [changes, what] = GENERATE(table<std::string, std::string>({
      {R"({"alias": ["x"]})", "'alias': unknown key"},
      {R"({"name": 5})", "'name': expected a string"},
      {R"({"aliases": "x"})", "'aliases': expected a list"},
      {R"({"published": {"exact": true}})", "'published': needs 'parameters'"},
      {R"({"published": {"parameters": 0}})", "'parameters': 0 is out of range"},
      {R"({"published": {"parameters": 1, "exakt": true}})", "'exakt': unknown key"},
      {R"({"config": {}})", "needs 'model_type'"},
      {R"({"config": 5})", "'config': expected an object"},
  }));
  CAPTURE(changes);
  json wrapped = {{"name", "x"}, {"config", config("llama")}};
  const json changed = json::parse(changes);
  for (const auto& [key, value] : changed.items()) wrapped[key] = value;
  CHECK_THAT(refusal(wrapped).what, Contains(what));
}
