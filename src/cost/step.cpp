#include "roofline/step.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {

Step decode_step(std::int64_t batch, std::int64_t context) {
  return {.groups = {{.count = batch, .new_tokens = 1, .cached_tokens = context - 1}}};
}

Step prefill_step(std::int64_t batch, std::int64_t prompt, std::int64_t cached) {
  return {.groups = {{.count = batch, .new_tokens = prompt - cached, .cached_tokens = cached}}};
}

double new_tokens(const Step& step) {
  double tokens = 0;
  for (const StepGroup& group : step.groups) {
    tokens += static_cast<double>(group.count) * static_cast<double>(group.new_tokens);
  }
  return tokens;
}

double attended_pairs(std::int64_t new_tokens, std::int64_t cached_tokens,
                      std::optional<std::int64_t> window, bool causal) {
  const auto q = static_cast<double>(new_tokens);
  const auto p = static_cast<double>(cached_tokens);
  if (!causal) return q * (p + q);
  if (!window) return q * p + q * (q + 1) / 2;
  const auto w = static_cast<double>(*window);
  const double growing = std::clamp(w - p, 0.0, q);  // queries that see less than a whole window
  return growing * p + growing * (growing + 1) / 2 + (q - growing) * w;
}

double kv_span(std::int64_t new_tokens, std::int64_t cached_tokens,
               std::optional<std::int64_t> window) {
  const std::int64_t all = cached_tokens + new_tokens;
  return static_cast<double>(window ? std::min(all, *window + new_tokens - 1) : all);
}

double chunk_pairs(std::int64_t new_tokens, std::int64_t cached_tokens, std::int64_t chunk,
                   bool causal) {
  if (!causal) return attended_pairs(new_tokens, cached_tokens, std::nullopt, false);
  const auto w = static_cast<double>(chunk);
  // Pairs of all tokens before a position: whole chunks, and the one that has begun.
  const auto before = [&](std::int64_t position) {
    const std::int64_t chunks = position / chunk;
    const auto whole = static_cast<double>(chunks);
    const auto rest = static_cast<double>(position % chunk);
    return whole * w * (w + 1) / 2 + rest * (rest + 1) / 2;
  };
  return before(cached_tokens + new_tokens) - before(cached_tokens);
}

double chunk_span(std::int64_t new_tokens, std::int64_t cached_tokens, std::int64_t chunk) {
  return static_cast<double>(cached_tokens % chunk + new_tokens);
}

double attended_pairs(const Attention& attention, const StepGroup& group, bool causal) {
  if (attention.chunk) {
    return chunk_pairs(group.new_tokens, group.cached_tokens, *attention.chunk, causal);
  }
  return attended_pairs(group.new_tokens, group.cached_tokens, attention.window, causal);
}

double kv_span(const Attention& attention, const StepGroup& group) {
  if (attention.chunk) return chunk_span(group.new_tokens, group.cached_tokens, *attention.chunk);
  return kv_span(group.new_tokens, group.cached_tokens, attention.window);
}

double distinct_experts(const Experts& experts, double tokens, const ExpertChoice& choice) {
  const auto count = static_cast<double>(experts.count);
  const auto per_token = static_cast<double>(experts.per_token);
  switch (choice.kind) {
    case ExpertChoice::Kind::fewest:
      return per_token;
    case ExpertChoice::Kind::all:
      return std::min(count, per_token * tokens);
    case ExpertChoice::Kind::fixed:
      return std::min(static_cast<double>(choice.count), per_token * tokens);
    case ExpertChoice::Kind::expected:
      break;
  }
  return count * (1 - std::pow(1 - per_token / count, tokens));
}

}  // namespace roofline
