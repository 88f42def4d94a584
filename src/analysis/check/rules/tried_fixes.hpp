// Fixes that are tried before they are printed: each is a change to the plan, judged anew.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/check/rule.hpp"

namespace roofline::rules {

/// A change to a plan, and the settings to paste that make it: "max-model-len 39154".
struct Change {
  std::string text{};
  std::function<void(ServingPlan&)> apply{};
};

template <class T>
void give(Given<T>& given, T value) {
  given.value = std::move(value);
  given.given = true;
}

/// Slots that llama.cpp divides its context by; 1 where they share it, and of other engines.
[[nodiscard]] std::int64_t sharing_slots(const ServingPlan& plan);

[[nodiscard]] Change with_max_model_len(const RuleSubject& subject, std::int64_t tokens);
/// And as many GPUs as that takes, where the file asks for a number of them.
[[nodiscard]] Change with_tensor(const RuleSubject& subject, std::int64_t ways);
/// K and V in 8 bits: fp8, q8_0 of llama.cpp.
[[nodiscard]] Change with_8_bit_kv(const RuleSubject& subject);
/// False where the GPU has no fp8 and the engine's 8 bits are fp8.
[[nodiscard]] bool takes_8_bit_kv(const RuleSubject& subject);
/// The engine makes fp8 weights of a 16-bit checkpoint on that GPU, at least for weights alone.
[[nodiscard]] bool takes_fp8_weights(const RuleSubject& subject);
[[nodiscard]] Change with_memory_share(const RuleSubject& subject, double share);
[[nodiscard]] Change with_max_sequences(const RuleSubject& subject, std::int64_t sequences);
/// Weights rounded to fp8 while they are loaded.
[[nodiscard]] Change with_fp8_weights(const RuleSubject& subject);

/// True if one sequence of max_model_len fits for sure.
[[nodiscard]] bool holds_a_sequence(const EngineMemoryBudget& budget, std::int64_t max_model_len);

/// Changes of which each alone does.
class TriedFixes {
 public:
  using Test = std::function<bool(const EngineMemoryBudget&)>;
  TriedFixes(const RuleSubject& subject, Test good) : subject_(subject), good_(std::move(good)) {}

  /// Keeps the change if the launch can be run with it and passes the test; true if so.
  bool attempt(const Change& change);
  /// The smallest power of 2 of devices, above those that there are, that does.
  void attempt_tensor();
  /// The smallest share of the memory that does, in steps of 0.01 up to `most`.
  void attempt_memory_share(double most = 0.95);

  [[nodiscard]] bool empty() const { return texts_.empty(); }
  /// "A or B".
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] bool passes(const Change& change) const;

  const RuleSubject& subject_;
  Test good_;
  std::vector<std::string> texts_;
};

}  // namespace roofline::rules
