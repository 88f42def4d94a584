// Steps and their groups, attended pairs and spans against brute force, distinct experts.
#include "roofline/step.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <set>
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

TEST_CASE("Pairs and spans of chunks equal counting them one by one", "[cost]") {
  // Prompts that cross chunks, and cached tokens that end before, at and after a chunk's end.
  const auto new_tokens = GENERATE(as<std::int64_t>(), 1, 2, 3, 7, 8, 9, 16, 33);
  const auto cached_tokens = GENERATE(as<std::int64_t>(), 0, 1, 6, 7, 8, 9, 15, 16, 17, 40);
  const auto chunk = GENERATE(as<std::int64_t>(), 1, 2, 7, 8, 9, 16, 1000);
  std::int64_t pairs = 0;
  std::set<std::int64_t> touched;
  for (std::int64_t query = cached_tokens; query < cached_tokens + new_tokens; ++query) {
    for (std::int64_t key = 0; key <= query; ++key) {
      if (key / chunk != query / chunk) continue;
      ++pairs;
      touched.insert(key);
    }
  }
  CAPTURE(new_tokens, cached_tokens, chunk);
  CHECK(chunk_pairs(new_tokens, cached_tokens, chunk, true) == static_cast<double>(pairs));
  CHECK(chunk_span(new_tokens, cached_tokens, chunk) == static_cast<double>(touched.size()));
}

TEST_CASE("A chunk begins anew after its last token", "[cost]") {
  // The token at position 8191 is the last of its chunk and the next has itself alone.
  CHECK(chunk_pairs(1, 8191, 8192, true) == 8192);
  CHECK(chunk_span(1, 8191, 8192) == 8192);
  CHECK(chunk_pairs(1, 8192, 8192, true) == 1);
  CHECK(chunk_span(1, 8192, 8192) == 1);
  CHECK(chunk_pairs(20'000, 0, 8192, true) == 8192.0 * 8193 + 3616.0 * 3617 / 2);
}

TEST_CASE("Without a mask chunks are not counted either", "[cost]") {
  CHECK(chunk_pairs(100, 0, 10, false) == 100.0 * 100);
  CHECK(chunk_pairs(4, 6, 8, false) == 40);
}

TEST_CASE("A layer's attention decides how pairs and spans are counted", "[cost]") {
  const StepGroup group{.count = 5, .new_tokens = 4, .cached_tokens = 6};
  Attention attention;
  CHECK(attended_pairs(attention, group, true) == 7 + 8 + 9 + 10);
  CHECK(kv_span(attention, group) == 10);
  attention.window = 3;
  CHECK(attended_pairs(attention, group, true) == 4 * 3);
  CHECK(kv_span(attention, group) == 6);
  attention.window.reset();
  attention.chunk = 8;
  CHECK(attended_pairs(attention, group, true) == 7 + 8 + 1 + 2);
  CHECK(kv_span(attention, group) == 10);
  CHECK(attended_pairs(attention, group, false) == 40);
}

TEST_CASE("The tokens of a step are the new ones of all its sequences", "[cost]") {
  Step step = decode_step(3, 100);
  step.groups.push_back({.count = 2, .new_tokens = 50, .cached_tokens = 10});
  CHECK(new_tokens(step) == 103);
  CHECK(new_tokens(prefill_step(8, 1024)) == 8192);
}

constexpr ExpertChoice choice(ExpertChoice::Kind kind, std::int64_t count = 0) {
  return {.kind = kind, .count = count};
}

TEST_CASE("Distinct experts are the expectation for uniform routing", "[cost]") {
  const auto [count, per_token, tokens, expected] =
      GENERATE(table<std::int64_t, std::int64_t, double, double>({
          {8, 2, 1, 2},
          {8, 2, 2, 3.5},
          {8, 2, 3, 4.625},
          {256, 8, 1, 8},
          {16, 1, 2, 1.9375},
          {4, 4, 1, 4},
          {8, 2, 1e6, 8},
      }));
  CAPTURE(count, per_token, tokens);
  const Experts experts{.count = count, .per_token = per_token};
  CHECK(distinct_experts(experts, tokens, {}) == expected);
}

TEST_CASE("Distinct experts of 32 tokens of DeepSeek V3 are 163.3 of 256", "[cost]") {
  const Experts experts{.count = 256, .per_token = 8};
  CHECK(distinct_experts(experts, 32, {}) == Approx(163.3).margin(0.05));
  CHECK(distinct_experts(experts, 32, {}) == Approx(163.31384595038296).epsilon(1e-12));
}

TEST_CASE("The expectation equals the mean over all ways to route", "[cost]") {
  // 5 experts, 2 a token: 10 pairs a token, so 1000 ways for 3 tokens.
  std::vector<unsigned> pairs;
  for (unsigned set = 0; set < 32; ++set) {
    if (std::popcount(set) == 2) pairs.push_back(set);
  }
  REQUIRE(pairs.size() == 10);
  int distinct = 0;
  for (const unsigned a : pairs) {
    for (const unsigned b : pairs) {
      for (const unsigned c : pairs) distinct += std::popcount(a | b | c);
    }
  }
  CHECK(distinct_experts({.count = 5, .per_token = 2}, 3, {}) ==
        Approx(distinct / 1000.0).epsilon(1e-12));
}

TEST_CASE("Distinct experts can be chosen within what tokens can pass", "[cost]") {
  using enum ExpertChoice::Kind;
  const Experts experts{.count = 8, .per_token = 2};
  const auto [tokens, every, five] =
      GENERATE(table<double, double, double>({{1, 2, 2}, {3, 6, 5}, {1000, 8, 5}}));
  CHECK(distinct_experts(experts, tokens, choice(fewest)) == 2);
  CHECK(distinct_experts(experts, tokens, choice(all)) == every);
  CHECK(distinct_experts(experts, tokens, choice(fixed, 5)) == five);
}

}  // namespace
}  // namespace roofline
