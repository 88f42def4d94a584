#include "report/curves_report.hpp"

#include <fmt/format.h>

#include "report/analyze_parts.hpp"
#include "report/curves_chart.hpp"
#include "report/server_words.hpp"
#include "report/shared_notes.hpp"

namespace roofline::report {
namespace {

/// The points curve by curve, x rising.
AnalyzeResult in_order(const CurvesResult& result) {
  AnalyzeResult ordered;
  for (const Curve& curve : result.curves) {
    for (const CurvePoint& point : curve.points) {
      ordered.points.push_back(result.analysis.points[point.point]);
    }
  }
  return ordered;
}

/// What a limit of x means where it has no number, or 0.
Value reason_of(const CurvesResult& result, const CurveEdge& edge) {
  if (!edge.of_x) return {};
  const std::string_view x = to_string(result.x);
  const bool memory = edge.limit == CurveLimit::memory;
  if (!edge.value) {
    return fmt::format("{} no {}", memory ? "memory limits" : "the TPOT limit excludes", x);
  }
  if (*edge.value > 0) return {};
  return fmt::format("no {} {}", x, memory ? "fits" : "keeps to the TPOT limit");
}

Value value_of(const CurveEdge& edge) {
  if (edge.value) return *edge.value;
  return Unknown();
}

Table limits_table(const CurvesResult& result, int digits) {
  const bool over_batch = result.x == CurveX::batch;
  const std::vector<std::string> names = names_of(result);
  Table table{.key = "limits",
              .columns = {{"curve", "curve", Unit::none,
                           names.size() > 1 ? Show::everywhere : Show::machine},
                          {"gpu", "gpu", Unit::none, Show::machine},
                          {"model", "model", Unit::none, Show::machine},
                          {"workload", "workload", Unit::none, Show::machine},
                          {over_batch ? "context_tokens" : "batch", "", Unit::count, Show::machine},
                          {"limit", "limit"},
                          {over_batch ? "batch" : "context_tokens", "", Unit::count, Show::machine},
                          {"ridge_flop_per_byte", "", Unit::flop_per_byte, Show::machine},
                          {"tpot_s", "", Unit::seconds, Show::machine},
                          {"reason", "", Unit::none, Show::machine},
                          {"at", "at", Unit::none, Show::text}}};
  for (std::size_t c = 0; c < names.size(); ++c) {
    const AnalyzePoint& point = result.analysis.points[result.curves[c].first_point];
    const StepAnalysis* step = step_of_point(point);
    for (const CurveEdge& edge : result.curves[c].edges) {
      const auto of_y = [&](CurveLimit limit) -> Value {
        if (edge.of_x || edge.limit != limit) return {};
        return value_of(edge);
      };
      table.rows.push_back(
          {names[c], point.gpu, step == nullptr ? Value() : Value(step->model),
           workload_name(result, result.curves[c]),
           over_batch ? context_of(point) : batch_of(point), std::string(to_string(edge.limit)),
           edge.of_x ? value_of(edge) : Value(), of_y(CurveLimit::ridge), of_y(CurveLimit::tpot),
           reason_of(result, edge), edge_text(result, edge, digits)});
    }
  }
  return table;
}

/// "decode of llama-3.1-8b (bf16), ..., TPOT limit 30 ms".
std::string subject_of(const CurvesResult& result, const AnalyzeContext& question) {
  std::string title = question_of(result.analysis, question.spec);
  if (!question.overrides.empty()) title += fmt::format(", with {}", question.overrides);
  if (result.tpot_limit) title += fmt::format(", TPOT limit {}", limit_text(*result.tpot_limit));
  return title;
}

/// "Throughput over the batch".
std::string usual_title(const CurvesResult& result) {
  std::string title = fmt::format("{} over the {}", figure_name(result.y), to_string(result.x));
  if (title.front() >= 'a' && title.front() <= 'z') {
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
  }
  return title;
}

bool same_line(const Curve& a, const Curve& b) {
  return std::equal(
      a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
      [](const CurvePoint& p, const CurvePoint& q) { return p.x == q.x && p.y == q.y; });
}

/// A curve that lies on an earlier one cannot be seen.
void add_hidden_curves(const CurvesResult& result, std::vector<std::string>& texts) {
  const std::vector<std::string> names = names_of(result);
  for (std::size_t c = 0; c < names.size(); ++c) {
    for (std::size_t earlier = 0; earlier < c; ++earlier) {
      if (!same_line(result.curves[earlier], result.curves[c])) continue;
      texts.push_back(fmt::format("{}: the same curve as that of {}", names[c], names[earlier]));
      break;
    }
  }
}

std::vector<std::string> notes_of(const CurvesResult& result) {
  SharedNotes notes;
  for (const AnalyzePoint& point : result.analysis.points) notes.add(point.gpu, point.notes);
  std::vector<std::string> texts = notes.texts();
  texts.insert(texts.end(), result.notes.begin(), result.notes.end());
  add_hidden_curves(result, texts);
  return texts;
}

/// In text a curve's table has x, y and what bounds it; the ridge is among the limits.
void leave_out_roofs(CurveY y, Table& results) {
  for (Column& column : results.columns) {
    const bool roof = column.key == "ridge_flop_per_byte" || column.key == "achievable_flop_per_s";
    const bool intensity = column.key == "intensity_flop_per_byte" && y != CurveY::intensity;
    if (roof || intensity) column.show = Show::machine;
  }
}

}  // namespace

Report from(const CurvesResult& result, const CurvesContext& context) {
  const AnalyzeContext& question = context.question;
  Report report;
  report.command = "plot";
  const std::string subject = subject_of(result, question);
  report.title =
      fmt::format("{} over the {}: {}", figure_name(result.y), to_string(result.x), subject);
  report.data_source = question.data_source;
  report.inputs = question.inputs;
  report.inputs.emplace_back("x", std::string(to_string(result.x)));
  report.inputs.emplace_back("y", std::string(to_string(result.y)));
  if (result.tpot_limit) report.inputs.emplace_back("tpot_limit_s", result.tpot_limit->value());
  report.results = results_table(in_order(result), !question.spec.empty());
  leave_out_roofs(result.y, report.results);
  Table limits = limits_table(result, question.significant_digits);
  if (!limits.rows.empty()) report.tables.push_back(std::move(limits));
  Chart chart = curves_chart(result, question.significant_digits);
  chart.title = context.title.empty() ? usual_title(result) : context.title;
  chart.question = subject;
  report.chart = std::move(chart);
  report.notes = notes_of(result);
  return report;
}

}  // namespace roofline::report
