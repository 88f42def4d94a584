// The families that are read: model_type and the function that knows its keys and defaults.
#pragma once

#include <string_view>
#include <vector>

#include "roofline/model.hpp"
#include "spec/json_node.hpp"

namespace roofline::huggingface {

struct Family {
  std::string_view model_type;
  Model (*read)(const JsonNode& config);
};

[[nodiscard]] const Family* find_family(std::string_view model_type);
[[nodiscard]] std::vector<std::string> family_names();

[[nodiscard]] Model read_falcon(const JsonNode& config);
[[nodiscard]] Model read_gemma(const JsonNode& config);
[[nodiscard]] Model read_gemma2(const JsonNode& config);
[[nodiscard]] Model read_gpt2(const JsonNode& config);
[[nodiscard]] Model read_llama(const JsonNode& config);
[[nodiscard]] Model read_mistral(const JsonNode& config);
[[nodiscard]] Model read_opt(const JsonNode& config);
[[nodiscard]] Model read_phi3(const JsonNode& config);
[[nodiscard]] Model read_qwen2(const JsonNode& config);
[[nodiscard]] Model read_qwen3(const JsonNode& config);

}  // namespace roofline::huggingface
