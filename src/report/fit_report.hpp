// The report of fit: the verdict, what is needed of what is usable, and what there is room for.
#pragma once

#include <string>

#include "report/report.hpp"
#include "roofline/fit.hpp"

namespace roofline::report {

/// What the report says besides the result.
struct FitContext {
  std::string subject;    ///< "llama-3-70b (bf16)"
  std::string devices;    ///< "2 x H100-SXM5-80GB, tp 2"
  std::string overrides;  ///< ", with bandwidth 3TB/s", or empty
  Fields data_source;
  Fields inputs;
  int significant_digits = 4;
};

[[nodiscard]] Report from(const FitRequest& request, const FitResult& result,
                          const FitContext& context);

}  // namespace roofline::report
