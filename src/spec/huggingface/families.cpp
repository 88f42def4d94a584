#include "spec/huggingface/families.hpp"

#include <array>
#include <string>

namespace roofline::huggingface {
namespace {

constexpr std::array families{Family{"falcon", read_falcon}, Family{"gemma", read_gemma},
                              Family{"gemma2", read_gemma2}, Family{"gpt2", read_gpt2},
                              Family{"llama", read_llama},   Family{"mistral", read_mistral},
                              Family{"opt", read_opt},       Family{"phi3", read_phi3},
                              Family{"qwen2", read_qwen2},   Family{"qwen3", read_qwen3}};

}  // namespace

const Family* find_family(std::string_view model_type) {
  for (const Family& family : families) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families) names.emplace_back(family.model_type);
  return names;
}

}  // namespace roofline::huggingface
