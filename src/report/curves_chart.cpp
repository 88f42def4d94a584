#include "report/curves_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <variant>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"
#include "report/chart_scale.hpp"
#include "report/differences.hpp"
#include "report/server_words.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

/// What all parts of one chart need.
struct Drawing {
  const CurvesResult& result;
  Writer write;
  std::vector<std::string> names;
  Chart chart{};
};

const AnalyzePoint& first_point(const CurvesResult& result, const Curve& curve) {
  return result.analysis.points[curve.first_point];
}

/// What may tell curves apart, in the order in which it is said.
std::vector<std::string> parts_of(const CurvesResult& result, const Curve& curve) {
  const AnalyzePoint& point = first_point(result, curve);
  const StepAnalysis* step = step_of_point(point);
  const bool over_batch = result.x == CurveX::batch;
  const Value other = over_batch ? context_of(point) : batch_of(point);
  const auto* count = std::get_if<double>(&other);
  const std::string shape = step_shape_text(point);
  return {point.gpu, step == nullptr ? std::string() : step->model, workload_name(result, curve),
          count == nullptr
              ? std::string()
              : fmt::format("{} {}", over_batch ? "context" : "batch", format_count(*count)),
          shape.empty() ? shape : shape.substr(2)};
}

ChartAxis x_axis(CurveX x) {
  if (x == CurveX::batch) return {.label = "batch", .unit = ""};
  return {.label = "context", .unit = "tokens"};
}

ChartAxis y_axis(CurveY y) {
  const std::string label(figure_name(y));
  switch (y) {
    case CurveY::throughput:
      return {.label = label, .unit = "tok/s"};
    case CurveY::tpot:
      return {.label = label, .unit = "s", .scaled = true};
    case CurveY::cost:
      return {.label = label, .unit = "USD per 1M tokens"};
    case CurveY::intensity:
      break;
  }
  return {.label = label, .unit = "FLOP/byte"};
}

void fit_axes(Drawing& drawing) {
  const CurvesResult& result = drawing.result;
  AxisRange x;
  AxisRange y;
  for (std::size_t c = 0; c < result.curves.size(); ++c) {
    for (const CurvePoint& point : result.curves[c].points) {
      x.add(point.x, fmt::format("{}: the {}", drawing.names[c], to_string(result.x)));
      y.add(point.y, fmt::format("{}: the {}", drawing.names[c], figure_name(result.y)));
    }
    for (const CurveEdge& edge : result.curves[c].edges) {
      if (edge.of_x || !edge.value) continue;
      y.add(*edge.value, fmt::format("{}: the {}", drawing.names[c], to_string(edge.limit)));
    }
  }
  drawing.chart.x = x_axis(result.x);
  drawing.chart.y = y_axis(result.y);
  x.apply(drawing.chart.x);
  y.apply(drawing.chart.y);
}

/// Solid between points that fit, as far as is known, else dashed; pieces share their joints.
void add_lines(Drawing& drawing, std::size_t c) {
  const std::vector<CurvePoint>& points = drawing.result.curves[c].points;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const CurvePoint& from = points[i - 1];
    const CurvePoint& to = points[i];
    const bool dashed = from.fits == false || to.fits == false;
    std::vector<ChartLine>& lines = drawing.chart.lines;
    if (i == 1 || lines.back().dashed != dashed) {
      lines.push_back({.points = {{from.x, from.y}}, .line_key = c, .dashed = dashed});
    }
    lines.back().points.push_back({to.x, to.y});
  }
}

std::string x_text(const CurvesResult& result, double value) {
  return fmt::format("{} {}", to_string(result.x), format_count(value));
}

std::string y_text(const Drawing& drawing, double value) {
  const ChartAxis& axis = drawing.chart.y;
  return axis.scaled ? drawing.write.scaled(value, axis.unit)
                     : fmt::format("{} {}", drawing.write.number(value), axis.unit);
}

std::vector<std::pair<std::string, std::string>> figures_of(const Drawing& drawing,
                                                            const CurvePoint& drawn) {
  const CurvesResult& result = drawing.result;
  const AnalyzePoint& point = result.analysis.points[drawn.point];
  std::vector<std::pair<std::string, std::string>> figures{
      {std::string(to_string(result.x)), format_count(drawn.x)},
      {std::string(figure_name(result.y)), y_text(drawing, drawn.y)},
      {"bound", bound_text(point.verdict())}};
  if (result.y != CurveY::tpot) {
    figures.emplace_back("roofline time", drawing.write.time(point.roofline_time));
  }
  const StepAnalysis* step = step_of_point(point);
  if (step == nullptr) return figures;
  if (result.y != CurveY::throughput) {
    figures.emplace_back("throughput", drawing.write.number(step->tokens_per_second) + " tok/s");
  }
  figures.emplace_back("fits", !drawn.fits ? "not known" : *drawn.fits ? "yes" : "no");
  return figures;
}

/// The unit is at the axis, but for a scaled one.
std::string marker_text(const Drawing& drawing, double y) {
  return drawing.chart.y.scaled ? y_text(drawing, y) : drawing.write.number(y);
}

/// So many curves leave room for longer labels.
constexpr std::size_t few_curves = 4;

/// Of a few curves the ends are labelled with their figures.
void add_markers(Drawing& drawing, std::size_t c) {
  const std::vector<CurvePoint>& points = drawing.result.curves[c].points;
  const bool labelled = drawing.result.curves.size() <= few_curves;
  for (const CurvePoint& point : points) {
    const bool end = &point == &points.front() || &point == &points.back();
    drawing.chart.markers.push_back(
        {.at = {point.x, point.y},
         .label = labelled && end ? marker_text(drawing, point.y) : std::string(),
         .line_key = c,
         .point_key = {},
         .title = fmt::format("{}, {}", drawing.names[c], x_text(drawing.result, point.x)),
         .figures = figures_of(drawing, point)});
  }
}

/// A limit that one or several curves have at the same value.
struct SharedEdge {
  CurveEdge edge;
  std::vector<std::size_t> curves;
};

std::vector<SharedEdge> shared_edges(const CurvesResult& result) {
  std::vector<SharedEdge> shared;
  for (std::size_t c = 0; c < result.curves.size(); ++c) {
    for (const CurveEdge& edge : result.curves[c].edges) {
      auto known = std::find_if(shared.begin(), shared.end(),
                                [&](const SharedEdge& other) { return other.edge == edge; });
      if (known == shared.end()) known = shared.insert(known, {edge, {}});
      known->curves.push_back(c);
    }
  }
  return shared;
}

std::string rule_text(const Drawing& drawing, const CurveEdge& edge) {
  const bool ridge = edge.limit == CurveLimit::ridge;
  if (ridge) return "ridge " + drawing.write.number(*edge.value);
  const std::string_view name = edge.limit == CurveLimit::memory ? "memory" : "TPOT limit";
  if (!edge.of_x) return fmt::format("{} {}", name, limit_text(Seconds(*edge.value)));
  return fmt::format("{}: {}", name, format_count(*edge.value));
}

/// Whose limit it is, where others have another: its devices, for the ridge, else its curves. Of
/// many curves the legend says it.
std::string owners(const Drawing& drawing, const SharedEdge& shared) {
  const CurvesResult& result = drawing.result;
  if (shared.curves.size() == result.curves.size()) return {};
  const bool ridge = shared.edge.limit == CurveLimit::ridge;
  if (!ridge && result.curves.size() > few_curves) return {};
  std::vector<std::string> names;
  for (const std::size_t c : shared.curves) {
    const std::string& name = ridge ? first_point(result, result.curves[c]).gpu : drawing.names[c];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  constexpr std::size_t most = 2;
  if (names.size() > most) return fmt::format("{} and {} more ", names.front(), names.size() - 1);
  return fmt::format("{} ", fmt::join(names, ", "));
}

bool within(const ChartAxis& axis, double value) {
  return value >= axis.low && value <= axis.high;
}

void add_rules(Drawing& drawing) {
  Chart& chart = drawing.chart;
  for (const SharedEdge& shared : shared_edges(drawing.result)) {
    const CurveEdge& edge = shared.edge;
    if (!edge.value || (edge.of_x && !within(chart.x, *edge.value))) continue;
    ChartRule rule{.vertical = edge.of_x,
                   .at = *edge.value,
                   .label = owners(drawing, shared) + rule_text(drawing, edge)};
    if (shared.curves.size() == 1) rule.line_key = shared.curves.front();
    chart.rules.push_back(std::move(rule));
  }
}

std::string key_detail(const Drawing& drawing, const Curve& curve) {
  std::string detail;
  for (const CurveEdge& edge : curve.edges) {
    const std::string text = edge_text(drawing.result, edge, drawing.write.digits());
    detail +=
        fmt::format("{}{}: {}", detail.empty() ? "" : "; ",
                    edge.limit == CurveLimit::tpot ? "TPOT limit" : to_string(edge.limit), text);
  }
  return detail;
}

/// Two devices of the user's may have one name.
void number_namesakes(std::vector<std::string>& names) {
  std::map<std::string, int> total;
  for (const std::string& name : names) ++total[name];
  std::map<std::string, int> seen;
  for (std::string& name : names) {
    if (total[name] > 1) name = fmt::format("{} ({})", name, ++seen[name]);
  }
}

bool devices_alone_differ(const CurvesResult& result, const std::vector<std::string>& names) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c] != first_point(result, result.curves[c]).gpu) return false;
  }
  return true;
}

}  // namespace

std::string workload_name(const CurvesResult& result, const Curve& curve) {
  constexpr std::array kinds{"decode", "prefill",   "mixed",          "verify",
                             "matmul", "attention", "textbook-decode"};
  static_assert(kinds.size() == std::variant_size_v<Workload>);
  const NamedWorkload& first = first_point(result, curve).workload;
  const bool shared =
      std::all_of(curve.points.begin(), curve.points.end(), [&](const CurvePoint& point) {
        return result.analysis.points[point.point].workload.name == first.name;
      });
  return shared ? first.name : kinds[first.workload.index()];
}

std::vector<std::string> names_of(const CurvesResult& result) {
  std::vector<std::vector<std::string>> parts;
  for (const Curve& curve : result.curves) parts.push_back(parts_of(result, curve));
  std::vector<std::string> names = joined_differences(parts);
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c].empty()) names[c] = parts[c].front();
  }
  number_namesakes(names);
  return names;
}

std::string edge_text(const CurvesResult& result, const CurveEdge& edge, int significant_digits) {
  if (edge.of_x) {
    if (edge.value.value_or(0) > 0) return x_text(result, *edge.value);
    return fmt::format("{} {} {}", edge.value ? "no" : "any", to_string(result.x),
                       edge.limit == CurveLimit::memory ? "fits" : "keeps to it");
  }
  if (edge.limit == CurveLimit::tpot) return limit_text(Seconds(*edge.value));
  return format_significant(*edge.value, significant_digits) + " FLOP/byte";
}

std::string_view figure_name(CurveY y) {
  if (y == CurveY::intensity) return "arithmetic intensity";
  return y == CurveY::tpot ? "TPOT" : to_string(y);
}

Chart curves_chart(const CurvesResult& result, int significant_digits) {
  Drawing drawing{result, Writer(significant_digits), names_of(result)};
  Chart& chart = drawing.chart;
  chart.line_keys_title = devices_alone_differ(result, drawing.names) ? "devices" : "curves";
  fit_axes(drawing);
  for (std::size_t c = 0; c < result.curves.size(); ++c) {
    chart.line_keys.push_back({drawing.names[c], key_detail(drawing, result.curves[c])});
    add_lines(drawing, c);
    add_markers(drawing, c);
  }
  add_rules(drawing);
  return std::move(drawing.chart);
}

}  // namespace roofline::report
