// A question as a report repeats it: every input, resolved.
#pragma once

#include <string>

#include "report/report.hpp"
#include "roofline/analyze.hpp"

namespace roofline::report {

/// "bf16", or "weights awq, K/V fp8, activations bf16".
[[nodiscard]] std::string precision_text(const Precision& precision);

/// What was asked, by the keys of the results; `spec` is the name of a spec file, or empty. A list
/// only where more than one was asked for. Throws Error as resolve_precision does.
[[nodiscard]] Fields inputs_of(const AnalyzeRequest& request, const std::string& spec);

}  // namespace roofline::report
