// Container images of engines, by the last parts of their names: registries are mirrored.
#include <algorithm>
#include <array>

#include "spec/serving/command_wrappers.hpp"

namespace roofline {

namespace {

struct ImageName {
  std::string_view name;
  Engine engine;
};
constexpr std::array<ImageName, 7> names{{
    {"llama-cpp", Engine::llama_cpp},
    {"llama.cpp", Engine::llama_cpp},
    {"sglang", Engine::sglang},
    {"tensorrt-llm", Engine::tensorrt_llm},
    {"tensorrt_llm", Engine::tensorrt_llm},
    {"trtllm", Engine::tensorrt_llm},
    {"vllm", Engine::vllm},
}};

std::string_view without_digest(std::string_view image) {
  return image.substr(0, image.find('@'));
}

// Behind the last slash: "host:5000/image" has a port, no tag.
std::size_t tag_colon(std::string_view image) {
  const std::size_t slash = image.rfind('/');
  return image.find(':', slash == std::string_view::npos ? 0 : slash);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "0.21.0" of "v0.21.0-cu129" and "v0.21.0rc1"; empty for "latest" and "server-b4719".
std::string version_of(std::string_view tag) {
  if (tag.starts_with('v')) tag.remove_prefix(1);
  std::size_t end = 0;
  std::size_t points = 0;
  while (end < tag.size() && is_digit(tag[end])) {
    while (end < tag.size() && is_digit(tag[end])) ++end;
    if (end + 1 >= tag.size() || tag[end] != '.' || !is_digit(tag[end + 1])) break;
    ++points;
    ++end;
  }
  return points > 0 ? std::string(tag.substr(0, end)) : std::string();
}

std::optional<Engine> engine_of_part(std::string_view part) {
  // A server's companions: vllm-router, sglang-gateway.
  for (const std::string_view other : {"router", "gateway", "operator", "benchmark"}) {
    if (part.find(other) != std::string_view::npos) return std::nullopt;
  }
  for (const ImageName& known : names) {
    const bool fits = part.starts_with(known.name) &&
                      (part.size() == known.name.size() || part[known.name.size()] == '-');
    if (fits) return known.engine;
  }
  return std::nullopt;
}

}  // namespace

std::string_view image_tag(std::string_view image) {
  image = without_digest(image);
  const std::size_t colon = tag_colon(image);
  return colon == std::string_view::npos ? std::string_view() : image.substr(colon + 1);
}

std::optional<EngineImage> engine_of_image(std::string_view image) {
  const std::string_view name = without_digest(image).substr(0, tag_colon(without_digest(image)));
  const std::size_t slash = name.rfind('/');
  std::string_view part = name.substr(slash == std::string_view::npos ? 0 : slash + 1);
  // nvcr.io/nvidia/tensorrt-llm/release
  if (slash != std::string_view::npos && (part == "release" || part == "devel")) {
    const std::string_view above = name.substr(0, slash);
    part = above.substr(above.rfind('/') + 1);
  }
  const std::optional<Engine> engine = engine_of_part(part);
  if (!engine) return std::nullopt;
  // NVIDIA's own builds of vLLM and SGLang have tags of their monthly releases: 25.09-py3.
  const bool monthly = *engine != Engine::tensorrt_llm && name.find("nvcr.io/nvidia/") == 0;
  return EngineImage{.engine = *engine,
                     .version = monthly ? std::string() : version_of(image_tag(image))};
}

}  // namespace roofline
