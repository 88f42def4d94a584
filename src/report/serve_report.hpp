// The answer to serve as a report.
#pragma once

#include "report/report.hpp"
#include "report/server_context.hpp"
#include "roofline/serve.hpp"

namespace roofline::report {

/// `result` is what serve gave for `request`.
[[nodiscard]] Report from(const ServeRequest& request, const ServeResult& result,
                          const ServerContext& context);

}  // namespace roofline::report
