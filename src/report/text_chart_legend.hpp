// What a chart on a terminal says below its picture: what each symbol stands for.
#pragma once

#include <string>

#include "report/chart.hpp"
#include "report/text_chart_markers.hpp"
#include "report/text_chart_rules.hpp"

namespace roofline::report {

void append_legend(std::string& out, const Chart& chart, const MarkerAccount& markers,
                   const RuleLabels& rules);

}  // namespace roofline::report
