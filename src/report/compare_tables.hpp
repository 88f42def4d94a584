// The two tables of compare: a ranking for a step, and one for requests to serve.
#pragma once

#include "report/report.hpp"
#include "roofline/compare.hpp"

namespace roofline::report {

[[nodiscard]] Table step_table(const CompareRequest& request, const CompareResult& result,
                               int significant_digits);

/// For machines each row is that of serve, with the rank before it.
[[nodiscard]] Table serving_table(const CompareRequest& request, const ServingQuestion& question,
                                  const CompareResult& result);

}  // namespace roofline::report
