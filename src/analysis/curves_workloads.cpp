// What varies along a curve, and what cannot be drawn as one.
#include <fmt/format.h>

#include "analysis/curves_parts.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// Null where the workload has no such thing.
std::int64_t* find_value(Workload& workload, CurveX x) {
  return std::visit(
      [x](auto& kind) -> std::int64_t* {
        if constexpr (requires { kind.batch; }) {
          if (x == CurveX::batch) return &kind.batch;
        }
        if constexpr (requires { kind.context; }) {
          if (x == CurveX::context) return &kind.context;
        }
        return nullptr;
      },
      workload);
}

void require_x(const CurvesRequest& request, const NamedWorkload& named, ErrorCollector& errors) {
  const std::string_view x = to_string(request.x);
  if (sequences_of(named.workload).size() > 1) {
    errors.add(Error(Diagnostic{
        .what = fmt::format("{}: sequences of several lengths have no {} to vary", named.name, x),
        .why = "a curve is over one batch, or one context, of sequences that are alike",
        .fix = "--batch and --context instead of --contexts"}));
  } else if (!value_of(named.workload, request.x)) {
    errors.add(Error(Diagnostic{
        .what = fmt::format("{} has no {}", named.name, x),
        .why = "a curve is over a value that the workload has",
        .fix = value_of(named.workload, CurveX::batch)
                   ? "--x batch"
                   : "leave --x and --y out: the roofline has a point for each workload"}));
  }
}

void require_y(const CurvesRequest& request, const NamedWorkload& named, ErrorCollector& errors) {
  const bool decode = std::holds_alternative<Decode>(named.workload);
  if (request.y != CurveY::intensity && !needs_model(named.workload)) {
    errors.add(Error(Diagnostic{
        .what = fmt::format("{} has no {}", named.name,
                            request.y == CurveY::tpot ? "TPOT" : to_string(request.y)),
        .why = "a kernel on its own has no tokens a second, memory or price: it is not a step of a "
               "model",
        .fix = "--y intensity"}));
  } else if (request.y == CurveY::tpot && !decode) {
    errors.add(
        Error(Diagnostic{.what = fmt::format("{} has no TPOT", named.name),
                         .why = "TPOT is the time of a step in which all sequences decode alone",
                         .fix = "--y throughput, or --workload decode"}));
  } else if (request.tpot_limit && !decode) {
    errors.add(
        Error(Diagnostic{.what = fmt::format("--tpot-limit does not go with {}", named.name),
                         .why = "TPOT is the time of a step in which all sequences decode alone",
                         .fix = "leave it out, or use --workload decode"}));
  }
}

void require_prices(const CurvesRequest& request, ErrorCollector& errors) {
  if (request.y != CurveY::cost || request.question.price) return;
  std::vector<std::string> without;
  for (const Device& device : request.question.devices) {
    if (usual_price(device) == nullptr) without.push_back(device.name);
  }
  if (without.empty()) return;
  errors.add(
      Error(Diagnostic{.what = fmt::format("no price of {} is known", fmt::join(without, ", ")),
                       .why = "the cost is the price of an hour over the tokens of an hour",
                       .fix = "--price 2.49"}));
}

}  // namespace

std::optional<std::int64_t> value_of(const Workload& workload, CurveX x) {
  Workload copy = workload;
  const std::int64_t* value = find_value(copy, x);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Workload with_value(Workload workload, CurveX x, std::int64_t value) {
  std::int64_t* found = find_value(workload, x);
  ensure(found != nullptr, "a workload without that value");
  *found = value;
  return workload;
}

void require_curves(const CurvesRequest& request) {
  ErrorCollector errors;
  for (const NamedWorkload& named : request.question.workloads) {
    require_x(request, named, errors);
    require_y(request, named, errors);
  }
  require_prices(request, errors);
  errors.throw_if_any();
}

}  // namespace roofline
