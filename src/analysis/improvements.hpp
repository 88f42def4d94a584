// What would make a step faster: each change by computing the step anew.
#pragma once

#include <vector>

#include "analysis/evaluator.hpp"

namespace roofline {

/// The most first. `point` is the workload's answer as it is.
[[nodiscard]] std::vector<Improvement> find_improvements(const Setting& setting,
                                                         const AnalyzeRequest& request,
                                                         const AnalyzePoint& point);

/// Of a kernel on its own: peak and bandwidth.
[[nodiscard]] std::vector<Improvement> find_improvements(const AnalyzePoint& kernel);

}  // namespace roofline
