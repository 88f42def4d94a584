// Environment variables that are an engine's settings.
#include <algorithm>
#include <array>

#include "spec/serving/command_line.hpp"

namespace roofline {

namespace {

constexpr std::string_view llama_prefix = "LLAMA_ARG_";

struct LlamaVariable {
  std::string_view variable;  // behind the prefix
  std::string_view flag;
};
// Where the variable has another name than every spelling of its flag.
constexpr std::array<LlamaVariable, 6> llama_variables{{
    {"BATCH", "batch-size"},
    {"N_PARALLEL", "parallel"},
    {"ROPE_SCALING_TYPE", "rope-scaling"},
    {"SPEC_DRAFT_CACHE_TYPE_K", "cache-type-k-draft"},
    {"SPEC_DRAFT_CACHE_TYPE_V", "cache-type-v-draft"},
    {"UBATCH", "ubatch-size"},
}};

std::string flag_of(std::string_view variable) {
  for (const LlamaVariable& known : llama_variables) {
    if (known.variable == variable) return std::string(known.flag);
  }
  std::string flag(variable);
  for (char& c : flag) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return flag;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// llama.cpp's spellings of a switch.
std::string switch_value(const std::string& text, bool negative) {
  if (negative || is_one_of(text, {"off", "disabled", "false", "0"})) return "false";
  return is_one_of(text, {"on", "enabled", "true", "1"}) ? "true" : text;
}

void read_llama_variable(std::string_view variable, const PlacedWord& value, Launch& launch) {
  const EngineFlags& flags = engine_flags(Engine::llama_cpp);
  const std::string name = flag_of(variable.substr(llama_prefix.size()));
  const EngineFlag* positive = find_flag(flags, name);
  const EngineFlag* flag = positive != nullptr ? positive : find_negative_flag(flags, name);
  const bool is_switch = flag != nullptr && flag->takes == EngineFlag::Takes::nothing;
  launch.settings.push_back(
      {.name = flag == nullptr ? name : flag->name,
       .written = std::string(variable),
       .values = {is_switch ? switch_value(value.text, positive == nullptr) : value.text},
       .known = flag != nullptr,
       .unresolved = value.unresolved,
       .place = value.place});
}

bool belongs_to(Engine engine, std::string_view variable) {
  switch (engine) {
    case Engine::llama_cpp:
      return false;
    case Engine::sglang:
      return variable.starts_with("SGLANG_");
    case Engine::tensorrt_llm:
      return variable.starts_with("TRTLLM_") || variable.starts_with("TLLM_");
    case Engine::vllm:
      return variable.starts_with("VLLM_");
  }
  return false;
}

}  // namespace

void read_environment(Engine engine, std::string_view variable, const PlacedWord& value,
                      Launch& launch) {
  if (engine == Engine::llama_cpp && variable.starts_with(llama_prefix)) {
    return read_llama_variable(variable, value, launch);
  }
  if (!belongs_to(engine, variable)) return;
  launch.surroundings.push_back({.name = std::string(variable),
                                 .written = std::string(variable),
                                 .values = {value.text},
                                 .unresolved = value.unresolved,
                                 .place = value.place});
}

}  // namespace roofline
