// Programs and images that are engines of a kind that is not judged here.
#include <array>

#include "spec/serving/placed_commands.hpp"

namespace roofline {
namespace {

struct NamedEngine {
  std::string_view mark;
  std::string_view name;
};
constexpr std::array<NamedEngine, 6> programs{{
    {"lmdeploy", "LMDeploy"},
    {"mlc_llm", "MLC LLM"},
    {"ollama", "Ollama"},
    {"text-embeddings-router", "Text Embeddings Inference"},
    {"text-generation-launcher", "TGI"},
    {"tritonserver", "Triton Inference Server"},
}};
constexpr std::array<NamedEngine, 5> images{{
    {"lmdeploy", "LMDeploy"},
    {"ollama/ollama", "Ollama"},
    {"text-embeddings-inference", "Text Embeddings Inference"},
    {"text-generation-inference", "TGI"},
    {"tritonserver", "Triton Inference Server"},
}};

}  // namespace

std::optional<std::string_view> unsupported_program(std::string_view word) {
  for (const NamedEngine& engine : programs) {
    if (engine.mark == word) return engine.name;
  }
  return std::nullopt;
}

std::optional<std::string_view> unsupported_image(std::string_view image) {
  for (const NamedEngine& engine : images) {
    if (image.find(engine.mark) != std::string_view::npos) return engine.name;
  }
  return std::nullopt;
}

}  // namespace roofline
