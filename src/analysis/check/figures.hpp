// What a launch comes to: the figures that requirements and baselines are about, and the same with
// a change, which is how a fix is tried before it is printed.
#pragma once

#include <functional>
#include <optional>

#include "analysis/check/rule.hpp"
#include "roofline/check.hpp"

namespace roofline {

/// Throws Error where the model cannot be run on the device at all.
[[nodiscard]] LaunchFigures figures_of(const ResolvedServing& serving);

/// Sequences in flight that the figures are of: as asked for, else as many as are allowed and, at
/// prompt + output tokens each, held.
[[nodiscard]] std::int64_t concurrency_of(const ResolvedServing& serving,
                                          const EngineMemoryBudget& memory);

/// `subject`'s launch with a change to its plan; none if it cannot be run so.
[[nodiscard]] std::optional<ResolvedServing> serving_with(
    const RuleSubject& subject, const std::function<void(ServingPlan&)>& change);

/// The memory of that.
[[nodiscard]] std::optional<EngineMemoryBudget> memory_with(
    const RuleSubject& subject, const std::function<void(ServingPlan&)>& change);

}  // namespace roofline
