// Curves over the batch or the context as a report: the picture, its figures, and its limits.
#pragma once

#include <string>

#include "report/analyze_report.hpp"
#include "report/report.hpp"
#include "roofline/curves.hpp"

namespace roofline::report {

struct CurvesContext {
  AnalyzeContext question;
  std::string title;  ///< of the picture; empty: one that says what it shows
};

/// Rows are those of analyze, curve by curve. Throws Error for what has no place on a logarithmic
/// axis.
[[nodiscard]] Report from(const CurvesResult& result, const CurvesContext& context);

}  // namespace roofline::report
