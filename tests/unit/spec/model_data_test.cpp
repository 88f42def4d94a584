// The built-in models: all of them load, are named once, have the published number of parameters,
// and the shapes, windows, formats and caches that are known of them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/closest.hpp"
#include "roofline/catalog.hpp"

namespace roofline {
namespace {

using Strings = std::vector<std::string>;

const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    const Catalog catalog;
    std::vector<Diagnostic> warnings;
    std::vector<Model> result;
    for (const CatalogEntry& entry : catalog.list(EntryKind::model, warnings)) {
      result.push_back(read_model(entry.text, entry.name + ".json"));
    }
    return result;
  }();
  return all;
}

TEST_CASE("There are 64 models of ten families", "[spec]") {
  std::map<std::string, int> families;
  for (const Model& model : models()) ++families[model.family];
  CHECK(models().size() == 64);
  CHECK(families == std::map<std::string, int>{{"falcon", 2},
                                               {"gemma", 2},
                                               {"gemma2", 2},
                                               {"gpt2", 2},
                                               {"llama", 25},
                                               {"mistral", 4},
                                               {"opt", 2},
                                               {"phi3", 4},
                                               {"qwen2", 15},
                                               {"qwen3", 6}});
}

TEST_CASE("No name or alias of a model occurs twice", "[spec]") {
  std::map<std::string, std::string> owners;
  for (const Model& model : models()) {
    Strings names = model.aliases;
    names.push_back(model.name);
    for (const std::string& name : names) {
      const auto [owner, added] = owners.emplace(normalized_name(name), model.name);
      if (!added) FAIL_CHECK(name << " names " << owner->second << " and " << model.name);
    }
  }
  CHECK(owners.size() > models().size());
}

TEST_CASE("Every name and alias finds its model", "[spec]") {
  const Catalog catalog;
  for (const Model& model : models()) {
    Strings names = model.aliases;
    names.push_back(model.name);
    for (const std::string& name : names) {
      INFO(name);
      CHECK(catalog.find(EntryKind::model, name).name == model.name);
    }
  }
}

TEST_CASE("Every model has as many parameters as its publisher says", "[spec]") {
  Strings rounded;
  for (const Model& model : models()) {
    INFO(model.name);
    REQUIRE(model.published);
    CHECK_FALSE(model.published->source.empty());
    const std::int64_t counted = count_parameters(model).total();
    if (model.published->exact) {
      CHECK(counted == model.published->parameters);
    } else {
      rounded.push_back(model.name);
      CHECK(static_cast<double>(counted) ==
            Approx(static_cast<double>(model.published->parameters)).epsilon(0.01));
    }
  }
  CHECK(rounded == Strings{"opt-66b"});
}

TEST_CASE("Published parameter counts are met to the last digit", "[spec]") {
  const auto [name, parameters] = GENERATE(table<std::string, std::int64_t>({
      {"gpt2", 124'439'808},
      {"falcon-40b", 41'303'293'952},
      {"gemma-2b", 2'506'172'416},
      {"gemma-7b", 8'537'680'896},
      {"gemma-2-27b", 27'227'128'320},
      {"llama-2-7b", 6'738'415'616},
      {"llama-2-70b", 68'976'648'192},
      {"llama-3-8b", 8'030'261'248},
      {"llama-3-70b", 70'553'706'496},
      {"llama-3.1-405b", 405'853'388'800},
      {"llama-3.2-1b", 1'235'814'400},
      {"llama-3.2-3b", 3'212'749'824},
      {"mistral-7b-v0.1", 7'241'732'096},
      {"mistral-7b-v0.3", 7'248'023'552},
      {"mistral-large-123b", 122'610'069'504},
      {"opt-6.7b", 6'658'473'984},
      {"opt-66b", 65'719'701'504},
      {"phi-3-medium-4k", 13'960'238'080},
      {"phi-4", 14'659'507'200},
      {"qwen2.5-7b", 7'615'616'512},
      {"qwen2.5-72b", 72'706'203'648},
      {"qwen3-8b", 8'190'735'360},
      {"smollm2-1.7b", 1'711'376'384},
      {"yi-34b", 34'388'917'248},
      {"llama-65b", 65'285'660'672},
  }));
  INFO(name);
  CHECK(count_parameters(Catalog().model(name)).total() == parameters);
}

TEST_CASE("Llama 3 70B has its reference parts", "[spec]") {
  const ParameterCount count = count_parameters(Catalog().model("llama-3-70b"));
  CHECK(count.embedding == 128'256LL * 8192);
  CHECK(count.lm_head == 128'256LL * 8192);
  CHECK(count.embedding + count.lm_head + count.layers == 70'552'387'584);
  CHECK(count.norms == 161 * 8192);
  CHECK(count.biases == 0);
  CHECK(count.total() == 70'553'706'496);
}

TEST_CASE("Tied tables count once and biases where the family has them", "[spec]") {
  const auto [name, lm_head, biases] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      {"gemma-2b", 0, 0},
      {"qwen2.5-0.5b", 0, 24 * (896 + 2 * 128)},
      {"qwen2.5-7b", 152'064LL * 3584, 28 * (3584 + 2 * 512)},
      {"qwen3-8b", 151'936LL * 4096, 0},
      // qkv 3 h, output h, MLP 4 h + h.
      {"gpt2", 0, 12 * 9 * 768},
  }));
  INFO(name);
  const ParameterCount count = count_parameters(Catalog().model(name));
  CHECK(count.lm_head == lm_head);
  CHECK(count.biases == biases);
}

TEST_CASE("A token takes as much cache as is known of each model", "[spec]") {
  // Elements, of which each takes two bytes in 16 bits: 2 x layers x K/V heads x head size.
  const auto [name, elements] = GENERATE(table<std::string, std::int64_t>({
      {"llama-2-7b", 524'288 / 2},
      {"llama-2-70b", 327'680 / 2},
      {"llama-3-8b", 131'072 / 2},
      {"llama-3-70b", 327'680 / 2},
      {"llama-3.1-405b", 516'096 / 2},
      {"falcon-40b", 122'880 / 2},
      {"mistral-7b-v0.1", 131'072 / 2},
      {"gemma-2b", 2 * 18 * 1 * 256},
      {"gemma-2-27b", 2 * 46 * 16 * 128},
      {"gpt2", 2 * 12 * 12 * 64},
      {"phi-3-mini-4k", 2 * 32 * 32 * 96},
      {"qwen2.5-7b", 2 * 28 * 4 * 128},
      {"qwen3-0.6b", 2 * 28 * 8 * 128},
      {"opt-66b", 2 * 64 * 72 * 128},
      {"tinyllama-1.1b", 2 * 22 * 4 * 64},
  }));
  INFO(name);
  CHECK(kv_elements_per_token(Catalog().model(name)) == elements);
}

TEST_CASE("Well-known models have their well-known shapes", "[spec]") {
  struct Shape {
    const char* name;
    std::int64_t layers, hidden, heads, kv_heads, head_dim, mlp, vocabulary;
    bool gated, tied;
  };
  const Shape shape =
      GENERATE(Shape{"llama-2-7b", 32, 4096, 32, 32, 128, 11008, 32000, true, false},
               Shape{"llama-3.1-8b", 32, 4096, 32, 8, 128, 14336, 128256, true, false},
               Shape{"llama-3-70b", 80, 8192, 64, 8, 128, 28672, 128256, true, false},
               Shape{"llama-3.1-405b", 126, 16384, 128, 8, 128, 53248, 128256, true, false},
               Shape{"llama-3.2-1b", 16, 2048, 32, 8, 64, 8192, 128256, true, true},
               Shape{"mistral-7b-v0.1", 32, 4096, 32, 8, 128, 14336, 32000, true, false},
               Shape{"mistral-small-24b", 40, 5120, 32, 8, 128, 32768, 131072, true, false},
               Shape{"gemma-2b", 18, 2048, 8, 1, 256, 16384, 256000, true, true},
               Shape{"gemma-2-2b", 26, 2304, 8, 4, 256, 9216, 256000, true, true},
               Shape{"qwen2.5-72b", 80, 8192, 64, 8, 128, 29568, 152064, true, false},
               Shape{"qwen3-0.6b", 28, 1024, 16, 8, 128, 3072, 151936, true, true},
               Shape{"gpt2", 12, 768, 12, 12, 64, 3072, 50257, false, true},
               Shape{"gpt2-xl", 48, 1600, 25, 25, 64, 6400, 50257, false, true},
               Shape{"falcon-40b", 60, 8192, 128, 8, 64, 32768, 65024, false, true},
               Shape{"opt-6.7b", 32, 4096, 32, 32, 128, 16384, 50272, false, true},
               Shape{"phi-4", 40, 5120, 40, 10, 128, 17920, 100352, true, false});
  INFO(shape.name);
  const Model model = Catalog().model(shape.name);
  const LayerGroup& layer = model.layers.front();
  CHECK(layer_count(model) == shape.layers);
  CHECK(model.hidden_size == shape.hidden);
  CHECK(layer.attention.query_heads == shape.heads);
  CHECK(layer.attention.kv_heads == shape.kv_heads);
  CHECK(layer.attention.head_dim == shape.head_dim);
  CHECK(layer.mlp.width == shape.mlp);
  CHECK(layer.mlp.gated == shape.gated);
  CHECK(model.vocabulary == shape.vocabulary);
  CHECK(model.tied_embeddings == shape.tied);
}

TEST_CASE("Windows are those that the models use", "[spec]") {
  // Layers with a window, and its tokens.
  std::map<std::string, std::map<std::int64_t, std::int64_t>> windows;
  for (const Model& model : models()) {
    for (const LayerGroup& group : model.layers) {
      if (group.attention.window) windows[model.name][*group.attention.window] += group.count;
    }
  }
  CHECK(windows == std::map<std::string, std::map<std::int64_t, std::int64_t>>{
                       {"gemma-2-2b", {{4096, 13}}},
                       {"gemma-2-27b", {{4096, 23}}},
                       {"mistral-7b-v0.1", {{4096, 32}}},
                       {"phi-3-medium-4k", {{2047, 40}}},
                       {"phi-3-mini-4k", {{2047, 32}}},
                       {"phi-4-mini", {{262'144, 32}}}});
}

TEST_CASE("Models are in the formats that they are published in", "[spec]") {
  const auto [name, element, assumed] = GENERATE(table<std::string, MatrixType, bool>({
      {"llama-2-7b", MatrixType::fp16, false},
      {"llama-3.1-8b", MatrixType::bf16, false},
      {"gemma-2-27b", MatrixType::fp32, false},
      {"opt-66b", MatrixType::fp16, false},
      {"gpt2", MatrixType::bf16, true},
  }));
  INFO(name);
  const Model model = Catalog().model(name);
  CHECK(model.published_format.element == element);
  CHECK(model.format_assumed == assumed);
  CHECK_FALSE(model.quantization);
}

TEST_CASE("Quantised files have their bits and cover what they do", "[spec]") {
  const auto [name, bits, element, rounds] = GENERATE(table<std::string, double, MatrixType, bool>({
      {"qwen2.5-7b-instruct-awq", 4 + 16.0 / 128 + 4.0 / 128, MatrixType::int4, false},
      {"qwen2.5-32b-instruct-gptq-int4", 4 + 16.0 / 128 + 4.0 / 128, MatrixType::int4, false},
      {"llama-3.1-8b-w4a16-compressed-tensors", 4 + 16.0 / 128, MatrixType::int4, false},
      {"llama-3.1-8b-fp8-compressed-tensors", 8, MatrixType::fp8, true},
      {"llama-3-8b-bnb-4bit", 4 + 8.0 / 64 + 32.0 / 16384, MatrixType::bf16, false},
  }));
  INFO(name);
  const Model model = Catalog().model(name);
  REQUIRE(model.quantization);
  CHECK(model.quantization->bits == Approx(bits).epsilon(1e-12));
  CHECK(model.quantization->element == element);
  CHECK(model.quantization->rounds_activations == rounds);
  CHECK(model.quantization->coverage == Coverage::layers);
}

TEST_CASE("Every model's dimensions make sense", "[spec]") {
  for (const Model& model : models()) {
    INFO(model.name);
    CHECK_FALSE(model.source.empty());
    CHECK(model.hidden_size % 64 == 0);
    CHECK(model.vocabulary >= 30'000);
    CHECK(model.vocabulary <= 300'000);
    // Falcon's files do not say it.
    CHECK(model.max_context.has_value() == (model.family != "falcon"));
    CHECK(model.max_context.value_or(1024) >= 1024);
    for (const LayerGroup& group : model.layers) {
      const Attention& attention = group.attention;
      CHECK(attention.query_heads % attention.kv_heads == 0);
      CHECK(attention.head_dim >= 64);
      CHECK(attention.head_dim <= 256);
      CHECK(group.mlp.width > model.hidden_size);
      CHECK(group.mlp.width <= 8 * model.hidden_size);
    }
  }
}

}  // namespace
}  // namespace roofline
