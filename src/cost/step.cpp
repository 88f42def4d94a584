#include "roofline/step.hpp"

#include <algorithm>

namespace roofline {

Step decode_step(std::int64_t batch, std::int64_t context) {
  return {.groups = {{.count = batch, .new_tokens = 1, .cached_tokens = context - 1}}};
}

Step prefill_step(std::int64_t batch, std::int64_t prompt) {
  return {.groups = {{.count = batch, .new_tokens = prompt, .cached_tokens = 0}}};
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

}  // namespace roofline
