#include "analysis/check/precision_of_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/closest.hpp"

namespace roofline {
namespace {

using Words = std::vector<std::pair<std::string_view, std::string_view>>;

/// An engine's word, and the catalogue's; "" leaves it to the model.
const Words wide_words{{"auto", ""},     {"half", "fp16"},  {"float16", "fp16"},
                       {"fp16", "fp16"}, {"f16", "fp16"},   {"bfloat16", "bf16"},
                       {"bf16", "bf16"}, {"float", "fp32"}, {"float32", "fp32"},
                       {"fp32", "fp32"}, {"f32", "fp32"}};

const Words cache_words{{"fp8", "fp8"},
                        {"fp8_e4m3", "fp8"},
                        {"fp8_e5m2", "fp8-e5m2"},
                        {"fp8_inc", "fp8"},
                        {"fp8_per_token_head", "fp8"},
                        {"int8", "int8"},
                        {"int8_per_token_head", "int8"},
                        {"nvfp4", "nvfp4"},
                        {"fp4_e2m1", "mxfp4"},
                        {"fp4", "nvfp4"},
                        {"q8_0", "q8-0"},
                        {"q4_0", "q4-0"},
                        {"q4_1", "q4-1"},
                        {"q5_0", "q5-0"},
                        {"q5_1", "q5-1"},
                        {"iq4_nl", "iq4-nl"}};

/// Quantisations that engines make of a 16-bit checkpoint while they load it.
const Words loading_words{{"fp8", "fp8"},          {"w8a8_fp8", "fp8"}, {"fp8_per_tensor", "fp8"},
                          {"bitsandbytes", "nf4"}, {"mxfp8", "mxfp8"},  {"FP8", "fp8"}};

const std::string_view* find_word(const Words& words, std::string_view word) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const auto& entry) { return entry.first == word; });
  return found == words.end() ? nullptr : &found->second;
}

[[noreturn]] void refuse(const Given<std::string>& word, const ServingPlan& plan,
                         std::initializer_list<const Words*> lists) {
  std::vector<std::string> known;
  for (const Words* list : lists) {
    for (const auto& entry : *list) known.emplace_back(entry.first);
  }
  throw Error(Diagnostic{.what = fmt::format("{}: '{}' is no type that {} has", word.written,
                                             word.value, to_string(plan.engine)),
                         .where = to_string(word.place.value_or(plan.place)),
                         .fix = fmt::format("{}: auto", word.written),
                         .suggestions = closest(word.value, known)});
}

/// 576 bytes of a latent in fp8, its rotary part in bf16 and scales: 656 bytes for 576 elements
/// (DeepSeek V3.2).
NumberFormat latent_fp8(const Catalog& catalog) {
  NumberFormat format = catalog.format("fp8");
  format.name = "fp8_ds_mla";
  format.bits = 8.0 * 656 / 576;
  return format;
}

std::optional<NumberFormat> wide_format(const Given<std::string>& word, const ServingPlan& plan,
                                        const Catalog& catalog) {
  if (word.value.empty()) return std::nullopt;
  const std::string_view* name = find_word(wide_words, word.value);
  if (name != nullptr && name->empty()) return std::nullopt;
  if (name != nullptr) return catalog.format(*name);
  if (word.written == "weight-dtype") return catalog.format(word.value);
  refuse(word, plan, {&wide_words});
}

[[noreturn]] void refuse_quantization(const ServingPlan& plan, const Model& model) {
  const Given<std::string>& asked = plan.quantization;
  throw Error(Diagnostic{
      .what = fmt::format("{}: {} needs a checkpoint that is quantised so, and {} is not",
                          asked.written, asked.value, model.name),
      .where = to_string(asked.place.value_or(plan.place)),
      .why = "its bytes are in the config.json of the quantised model",
      .fix = "--model DIR, with the config.json of the model that is served"});
}

/// The format that most tensors of a GGUF file of that type have: "Q4_K_M" is mostly Q4_K.
std::optional<NumberFormat> file_format(const std::string& type, const Catalog& catalog) {
  const std::string_view* wide = find_word(wide_words, normalized_name(type));
  std::string name = wide == nullptr ? normalized_name(type) : std::string(*wide);
  for (int parts = 0; parts < 2; ++parts) {
    try {
      return catalog.format(name);
    } catch (const Error&) {
      name.erase(std::min(name.rfind('-'), name.size()));
    }
  }
  return std::nullopt;
}

/// What is done to the weights while they are loaded; none: the checkpoint says.
std::optional<NumberFormat> loading_format(const ServingPlan& plan, const Model& model,
                                           const Catalog& catalog) {
  const std::string& asked = plan.quantization.value;
  if (asked.empty() || asked == "None" || asked == "none" || asked == "auto" || model.stored) {
    return std::nullopt;
  }
  if (plan.engine == Engine::llama_cpp) return file_format(asked, catalog);
  const std::string_view* name = find_word(loading_words, asked);
  if (name == nullptr) refuse_quantization(plan, model);
  return catalog.format(*name);
}

}  // namespace

std::optional<NumberFormat> cache_format(const Given<std::string>& word, const ServingPlan& plan,
                                         const Catalog& catalog) {
  if (word.value.empty()) return std::nullopt;
  if (word.value == "fp8_ds_mla") return latent_fp8(catalog);
  for (const Words* words : {&wide_words, &cache_words}) {
    const std::string_view* name = find_word(*words, word.value);
    if (name == nullptr) continue;
    if (name->empty()) return std::nullopt;
    return catalog.format(*name);
  }
  refuse(word, plan, {&wide_words, &cache_words});
}

PrecisionRequest precision_of(const ServingPlan& plan, const Model& model, const Catalog& catalog) {
  PrecisionRequest request;
  ErrorCollector errors;
  errors.collect([&] {
    const std::optional<NumberFormat> wide = wide_format(plan.dtype, plan, catalog);
    if (!wide) return;
    if (model.stored && wide->for_activations) {
      request.activations = wide;
    } else {
      request.weights = wide;
    }
  });
  errors.collect([&] {
    const std::optional<NumberFormat> loaded = loading_format(plan, model, catalog);
    if (!loaded) return;
    if (request.weights) request.activations = request.weights;
    request.weights = loaded;
  });
  errors.collect([&] { request.kv = cache_format(plan.kv_dtype, plan, catalog); });
  errors.throw_if_any();
  return request;
}

}  // namespace roofline
