// A question turned round as a report: the answer, what each limit allows, and the proof.
#pragma once

#include "report/report.hpp"
#include "report/server_context.hpp"
#include "roofline/solve.hpp"

namespace roofline::report {

/// `result` is what solve gave for `request`.
[[nodiscard]] Report from(const SolveRequest& request, const SolveResult& result,
                          const ServerContext& context);

}  // namespace roofline::report
