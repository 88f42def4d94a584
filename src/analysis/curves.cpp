#include "roofline/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/curves_parts.hpp"
#include "analysis/server_notes.hpp"
#include "analysis/server_price.hpp"
#include "base/counted.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"
#include "roofline/plot.hpp"

namespace roofline {
namespace {

/// What a point of the analysis was computed from.
struct Origin {
  const Model* model = nullptr;  ///< of a step
  const Device* device = nullptr;

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// In the order of analyze: steps by model and device, then kernels by device.
std::vector<Origin> origins_of(const AnalyzeRequest& request) {
  std::int64_t steps = 0;
  for (const NamedWorkload& named : request.workloads) steps += needs_model(named.workload) ? 1 : 0;
  const auto kernels = static_cast<std::int64_t>(request.workloads.size()) - steps;
  std::vector<Origin> origins;
  const auto append = [&](std::int64_t count, const Origin& origin) {
    for (std::int64_t i = 0; i < count; ++i) origins.push_back(origin);
  };
  for (const Model& model : request.models) {
    for (const Device& device : request.devices) append(steps, {&model, &device});
  }
  for (const Device& device : request.devices) append(kernels, {nullptr, &device});
  return origins;
}

std::string_view name_of(CurveY y) {
  return y == CurveY::tpot ? "TPOT" : to_string(y);
}

/// Where no price was given each device has its usual one.
void add_usual_costs(const CurvesRequest& request, const std::vector<Origin>& origins,
                     CurvesResult& result) {
  if (request.y != CurveY::cost || request.question.price) return;
  for (const Device& device : request.question.devices) {
    note_price(device, *usual_price(device), result.notes);
  }
  for (std::size_t i = 0; i < origins.size(); ++i) {
    auto& step = std::get<StepAnalysis>(result.analysis.points[i].detail);
    step.dollars_per_million_tokens = dollars_per_million(usual_price(*origins[i].device)->per_hour,
                                                          step.deployment, step.tokens_per_second);
  }
}

double figure_of(const AnalyzePoint& point, CurveY y) {
  const auto* step = std::get_if<StepAnalysis>(&point.detail);
  switch (y) {
    case CurveY::throughput:
      return step->tokens_per_second;
    case CurveY::tpot:
      return point.roofline_time.value();
    case CurveY::cost:
      return *step->dollars_per_million_tokens;
    case CurveY::intensity:
      break;
  }
  return point.intensity().value();
}

CurvePoint curve_point(const CurvesRequest& request, const AnalyzePoint& point, std::size_t index) {
  const std::int64_t x = *value_of(point.workload.workload, request.x);
  const double y = figure_of(point, request.y);
  if (!std::isfinite(y) || y <= 0) {
    throw Error(Diagnostic{
        .what = fmt::format("{} on {} at {} {}: the {} cannot be drawn, it is {}",
                            point.workload.name, point.gpu, to_string(request.x), count_text(x),
                            name_of(request.y), std::isfinite(y) ? format_exact(y) : "infinite"),
        .why = "the axes are logarithmic: they have values above 0 alone",
        .fix = "leave it out"});
  }
  CurvePoint drawn{.x = static_cast<double>(x), .y = y, .fits = {}, .point = index};
  if (const auto* step = std::get_if<StepAnalysis>(&point.detail)) drawn.fits = step->fits();
  return drawn;
}

/// A curve as it grows, and what its points have in common.
struct Growing {
  Origin origin;
  Workload shape;
  Curve curve;
};

std::vector<Growing> group(const CurvesRequest& request, const std::vector<Origin>& origins,
                           const AnalyzeResult& analysis) {
  std::vector<Growing> groups;
  for (std::size_t i = 0; i < analysis.points.size(); ++i) {
    const Workload shape = with_value(analysis.points[i].workload.workload, request.x, 1);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Growing& other) {
      return other.origin == origins[i] && other.shape == shape;
    });
    if (found == groups.end()) {
      found =
          groups.insert(found, {origins[i], shape, {.first_point = i, .points = {}, .edges = {}}});
    }
    found->curve.points.push_back(curve_point(request, analysis.points[i], i));
  }
  return groups;
}

void sort_by_x(std::vector<CurvePoint>& points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  points.erase(std::unique(points.begin(), points.end(),
                           [](const CurvePoint& a, const CurvePoint& b) { return a.x == b.x; }),
               points.end());
}

void require_two_values(const CurvesRequest& request, const std::vector<Growing>& groups) {
  const bool any = std::any_of(groups.begin(), groups.end(),
                               [](const Growing& grown) { return grown.curve.points.size() > 1; });
  if (any) return;
  const bool batch = request.x == CurveX::batch;
  throw Error(Diagnostic{
      .what = fmt::format("one {} alone is no curve", to_string(request.x)),
      .why = fmt::format("it joins the points of two or more that are alike but for the {}",
                         to_string(request.x)),
      .fix = batch ? "--batch 1..1024x2" : "--context 512..131072x2"});
}

void add_edges(const CurvesRequest& request, const AnalyzeResult& analysis, Growing& grown) {
  Curve& curve = grown.curve;
  if (request.y == CurveY::intensity) {
    // Where products of several types run, their mean peak changes along the curve, and so does the
    // ridge: that of the last point is where the curve is headed.
    const AnalyzePoint& last = analysis.points[curve.points.back().point];
    curve.edges.push_back({CurveLimit::ridge, false, last.roof.ridge().value()});
  }
  if (grown.origin.model == nullptr) return;
  for (const CurveEdge& edge :
       limits_of(request, *grown.origin.model, *grown.origin.device, grown.shape)) {
    curve.edges.push_back(edge);
  }
}

}  // namespace

std::string_view to_string(CurveX x) {
  return x == CurveX::batch ? "batch" : "context";
}

std::string_view to_string(CurveY y) {
  switch (y) {
    case CurveY::throughput:
      return "throughput";
    case CurveY::tpot:
      return "tpot";
    case CurveY::cost:
      return "cost";
    case CurveY::intensity:
      break;
  }
  return "intensity";
}

std::string_view to_string(CurveLimit limit) {
  switch (limit) {
    case CurveLimit::ridge:
      return "ridge";
    case CurveLimit::tpot:
      return "tpot-limit";
    case CurveLimit::memory:
      break;
  }
  return "memory";
}

CurvesResult curves(const CurvesRequest& request) {
  require_curves(request);
  require_few_plotted_points(request.question);
  const std::vector<Origin> origins = origins_of(request.question);
  CurvesResult result;
  result.x = request.x;
  result.y = request.y;
  result.tpot_limit = request.tpot_limit;
  result.analysis = analyze(request.question);
  ensure(result.analysis.points.size() == origins.size(), "points in another order");
  add_usual_costs(request, origins, result);
  std::vector<Growing> groups = group(request, origins, result.analysis);
  for (Growing& grown : groups) sort_by_x(grown.curve.points);
  require_two_values(request, groups);
  for (Growing& grown : groups) {
    add_edges(request, result.analysis, grown);
    result.curves.push_back(std::move(grown.curve));
  }
  return result;
}

}  // namespace roofline
