// The report of fit: the verdict, what is needed of what is usable, and what there is room for.
#pragma once

#include "report/report.hpp"
#include "report/server_context.hpp"
#include "roofline/fit.hpp"

namespace roofline::report {

/// `result` is what fit gave for `request`.
[[nodiscard]] Report from(const FitRequest& request, const FitResult& result,
                          const ServerContext& context);

}  // namespace roofline::report
