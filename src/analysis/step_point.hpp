// A step that was evaluated, as a point of an analysis: the one place where it gets its notes.
#pragma once

#include <optional>

#include "analysis/evaluator.hpp"

namespace roofline {

/// What a point is told beside its step.
struct PointTerms {
  std::optional<DollarsPerHour> price;  ///< of one device
  double utilization = default_utilization;
};

/// `evaluator` has evaluated `step`, the step of `workload` over all replicas.
[[nodiscard]] AnalyzePoint step_point(const Evaluator& evaluator, const NamedWorkload& workload,
                                      const Step& step, const PointTerms& terms);

}  // namespace roofline
