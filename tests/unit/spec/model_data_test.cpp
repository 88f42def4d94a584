// The built-in models: all of them load, are named once, have the published number of parameters,
// and the shapes, windows, formats and caches that are known of them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
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

TEST_CASE("There are 138 models of 44 families", "[spec]") {
  std::set<std::string> families;
  for (const Model& model : models()) families.insert(model.family);
  CHECK(models().size() == 138);
  CHECK(families.size() == 44);
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
    const std::int64_t published = model.published->parameters;
    if (model.published->exact) {
      const bool with_towers = counted + model.published->tower_parameters == published;
      CHECK((counted == published || with_towers));
    } else {
      rounded.push_back(model.name);
      CHECK(static_cast<double>(counted) ==
            Approx(static_cast<double>(model.published->parameters)).epsilon(0.01));
    }
  }
  CHECK(rounded == Strings{"arctic-480b", "glm-4.5", "glm-4.5-air", "jamba-1.5-large", "minimax-m2",
                           "mpt-30b", "nemotron-4-340b", "nemotron-h-56b", "opt-66b"});
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
      {"bloom-176b", 176'247'271'424},
      {"gpt-neox-20b", 20'554'567'680},
      {"pythia-6.9b", 6'857'302'016},
      {"llama-4-scout", 107'769'861'120},
      {"mixtral-8x7b", 46'702'792'704},
      {"mixtral-8x22b", 140'620'634'112},
      {"olmo-2-7b", 7'298'617'344},
      {"olmoe-1b-7b", 6'919'161'856},
      {"starcoder2-7b", 7'173'923'840},
      {"internlm2-20b", 19'861'149'696},
      {"mamba-2.8b", 2'768'345'600},
      {"aya-23-8b", 8'028'033'024},
      {"smollm3-3b", 3'075'098'624},
      {"qwen3-30b-a3b", 30'532'122'624},
      {"qwen3-235b-a22b", 235'093'634'560},
      {"qwen3-next-80b-a3b", 79'674'391'296},
      {"gemma-3-1b", 999'885'952},
      {"gemma-3-27b", 27'009'346'304},
      {"phi-2", 2'779'683'840},
      {"deepseek-v2-lite", 15'706'484'224},
      {"deepseek-v2", 235'741'434'880},
      {"deepseek-v3", 671'026'419'200},
      {"gpt-oss-20b", 20'914'757'184},
      {"gpt-oss-120b", 116'829'156'672},
      {"minimax-m1", 456'089'655'296},
      {"minimax-m2", 228'689'764'864},
      {"ernie-4.5-21b-a3b", 21'825'437'888},
      {"granite-3.3-8b", 8'170'864'640},
      {"granite-4.0-h-small", 32'207'337'984},
      {"nemotron-3-nano-30b-a3b", 31'577'937'344},
      {"jamba-1.5-large", 398'555'145'696},
      {"nemotron-4-340b", 341'029'195'776},
      {"nemotron-h-56b", 56'324'350'464},
      {"arctic-480b", 478'584'608'768},
      // files with prediction layers: 358,337,791,296 - 5,539,962,272 and so on
      {"glm-4.5", 352'797'829'024},
      {"glm-4.5-air", 106'852'251'264},
  }));
  INFO(name);
  CHECK(count_parameters(Catalog().model(name)).total() == parameters);
}

TEST_CASE("Llama 3 70B has its reference parts", "[spec]") {
  const ParameterCount count = count_parameters(Catalog().model("llama-3-70b"));
  CHECK(count.parts[Part::embedding] == 128'256LL * 8192);
  CHECK(count.parts[Part::lm_head] == 128'256LL * 8192);
  CHECK(count.total() - count.parts[Part::vectors] == 70'552'387'584);
  CHECK(count.parts[Part::vectors] == 161 * 8192);
  CHECK(count.total() == 70'553'706'496);
}

TEST_CASE("Tied tables count once and biases where the family has them", "[spec]") {
  // Vectors: norms, and biases.
  const auto [name, lm_head, vectors] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      {"gemma-2b", 0, 37 * 2048},
      {"qwen2.5-0.5b", 0, 24 * (896 + 2 * 128) + 49 * 896},
      {"qwen2.5-7b", 152'064LL * 3584, 28 * (3584 + 2 * 512) + 57 * 3584},
      {"qwen3-8b", 151'936LL * 4096, 73 * 4096 + 36 * 2 * 128},
      // qkv 3 h, output h, MLP 4 h + h; LayerNorms of 2 h
      {"gpt2", 0, 12 * 9 * 768 + 25 * 2 * 768},
  }));
  INFO(name);
  const ParameterCount count = count_parameters(Catalog().model(name));
  CHECK(count.parts[Part::lm_head] == lm_head);
  CHECK(count.parts[Part::vectors] == vectors);
}

TEST_CASE("A token takes as much cache as is known of each model", "[spec]") {
  // Elements, of which each takes two bytes in 16 bits: 2 x layers x K/V heads x head size.
  const auto [name, elements] = GENERATE(table<std::string, std::int64_t>({
      {"llama-2-7b", 524'288 / 2},         {"llama-2-70b", 327'680 / 2},
      {"llama-3-8b", 131'072 / 2},         {"llama-3-70b", 327'680 / 2},
      {"llama-3.1-405b", 516'096 / 2},     {"falcon-40b", 122'880 / 2},
      {"mistral-7b-v0.1", 131'072 / 2},    {"gemma-2b", 2 * 18 * 1 * 256},
      {"gemma-2-27b", 2 * 46 * 16 * 128},  {"gpt2", 2 * 12 * 12 * 64},
      {"phi-3-mini-4k", 2 * 32 * 32 * 96}, {"qwen2.5-7b", 2 * 28 * 4 * 128},
      {"qwen3-0.6b", 2 * 28 * 8 * 128},    {"opt-66b", 2 * 64 * 72 * 128},
      {"tinyllama-1.1b", 2 * 22 * 4 * 64}, {"qwen3-32b", 262'144 / 2},
      {"deepseek-v3", 70'272 / 2},         {"gemma-3-27b", 507'904 / 2},
      {"gpt-oss-20b", 49'152 / 2},         {"llama-4-scout", 196'608 / 2},
      {"gemma-3n-e4b", 40'960 / 2},        {"qwen3-next-80b-a3b", 24'576 / 2},
      {"minimax-m1", 40'960 / 2},          {"granite-4.0-h-small", 16'384 / 2},
      {"nemotron-h-56b", 40'960 / 2},      {"mamba-2.8b", 0},
  }));
  INFO(name);
  CHECK(kv_elements_per_token(Catalog().model(name)) == elements);
}

TEST_CASE("A window or chunk bounds what a sequence keeps", "[spec]") {
  // Bytes a token in 16 bits of the layers that keep growing.
  const auto [name, bytes] = GENERATE(table<std::string, std::int64_t>({
      {"gemma-3-27b", 81'920},
      {"gpt-oss-20b", 24'576},
      {"llama-4-scout", 49'152},
      {"mistral-7b-v0.1", 0},
      {"gemma-3n-e4b", 8'192},
      {"llama-3-8b", 131'072},
  }));
  INFO(name);
  constexpr std::int64_t far = 1'000'000;
  std::int64_t growing = 0;
  for (const LayerGroup& group : Catalog().model(name).layers) {
    const std::int64_t more = kept_tokens(group.mixer, far + 1) - kept_tokens(group.mixer, far);
    growing += group.count * kv_elements(group.mixer) * more;
  }
  CHECK(2 * growing == bytes);
}

TEST_CASE("State layers keep a constant state", "[spec]") {
  const auto [name, recurrent, convolution] =
      GENERATE(table<std::string, std::int64_t, std::int64_t>({
          {"qwen3-next-80b-a3b", 18'874'368, 884'736},
          {"minimax-m1", 73'400'320, 0},
          {"granite-4.0-h-small", 37'748'736, 36 * (8192 + 2 * 128) * 3},
          {"nemotron-h-56b", 226'492'416, 54 * (256 * 64 + 2 * 8 * 256) * 3},
          {"mamba-2.8b", 5'242'880, 64 * 5120 * 3},
          {"jamba-1.5-large", 63 * 16384 * 16, 63 * 16384 * 3},
          {"llama-3-8b", 0, 0},
      }));
  INFO(name);
  const Model model = Catalog().model(name);
  CHECK(state_size(model) == StateSize{recurrent, convolution});
}

TEST_CASE("Active parameters are those that one token passes", "[spec]") {
  const auto [name, active] = GENERATE(table<std::string, std::int64_t>({
      {"mixtral-8x7b", 12'879'925'248},
      // with both tables; 36.63e9 without the input's, 3.61e9 for gpt-oss
      {"deepseek-v3", 671'026'419'200 - 58 * 248 * 44'040'192LL},
      {"gpt-oss-20b", 3'608'307'264 + 201'088LL * 2880},
      // 45.94e9 without both
      {"minimax-m1", 45'944'920'064 + 2 * 200'064LL * 6144},
      {"llama-3-8b", 8'030'261'248},
  }));
  INFO(name);
  CHECK(count_parameters(Catalog().model(name)).active() == active);
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
  const auto& attention = std::get<Attention>(layer.mixer);
  const auto& mlp = std::get<Mlp>(layer.feed_forward);
  CHECK(attention.query_heads == shape.heads);
  CHECK(attention.kv_heads == shape.kv_heads);
  CHECK(attention.head_dim == shape.head_dim);
  CHECK(mlp.width == shape.mlp);
  CHECK(mlp.gated == shape.gated);
  CHECK(model.vocabulary == shape.vocabulary);
  CHECK(model.tied_embeddings == shape.tied);
}

TEST_CASE("Windows are those that the models use", "[spec]") {
  // Layers with a window, and its tokens.
  std::map<std::string, std::map<std::int64_t, std::int64_t>> windows;
  for (const Model& model : models()) {
    for (const LayerGroup& group : model.layers) {
      const auto* attention = std::get_if<Attention>(&group.mixer);
      if (attention != nullptr && attention->window) {
        windows[model.name][*attention->window] += group.count;
      }
    }
  }
  CHECK(windows == std::map<std::string, std::map<std::int64_t, std::int64_t>>{
                       {"gemma-2-2b", {{4096, 13}}},
                       {"gemma-2-27b", {{4096, 23}}},
                       {"gemma-3-1b", {{512, 22}}},
                       {"gemma-3-4b", {{1024, 29}}},
                       {"gemma-3-27b", {{1024, 52}}},
                       {"gemma-3n-e2b", {{512, 24}}},
                       {"gemma-3n-e4b", {{512, 28}}},
                       {"gpt-oss-120b", {{128, 18}}},
                       {"gpt-oss-20b", {{128, 12}}},
                       {"mistral-7b-v0.1", {{4096, 32}}},
                       {"phi-3-medium-4k", {{2047, 40}}},
                       {"phi-3-mini-4k", {{2047, 32}}},
                       {"phi-3.5-moe", {{131'072, 32}}},
                       {"phi-4-mini", {{262'144, 32}}},
                       {"starcoder2-7b", {{4096, 32}}},
                       {"starcoder2-15b", {{4096, 40}}}});
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
  CHECK_FALSE(model.stored);
}

TEST_CASE("Quantised files have their bits and cover what they do", "[spec]") {
  const auto [name, part, bits, element,
              rounds] = GENERATE(table<std::string, Part, double, MatrixType, bool>({
      {"qwen2.5-7b-instruct-awq", Part::mlp, 4 + 16.0 / 128 + 4.0 / 128, MatrixType::int4, false},
      {"llama-3.1-8b-w4a16-compressed-tensors", Part::mlp, 4 + 16.0 / 128, MatrixType::int4, false},
      {"llama-3-8b-bnb-4bit", Part::mlp, 4 + 8.0 / 64 + 32.0 / 16384, MatrixType::bf16, false},
      {"deepseek-v3", Part::experts, 8 + 32.0 / 16384, MatrixType::fp8, true},
      {"minimax-m2", Part::experts, 8 + 32.0 / 16384, MatrixType::fp8, true},
      {"gpt-oss-20b", Part::experts, 4.25, MatrixType::fp4, false},
  }));
  INFO(name);
  const Model model = Catalog().model(name);
  REQUIRE(model.stored);
  REQUIRE(model.stored->parts[part]);
  CHECK(model.stored->parts[part]->bits == Approx(bits).epsilon(1e-12));
  CHECK(model.stored->parts[part]->element == element);
  CHECK(model.stored->parts[part]->rounds_activations == rounds);
  CHECK_FALSE(model.stored->parts[Part::embedding]);
  CHECK_FALSE(model.stored->parts[Part::lm_head]);
  CHECK_FALSE(model.stored->parts[Part::vectors]);
}

TEST_CASE("Only gpt-oss's experts are in mxfp4", "[spec]") {
  const Model model = Catalog().model("gpt-oss-20b");
  REQUIRE(model.stored);
  CHECK_FALSE(model.stored->parts[Part::mixer]);
  CHECK_FALSE(model.stored->parts[Part::router]);
  const ParameterCount count = count_parameters(model);
  // The published file: 19,110,297,600 at 17/32 bytes and the rest at 2.
  CHECK(count.parts[Part::experts] == 19'110'297'600);
  CHECK(count.total() - count.parts[Part::experts] == 1'804'459'584);
}

TEST_CASE("Every model's dimensions make sense", "[spec]") {
  const std::set<std::string> without_context{"falcon-40b", "falcon-180b", "bloom-176b",
                                              "mamba-2.8b"};
  for (const Model& model : models()) {
    INFO(model.name);
    CHECK_FALSE(model.source.empty());
    CHECK(model.hidden_size % 64 == 0);
    CHECK(model.vocabulary >= 30'000);
    CHECK(model.vocabulary <= 300'000);
    CHECK(model.max_context.has_value() != without_context.contains(model.name));
    CHECK(model.max_context.value_or(1024) >= 1024);
    for (const LayerGroup& group : model.layers) {
      const auto* attention = std::get_if<Attention>(&group.mixer);
      if (attention != nullptr) {
        CHECK(attention->query_heads % attention->kv_heads == 0);
        CHECK(attention->head_dim >= 64);
        CHECK(attention->head_dim <= 256);
      }
      const auto* mlp = std::get_if<Mlp>(&group.feed_forward);
      if (mlp != nullptr) {
        CHECK(mlp->width > model.hidden_size);
        CHECK(mlp->width <= 10 * model.hidden_size);
      }
    }
  }
}

}  // namespace
}  // namespace roofline
