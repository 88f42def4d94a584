// A picture of the roofline as a report: the picture, and its figures as tables.
#pragma once

#include <string>

#include "report/analyze_report.hpp"
#include "report/report.hpp"
#include "report/roofline_chart.hpp"
#include "roofline/plot.hpp"

namespace roofline::report {

struct PlotContext {
  AnalyzeContext question;
  MarkWorkloads mark = MarkWorkloads::by_number_of_devices;
  std::string title;  ///< of the picture; empty: one that says what it shows
};

/// Throws Error for what has no place on a logarithmic axis.
[[nodiscard]] Report from(const PlotResult& result, const PlotContext& context);

}  // namespace roofline::report
