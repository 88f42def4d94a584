// The parts of the report on a question turned round: its words, beside its tables.
#pragma once

#include <string>
#include <vector>

#include "report/solve_report.hpp"

namespace roofline::report {

/// The question, resolved, in a line.
[[nodiscard]] std::string solve_title(const SolveRequest& request, const SolveResult& result,
                                      const ServerContext& context);

/// The answer, what would help, what each limit allows, what memory the answer takes.
[[nodiscard]] std::vector<Fact> solve_facts(const SolveRequest& request, const SolveResult& result,
                                            const ServerContext& context);

}  // namespace roofline::report
