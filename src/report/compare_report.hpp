// A ranking of devices as a report.
#pragma once

#include <string>

#include "report/report.hpp"
#include "roofline/compare.hpp"

namespace roofline::report {

/// What only the caller knows of a question.
struct CompareContext {
  std::string overrides;  ///< figures that were given instead of the devices' own, or empty
  int significant_digits = TextOptions{}.significant_digits;
  Fields data_source;
  Fields inputs;
};

/// `result` is what compare gave for `request`.
[[nodiscard]] Report from(const CompareRequest& request, const CompareResult& result,
                          const CompareContext& context);

}  // namespace roofline::report
