// A question turned round as a report: the answer, what each limit allows, and the proof.
#pragma once

#include <string>

#include "report/report.hpp"
#include "roofline/solve.hpp"

namespace roofline::report {

/// What only the caller knows of a question.
struct SolveContext {
  std::string subject;    ///< "llama-3.1-8b (bf16)"
  std::string devices;    ///< "2 x H100-SXM5-80GB (tp 2)"
  std::string overrides;  ///< ", with bandwidth 3TB/s", or empty
  int significant_digits = TextOptions{}.significant_digits;
  Fields data_source;
  Fields inputs;  ///< of the server; those of the question follow
};

[[nodiscard]] Report from(const SolveRequest& request, const SolveResult& result,
                          const SolveContext& context);

}  // namespace roofline::report
