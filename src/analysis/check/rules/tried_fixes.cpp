#include "analysis/check/rules/tried_fixes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "analysis/check/figures.hpp"
#include "analysis/check/rules/compute_capability.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "base/format.hpp"

namespace roofline::rules {
std::int64_t sharing_slots(const ServingPlan& plan) {
  if (plan.engine != Engine::llama_cpp || plan.max_model_len.value < 1) return 1;
  if (!plan.kv_token_limit.given) return plan.max_model_len.given ? 1 : plan.max_sequences.value;
  return std::max<std::int64_t>(1, plan.kv_token_limit.value / plan.max_model_len.value);
}

Change with_max_model_len(const RuleSubject& subject, std::int64_t tokens) {
  const ServingPlan& plan = subject.serving->plan;
  const std::int64_t cells = tokens * sharing_slots(plan);
  return {fmt::format("{} {}", name_of(plan.max_model_len, setting_names(subject).max_model_len),
                      digits(cells)),
          [tokens, cells](ServingPlan& changed) {
            give(changed.max_model_len, tokens);
            if (changed.engine == Engine::llama_cpp) give(changed.kv_token_limit, cells);
          }};
}

Change with_tensor(const RuleSubject& subject, std::int64_t ways) {
  const ServingPlan& plan = subject.serving->plan;
  std::string text =
      fmt::format("{} {}", name_of(plan.tensor, setting_names(subject).tensor), digits(ways));
  if (plan.gpus.given) {
    const std::int64_t gpus = plan.gpus.value / std::max<std::int64_t>(1, plan.tensor.value) * ways;
    text += fmt::format(" and {} {}", name_of(plan.gpus, "gpus"), digits(std::max(gpus, ways)));
  }
  return {std::move(text), [ways](ServingPlan& changed) { give(changed.tensor, ways); }};
}

Change with_8_bit_kv(const RuleSubject& subject) {
  const ServingPlan& plan = subject.serving->plan;
  const std::string name = name_of(plan.kv_dtype, setting_names(subject).kv_dtype);
  if (plan.engine != Engine::llama_cpp) {
    const bool sglang = plan.engine == Engine::sglang && !has_own_names(*subject.launch);
    const std::string type = sglang ? "fp8_e4m3" : "fp8";
    return {fmt::format("{} {}", name, type),
            [type](ServingPlan& changed) { give(changed.kv_dtype, type); }};
  }
  return {has_own_names(*subject.launch)
              ? fmt::format("{} q8_0", name)
              : fmt::format("{} q8_0 and {} q8_0", name, name_of(plan.value_dtype, "cache-type-v")),
          [](ServingPlan& changed) {
            give<std::string>(changed.kv_dtype, "q8_0");
            give<std::string>(changed.value_dtype, "q8_0");
          }};
}

bool takes_8_bit_kv(const RuleSubject& subject) {
  if (subject.plan->engine == Engine::llama_cpp) return true;
  return compute_capability(subject.serving->server.device).value_or(fp8_capability) >=
         fp8_capability;
}

bool takes_fp8_weights(const RuleSubject& subject) {
  if (setting_names(subject).quantization.empty()) return false;
  constexpr int first_with_kernels = 80;
  return compute_capability(subject.serving->server.device).value_or(first_with_kernels) >=
         first_with_kernels;
}

Change with_memory_share(const RuleSubject& subject, double share) {
  const ServingPlan& plan = subject.serving->plan;
  return {fmt::format("{} {}", name_of(plan.memory_share, setting_names(subject).memory_share),
                      format_exact(share)),
          [share](ServingPlan& changed) { give(changed.memory_share, share); }};
}

Change with_max_sequences(const RuleSubject& subject, std::int64_t sequences) {
  const ServingPlan& plan = subject.serving->plan;
  return {fmt::format("{} {}", name_of(plan.max_sequences, setting_names(subject).max_sequences),
                      digits(sequences)),
          [sequences](ServingPlan& changed) { give(changed.max_sequences, sequences); }};
}

Change with_fp8_weights(const RuleSubject& subject) {
  const ServingPlan& plan = subject.serving->plan;
  return {fmt::format("{} fp8", name_of(plan.quantization, setting_names(subject).quantization)),
          [](ServingPlan& changed) { give<std::string>(changed.quantization, "fp8"); }};
}

bool holds_a_sequence(const EngineMemoryBudget& budget, std::int64_t max_model_len) {
  return budget.kv.low > Bytes() && budget.longest.low >= max_model_len;
}

bool TriedFixes::passes(const Change& change) const {
  const std::optional<EngineMemoryBudget> budget = memory_with(subject_, change.apply);
  return budget && good_(*budget);
}

bool TriedFixes::attempt(const Change& change) {
  const bool good = passes(change);
  if (good) texts_.push_back(change.text);
  return good;
}

void TriedFixes::attempt_tensor() {
  const ServingPlan& plan = subject_.serving->plan;
  if (setting_names(subject_).tensor.empty()) return;
  constexpr std::int64_t most_ways = 64;
  for (std::int64_t ways = 2; ways <= most_ways; ways *= 2) {
    if (ways > plan.tensor.value && attempt(with_tensor(subject_, ways))) return;
  }
}

void TriedFixes::attempt_memory_share(double most) {
  const ServingPlan& plan = subject_.serving->plan;
  if (setting_names(subject_).memory_share.empty() || plan.kv_memory.given) return;
  if (plan.memory_share.value <= 0 || !passes(with_memory_share(subject_, most))) return;
  const double first = std::floor(plan.memory_share.value * 100 + 1e-9) + 1;
  for (double percent = first; percent <= most * 100 + 1e-9; ++percent) {
    if (attempt(with_memory_share(subject_, percent / 100))) return;
  }
}

std::string TriedFixes::text() const {
  return fmt::format("{}", fmt::join(texts_, " or "));
}

}  // namespace roofline::rules
