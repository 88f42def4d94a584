// Steps and their groups, attended pairs and spans against brute force, formats by part.
#include "roofline/step.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace roofline {
namespace {

TEST_CASE("A decode step attends its context and adds the last token of it", "[cost]") {
  const Step step = decode_step(32, 2048);
  const Step expected{
      .groups = {{.count = 32, .new_tokens = 1, .cached_tokens = 2047, .logit_rows = 1}},
      .causal = true};
  CHECK(step == expected);
  CHECK(decode_step(1, 1).groups.front().cached_tokens == 0);
}

TEST_CASE("A prefill step computes its whole prompt and one row of logits", "[cost]") {
  const Step step = prefill_step(8, 1024);
  const Step expected{
      .groups = {{.count = 8, .new_tokens = 1024, .cached_tokens = 0, .logit_rows = 1}},
      .causal = true};
  CHECK(step == expected);
}

/// Positions that the query at `position` attends: those up to it, at most the last `window`.
std::vector<std::int64_t> attended(std::int64_t position, std::optional<std::int64_t> window) {
  const std::int64_t first = window ? std::max<std::int64_t>(0, position + 1 - *window) : 0;
  std::vector<std::int64_t> positions;
  for (std::int64_t p = first; p <= position; ++p) positions.push_back(p);
  return positions;
}

TEST_CASE("Attended pairs and spans equal counting them one by one", "[cost]") {
  const auto new_tokens = GENERATE(as<std::int64_t>(), 1, 2, 3, 7, 16, 33);
  const auto cached_tokens = GENERATE(as<std::int64_t>(), 0, 1, 6, 7, 8, 15, 40);
  const auto window = GENERATE(as<std::optional<std::int64_t>>(), std::nullopt, 1, 2, 7, 8, 9, 16,
                               22, 23, 24, 56, 73, 1000);
  std::int64_t pairs = 0;
  std::set<std::int64_t> touched;
  for (std::int64_t query = 0; query < new_tokens; ++query) {
    const std::vector<std::int64_t> positions = attended(cached_tokens + query, window);
    pairs += static_cast<std::int64_t>(positions.size());
    touched.insert(positions.begin(), positions.end());
  }
  CAPTURE(new_tokens, cached_tokens, window.value_or(0));
  CHECK(attended_pairs(new_tokens, cached_tokens, window, true) == static_cast<double>(pairs));
  CHECK(kv_span(new_tokens, cached_tokens, window) == static_cast<double>(touched.size()));
}

TEST_CASE("A prompt that crosses a window attends the window from there on", "[cost]") {
  // 4096 queries see 1 .. 4096 tokens, the other 4096 see 4096 each.
  CHECK(attended_pairs(8192, 0, 4096, true) == 4096.0 * 4097 / 2 + 4096.0 * 4096);
  CHECK(kv_span(8192, 0, 4096) == 8192);
  // A chunk of 512 behind 6000 cached tokens: all see a whole window; 4096 + 511 are touched.
  CHECK(attended_pairs(512, 6000, 4096, true) == 512.0 * 4096);
  CHECK(kv_span(512, 6000, 4096) == 4607);
}

TEST_CASE("Pairs of long prompts are exact", "[cost]") {
  CHECK(attended_pairs(1'000'000, 1'000'000, std::nullopt, true) == 1'500'000'500'000.0);
  CHECK(attended_pairs(1'000'000, 0, 1000, true) == 500'500.0 + 999'000.0 * 1000);
}

TEST_CASE("Without a mask every query attends every token", "[cost]") {
  const auto [new_tokens, cached_tokens, pairs] = GENERATE(
      table<std::int64_t, std::int64_t, double>({{1, 0, 1}, {5, 0, 25}, {4, 6, 40}, {1, 9, 10}}));
  CHECK(attended_pairs(new_tokens, cached_tokens, std::nullopt, false) == pairs);
  CHECK(kv_span(new_tokens, cached_tokens, std::nullopt) ==
        static_cast<double>(new_tokens + cached_tokens));
}

TEST_CASE("A prompt without a mask reaches beyond a window", "[cost]") {
  CHECK(attended_pairs(100, 0, 10, false) == 100.0 * 100);
}

NumberFormat format(const std::string& name, Coverage coverage) {
  NumberFormat result;
  result.name = name;
  result.coverage = coverage;
  return result;
}

TEST_CASE("A format covers the parts of the weights that it says", "[cost]") {
  using enum Coverage;
  const auto [coverage, tied, embedding, lm_head, norms] =
      GENERATE(table<Coverage, bool, std::string, std::string, std::string>({
          {layers, false, "wide", "wide", "wide"},
          {layers, true, "wide", "wide", "wide"},
          {layers_and_lm_head, false, "wide", "packed", "wide"},
          {layers_and_lm_head, true, "wide", "wide", "wide"},
          {matrices, false, "packed", "packed", "fp32"},
          {matrices, true, "packed", "packed", "fp32"},
          {everything, false, "packed", "packed", "packed"},
          {everything, true, "packed", "packed", "packed"},
      }));
  Model model;
  model.tied_embeddings = tied;
  const Precision precision{.weights = format("packed", coverage),
                            .unquantized = format("wide", everything),
                            .kv = format("cache", everything),
                            .activations = format("activations", everything)};
  CAPTURE(to_string(coverage), tied);
  CHECK(embedding_format(precision).name == embedding);
  CHECK(lm_head_format(model, precision).name == lm_head);
  CHECK(norm_format(precision).name == norms);
}

}  // namespace
}  // namespace roofline
