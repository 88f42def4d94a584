// The answer to serve as a report.
#pragma once

#include <string>

#include "report/report.hpp"
#include "roofline/serve.hpp"

namespace roofline::report {

/// What only the caller knows of a question.
struct ServeContext {
  std::string subject;    ///< "llama-3.1-8b (bf16)"
  std::string devices;    ///< "2 x H100-SXM5-80GB (tp 2)"
  std::string overrides;  ///< ", with bandwidth 3TB/s", or empty
  int significant_digits = TextOptions{}.significant_digits;
  Fields data_source;
  Fields inputs;
};

/// `result` is what serve gave for `request`.
[[nodiscard]] Report from(const ServeRequest& request, const ServeResult& result,
                          const ServeContext& context);

}  // namespace roofline::report
