// Small configs of dense families for tests, all dimensions different, and the parts of a count.
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/model.hpp"

namespace roofline::dense_config {

using nlohmann::json;

// h 70, V 103, 3 layers, 10 heads of 7 that share 5 K/V heads, m 13.
inline constexpr std::int64_t layers = 3;
inline constexpr std::int64_t table_size = 103 * 70;
inline constexpr std::int64_t grouped = 70 * 70 + 2 * 70 * 35 + 70 * 70;  // q, k and v, o
inline constexpr std::int64_t multi_head = 4 * 70 * 70;
inline constexpr std::int64_t one_kv_head = 70 * 70 + 2 * 70 * 7 + 70 * 70;
inline constexpr std::int64_t gated = 3 * 70 * 13;
inline constexpr std::int64_t plain = 2 * 70 * 13;
inline constexpr std::int64_t four_hidden = 2 * 70 * 280;
inline constexpr std::int64_t grouped_bias = 70 + 2 * 35;
inline constexpr std::int64_t multi_head_bias = 3 * 70;

inline json config(const std::string& model_type, const std::string& changes = "{}") {
  json result = json::parse(R"({
    "hidden_size": 70, "vocab_size": 103, "num_hidden_layers": 3, "num_attention_heads": 10,
    "num_key_value_heads": 5, "intermediate_size": 13, "max_position_embeddings": 31,
    "torch_dtype": "bfloat16"})");
  result["model_type"] = model_type;
  result.merge_patch(json::parse(changes));
  return result;
}

/// The keys of GPT-2 and its kin: no K/V heads, no intermediate_size.
inline json gpt_config(const std::string& model_type, const std::string& changes = "{}") {
  json result = json::parse(R"({"n_embd": 70, "vocab_size": 103, "n_layer": 3, "n_head": 10,
    "torch_dtype": "float16"})");
  result["model_type"] = model_type;
  result.merge_patch(json::parse(changes));
  return result;
}

inline Model read(const json& root) {
  return read_model(root.dump(), "m.json");
}

inline std::string refusal(const json& root) {
  try {
    (void)read(root);
  } catch (const Error& error) {
    return error.diagnostics().at(0).what;
  }
  return {};
}

/// Embedding, lm_head, mixer, mlp, vectors.
using Parts = std::array<std::int64_t, 5>;
inline Parts parts(const Model& model) {
  const PerPart<std::int64_t> count = count_parameters(model).parts;
  CHECK(count[Part::experts] + count[Part::shared_experts] + count[Part::router] == 0);
  return {count[Part::embedding], count[Part::lm_head], count[Part::mixer], count[Part::mlp],
          count[Part::vectors]};
}

/// Count and window of each group of layers; 0: full attention.
using Windows = std::vector<std::pair<std::int64_t, std::int64_t>>;
inline Windows windows(const Model& model) {
  Windows result;
  for (const LayerGroup& group : model.layers) {
    result.emplace_back(group.count, std::get<Attention>(group.mixer).window.value_or(0));
  }
  return result;
}

inline bool notes_default(const Model& model, const std::string& text) {
  for (const std::string& line : model.defaults) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace roofline::dense_config
