#include "report/plot_report.hpp"

#include <fmt/format.h>

#include "report/analyze_parts.hpp"
#include "report/plotted_workloads.hpp"
#include "report/shared_notes.hpp"

namespace roofline::report {
namespace {

Table roofs_table(const PlotResult& result) {
  Table table{.key = "roofs",
              .columns = {{"gpu", "gpu"},
                          {"peak_type", "peak"},
                          {"peak_flop_per_s", "", Unit::flop_per_s},
                          {"bandwidth_bytes_per_s", "", Unit::bytes_per_s},
                          {"ridge_flop_per_byte", "ridge"},
                          {"used", "used"}}};
  for (const Ceiling& ceiling : result.ceilings) {
    table.rows.push_back({ceiling.gpu, to_string(ceiling.key), ceiling.roof.peak.value(),
                          ceiling.roof.bandwidth.value(), ceiling.roof.ridge().value(),
                          ceiling.used});
  }
  return table;
}

/// What was measured that is no point of the analysis.
Table measured_table(const PlotResult& result) {
  Table table{.key = "measured",
              .columns = {{"name", "measured"},
                          {"intensity_flop_per_byte", "", Unit::flop_per_byte},
                          {"measured_flop_per_s", "", Unit::flop_per_s}}};
  for (const MeasuredPoint& measured : result.measured) {
    if (measured.point) continue;
    table.rows.push_back({measured.name, measured.intensity.value(), measured.achieved.value()});
  }
  return table;
}

/// Columns of the results that analyze has not: what was measured of each point.
void add_measured_columns(const PlotResult& result, Table& results) {
  std::vector<Row> cells(result.analysis.points.size(), Row(3));
  bool any = false;
  for (const MeasuredPoint& measured : result.measured) {
    if (!measured.point) continue;
    any = true;
    const AnalyzePoint& point = result.analysis.points[*measured.point];
    const double achieved = measured.achieved.value();
    cells[*measured.point] = {achieved, measured.time->value(),
                              achieved / point.achievable().value()};
  }
  if (!any) return;
  results.columns.push_back({"measured_flop_per_s", "measured", Unit::flop_per_s});
  results.columns.push_back({"measured_time_s", "measured", Unit::seconds});
  results.columns.push_back({"measured_share", "of roofline", Unit::none, Show::machine});
  for (std::size_t r = 0; r < cells.size(); ++r) {
    results.rows[r].insert(results.rows[r].end(), cells[r].begin(), cells[r].end());
  }
}

std::string usual_title(const Chart& chart) {
  return chart.line_keys.size() == 1
             ? "Roofline of " + chart.line_keys.front().name
             : fmt::format("Rooflines of {} devices", chart.line_keys.size());
}

}  // namespace

Report from(const PlotResult& result, const PlotContext& context) {
  Report report;
  report.command = "plot";
  report.data_source = context.question.data_source;
  report.inputs = context.question.inputs;
  report.title = question_of(result.analysis, context.question.spec);
  if (!context.question.overrides.empty()) {
    report.title += fmt::format(", with {}", context.question.overrides);
  }
  const bool title_is_spec = !context.question.spec.empty();
  report.results = results_table(result.analysis, title_is_spec);
  add_measured_columns(result, report.results);
  report.tables.push_back(roofs_table(result));
  Table measured = measured_table(result);
  if (!measured.rows.empty()) report.tables.push_back(std::move(measured));
  Chart chart = roofline_chart(result, context.mark, context.question.significant_digits);
  chart.title = context.title.empty() ? usual_title(chart) : context.title;
  chart.question = report.title;
  report.chart = std::move(chart);
  SharedNotes notes;
  for (const AnalyzePoint& point : result.analysis.points) notes.add(point.gpu, point.notes);
  report.notes = notes.texts();
  return report;
}

}  // namespace roofline::report
