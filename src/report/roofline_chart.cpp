#include "report/roofline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"
#include "report/chart_scale.hpp"
#include "report/plotted_workloads.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

/// All ceilings of one device, the lowest first.
using Ceilings = std::vector<const Ceiling*>;

/// What all parts of one chart need.
struct Drawing {
  const PlotResult& result;
  Writer write;
  std::vector<Ceilings> devices;
  PlottedWorkloads workloads;
  bool as_lines = false;
  Chart chart{};
};

std::vector<Ceilings> by_device(const PlotResult& result) {
  std::vector<Ceilings> devices;
  for (const Ceiling& ceiling : result.ceilings) {
    if (devices.empty() || devices.back().front()->gpu != ceiling.gpu) devices.emplace_back();
    devices.back().push_back(&ceiling);
  }
  return devices;
}

std::size_t device_of(const Drawing& drawing, const std::string& gpu) {
  const auto found =
      std::find_if(drawing.devices.begin(), drawing.devices.end(),
                   [&](const Ceilings& ceilings) { return ceilings.front()->gpu == gpu; });
  return static_cast<std::size_t>(found - drawing.devices.begin());
}

/// The highest ceiling that something runs at; the highest of all where nothing does.
const Ceiling* main_ceiling(const Ceilings& ceilings) {
  const Ceiling* main = ceilings.back();
  for (const Ceiling* ceiling : ceilings) {
    if (ceiling->used) main = ceiling;
  }
  return main;
}

std::string ceiling_text(const Drawing& drawing, const Ceiling& ceiling) {
  return fmt::format("{} {}", drawing.write.scaled(ceiling.roof.peak.value(), "FLOP/s"),
                     to_string(ceiling.key));
}

std::string ridge_text(const Drawing& drawing, const Roof& roof) {
  return "ridge " + drawing.write.number(roof.ridge().value());
}

void fit_axes(Drawing& drawing) {
  AxisRange x;
  AxisRange y;
  for (const AnalyzePoint& point : drawing.result.analysis.points) {
    const std::string name = fmt::format("{} on {}", point.workload.name, point.gpu);
    x.add(point.intensity().value(), name + ": the intensity");
    y.add(point.achievable().value(), name + ": what is achievable");
  }
  for (const MeasuredPoint& measured : drawing.result.measured) {
    const std::string name = measured.name.empty() ? "what was measured" : measured.name;
    x.add(measured.intensity.value(), name + ": the intensity");
    y.add(measured.achieved.value(), name + ": the rate");
  }
  for (const Ceiling& ceiling : drawing.result.ceilings) {
    const std::string name = fmt::format("{} {}", ceiling.gpu, to_string(ceiling.key));
    x.add(ceiling.roof.ridge().value(), name + ": the ridge");
    y.add(ceiling.roof.peak.value(), name + ": the peak");
  }
  Chart& chart = drawing.chart;
  chart.x = {.label = "arithmetic intensity", .unit = "FLOP/byte"};
  chart.y = {.label = "achievable rate", .unit = "FLOP/s", .scaled = true};
  x.apply(chart.x);
  y.apply(chart.y);
}

/// Where a slope enters the frame.
ChartPosition slope_start(const Chart& chart, const Roof& roof) {
  const double bandwidth = roof.bandwidth.value();
  const double x = std::max(chart.x.low, chart.y.low / bandwidth);
  return {x, std::max(chart.y.low, std::min(bandwidth * x, roof.peak.value()))};
}

ChartPosition ridge_of(const Roof& roof) {
  return {roof.ridge().value(), roof.peak.value()};
}

/// The slope is solid as far as something runs on it; every ceiling starts at its ridge.
void add_roof_lines(Drawing& drawing, std::size_t device) {
  Chart& chart = drawing.chart;
  const Ceilings& ceilings = drawing.devices[device];
  const Ceiling* main = main_ceiling(ceilings);
  ChartPosition top = ridge_of(main->roof);
  for (const Ceiling* ceiling : ceilings) {
    const ChartPosition ridge = ridge_of(ceiling->roof);
    ChartLine line{.points = {ridge, {chart.x.high, ridge.y}}, .line_key = device};
    line.dashed = ceiling != main && !ceiling->used;
    if (ceiling == main) {
      line.points.insert(line.points.begin(), slope_start(chart, main->roof));
    } else if (ridge.y > top.y) {
      line.points.insert(line.points.begin(), top);
      top = ridge;
    }
    chart.lines.push_back(std::move(line));
  }
}

void add_roof_labels(Drawing& drawing, std::size_t device) {
  Chart& chart = drawing.chart;
  const Ceilings& ceilings = drawing.devices[device];
  const bool alone = drawing.devices.size() == 1;
  for (const Ceiling* ceiling : ceilings) {
    const ChartPosition ridge = ridge_of(ceiling->roof);
    const std::string text = ceiling_text(drawing, *ceiling);
    chart.line_labels.push_back({ridge,
                                 {chart.x.high, ridge.y},
                                 alone ? text : fmt::format("{} {}", ceiling->gpu, text),
                                 device});
  }
  const Roof& main = main_ceiling(ceilings)->roof;
  chart.line_labels.push_back({slope_start(chart, main), ridge_of(main),
                               drawing.write.scaled(main.bandwidth.value(), "B/s"), device});
  std::set<double> labelled;
  for (const Ceiling* ceiling : ceilings) {
    const ChartPosition ridge = ridge_of(ceiling->roof);
    if (!labelled.insert(ridge.x).second) continue;
    chart.line_labels.push_back({ridge, ridge, ridge_text(drawing, ceiling->roof), device});
  }
}

void add_devices(Drawing& drawing) {
  for (std::size_t device = 0; device < drawing.devices.size(); ++device) {
    const Ceilings& ceilings = drawing.devices[device];
    std::string detail;
    for (const Ceiling* ceiling : ceilings) {
      detail += fmt::format("{}, {}; ", ceiling_text(drawing, *ceiling),
                            ridge_text(drawing, ceiling->roof));
    }
    detail += drawing.write.scaled(ceilings.front()->roof.bandwidth.value(), "B/s");
    drawing.chart.line_keys.push_back({ceilings.front()->gpu, detail});
    add_roof_lines(drawing, device);
    add_roof_labels(drawing, device);
  }
}

std::vector<std::pair<std::string, std::string>> figures_of(const Drawing& drawing,
                                                            const AnalyzePoint& point) {
  const Writer& write = drawing.write;
  std::vector<std::pair<std::string, std::string>> figures{
      {"intensity", write.number(point.intensity().value()) + " FLOP/byte"},
      {"ridge", write.number(point.roof.ridge().value()) + " FLOP/byte"},
      {"achievable", write.scaled(point.achievable().value(), "FLOP/s")},
      {"verdict", std::string(to_string(point.verdict()))},
      {"roofline time", write.time(point.roofline_time)}};
  if (const StepAnalysis* step = step_of_point(point)) {
    figures.emplace_back("throughput", write.number(step->tokens_per_second) + " tok/s");
  }
  return figures;
}

void add_workloads(Drawing& drawing) {
  Chart& chart = drawing.chart;
  const auto& points = drawing.result.analysis.points;
  const bool alone = drawing.devices.size() == 1;
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const AnalyzePoint& point = points[i];
    const std::size_t workload = drawing.workloads.of_point[i];
    const std::string& name = drawing.workloads.names[workload];
    const double intensity = point.intensity().value();
    if (seen.insert(workload).second) {
      std::string detail = drawing.write.number(intensity) + " FLOP/byte";
      if (alone) {
        detail +=
            fmt::format(", {}, {}", drawing.write.scaled(point.achievable().value(), "FLOP/s"),
                        drawing.write.time(point.roofline_time));
      }
      chart.point_keys.push_back({.name = name, .detail = detail});
      if (drawing.as_lines) {
        chart.rules.push_back({.at = intensity, .label = name, .point_key = workload});
      }
    }
    chart.markers.push_back({.at = {intensity, point.achievable().value()},
                             .label = drawing.as_lines ? std::string() : name,
                             .line_key = device_of(drawing, point.gpu),
                             .point_key = workload,
                             .title = fmt::format("{} on {}", name, point.gpu),
                             .figures = figures_of(drawing, point)});
  }
}

std::string share_text(FlopsPerSecond achieved, FlopsPerSecond achievable) {
  return format_significant(100 * (achieved / achievable), 2) + " %";
}

void add_measured(Drawing& drawing) {
  Chart& chart = drawing.chart;
  for (const MeasuredPoint& measured : drawing.result.measured) {
    const std::string rate = drawing.write.scaled(measured.achieved.value(), "FLOP/s");
    ChartMarker marker{.at = {measured.intensity.value(), measured.achieved.value()},
                       .label = measured.name,
                       .measured = true,
                       .title = measured.name,
                       .figures = {{"measured", rate}}};
    if (measured.point) {
      const AnalyzePoint& point = drawing.result.analysis.points[*measured.point];
      const std::string share = share_text(measured.achieved, point.achievable());
      marker.label = drawing.as_lines ? std::string() : "measured, " + share;
      marker.line_key = device_of(drawing, point.gpu);
      marker.point_key = drawing.workloads.of_point[*measured.point];
      marker.title =
          fmt::format("measured: {} on {}", drawing.workloads.names[*marker.point_key], point.gpu);
      marker.figures.emplace_back("of the roofline", share);
      marker.figures.emplace_back("time", drawing.write.time(*measured.time));
    } else {
      const std::string intensity = drawing.write.number(measured.intensity.value()) + " FLOP/byte";
      marker.point_key = chart.point_keys.size();
      marker.figures.insert(marker.figures.begin(), {"intensity", intensity});
      chart.point_keys.push_back({measured.name, fmt::format("{}, {}", intensity, rate), true});
    }
    chart.markers.push_back(std::move(marker));
  }
}

}  // namespace

Chart roofline_chart(const PlotResult& result, MarkWorkloads mark, int significant_digits) {
  Drawing drawing{result, Writer(significant_digits), by_device(result),
                  plotted_workloads(result.analysis)};
  constexpr std::size_t most_lines = 16;
  const bool several = drawing.devices.size() > 1;
  drawing.as_lines =
      mark == MarkWorkloads::as_lines || (mark == MarkWorkloads::by_number_of_devices && several &&
                                          drawing.workloads.names.size() <= most_lines);
  drawing.chart.color_by_point = !several;
  fit_axes(drawing);
  add_devices(drawing);
  add_workloads(drawing);
  add_measured(drawing);
  return std::move(drawing.chart);
}

}  // namespace roofline::report
