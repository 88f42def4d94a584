// A question about a server as its answer repeats it: every input, resolved.
#pragma once

#include "report/report.hpp"
#include "roofline/server.hpp"

namespace roofline::report {

/// By the keys of the results, in the order of the flags in help; `workload` is what the command
/// asks of the server. Throws Error as resolve_precision does.
[[nodiscard]] Fields inputs_of(const Server& server, const Fields& workload);

/// "expected", "fewest", "all", or a number.
[[nodiscard]] Value value_of(const ExpertChoice& choice);

}  // namespace roofline::report
