#include "spec/gguf/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace roofline::gguf {
namespace {

/// Of each `period` blocks one attends everything: the last, or the first. A period of 0: none.
struct Pattern {
  std::int64_t period = 0;
  bool full_first = false;
  /// The window of files that do not say it; 0: such files have none.
  std::int64_t default_window = 0;

  [[nodiscard]] bool is_windowed(std::int64_t block) const {
    if (period == 0) return true;
    return block % period != (full_first ? 0 : period - 1);
  }
};

struct ArchitecturePattern {
  std::string_view architecture;
  Pattern pattern;
};

// As llama.cpp loads them where the file has no pattern of its own.
constexpr std::array patterns{
    ArchitecturePattern{"afmoe", {.period = 4}},
    ArchitecturePattern{"cohere2", {.period = 4}},
    ArchitecturePattern{"exaone-moe", {.period = 4}},
    ArchitecturePattern{"exaone4", {.period = 4}},
    ArchitecturePattern{"gemma2", {.period = 2, .default_window = 4096}},
    ArchitecturePattern{"gemma3", {.period = 6}},
    ArchitecturePattern{"gemma3n", {.period = 5}},
    ArchitecturePattern{"gpt-oss", {.period = 2}},
    ArchitecturePattern{"llama4", {.period = 4}},
    ArchitecturePattern{"olmo2", {.period = 4}},
    ArchitecturePattern{"phi3", {.period = 0}},
    ArchitecturePattern{"phimoe", {.period = 0}},
    ArchitecturePattern{"plamo3", {.period = 8}},
    ArchitecturePattern{"smallthinker", {.period = 4, .full_first = true}},
    ArchitecturePattern{"starcoder2", {.period = 0}},
};

constexpr std::int64_t llama4_chunk = 8192;
constexpr std::string_view window_key = "attention.sliding_window";
constexpr std::string_view pattern_key = "attention.sliding_window_pattern";

const Pattern* find_pattern(std::string_view architecture) {
  const auto* found = std::find_if(
      patterns.begin(), patterns.end(),
      [&](const ArchitecturePattern& known) { return known.architecture == architecture; });
  return found == patterns.end() ? nullptr : &found->pattern;
}

/// A truth value for each block; empty: the file has no pattern.
std::vector<bool> read_pattern(Metadata& metadata, std::int64_t blocks, const Pattern* known) {
  const GgufValue* value = metadata.find(pattern_key);
  if (value == nullptr) return {};
  std::vector<bool> windowed;
  if (value->is_array) {
    for (std::int64_t i = 0; i < blocks; ++i) {
      windowed.push_back(metadata.optional_count_of(pattern_key, i, blocks).value_or(0) != 0);
    }
    return windowed;
  }
  const Pattern pattern{.period = metadata.count(pattern_key, most_blocks, 0),
                        .full_first = known != nullptr && known->full_first};
  for (std::int64_t i = 0; i < blocks; ++i) windowed.push_back(pattern.is_windowed(i));
  return windowed;
}

/// Which blocks have a window; the file's pattern goes before the architecture's.
std::vector<bool> windowed_blocks(Metadata& metadata, std::int64_t blocks) {
  const Pattern* known = find_pattern(metadata.architecture());
  std::vector<bool> windowed = read_pattern(metadata, blocks, known);
  if (!windowed.empty()) return windowed;
  if (known == nullptr) {
    metadata.fail(fmt::format("{} is there, without a pattern", metadata.full(window_key)),
                  fmt::format("which of the blocks of '{}' have the window is not known",
                              metadata.architecture()),
                  fmt::format("add {}", metadata.full(pattern_key)));
  }
  for (std::int64_t i = 0; i < blocks; ++i) windowed.push_back(known->is_windowed(i));
  return windowed;
}

/// None: every block attends everything.
std::optional<std::int64_t> read_window(Metadata& metadata) {
  const auto window = metadata.optional_count(window_key, most_context, 0);
  if (window) return *window == 0 ? std::nullopt : window;
  const Pattern* known = find_pattern(metadata.architecture());
  if (known == nullptr || known->default_window == 0) return std::nullopt;
  metadata.note_default(window_key, fmt::format("{}", known->default_window));
  return known->default_window;
}

/// Llama 4 attends in chunks; a window of 0 turns them off.
std::optional<std::int64_t> read_chunk(Metadata& metadata) {
  const auto window = metadata.optional_count(window_key, most_context, 0);
  const auto chunk = metadata.optional_count("attention.chunk_size", most_context, 0);
  if ((window && *window == 0) || (chunk && *chunk == 0)) return std::nullopt;
  if (chunk) return chunk;
  metadata.note_default("attention.chunk_size", fmt::format("{}", llama4_chunk));
  return llama4_chunk;
}

}  // namespace

std::vector<Reach> read_reaches(Metadata& metadata, std::int64_t blocks) {
  std::vector<Reach> reaches(static_cast<std::size_t>(blocks));
  const bool chunked = metadata.architecture() == "llama4";
  const auto length = chunked ? read_chunk(metadata) : read_window(metadata);
  if (!length) {
    static_cast<void>(metadata.find(pattern_key));  // without a window it says nothing
    return reaches;
  }
  const std::vector<bool> windowed = windowed_blocks(metadata, blocks);
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    if (windowed[i]) (chunked ? reaches[i].chunk : reaches[i].window) = length;
  }
  return reaches;
}

}  // namespace roofline::gguf
