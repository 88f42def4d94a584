// Checks a question turned round, and hands it to the solver of its unknown.
#include "roofline/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/routed_experts.hpp"
#include "analysis/server_notes.hpp"
#include "analysis/server_price.hpp"
#include "analysis/solve_parts.hpp"
#include "base/counted.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::array asked_limits{SolveLimit::ridge, SolveLimit::tpot, SolveLimit::ttft,
                                  SolveLimit::throughput, SolveLimit::cost};

bool is_asked(SolveLimit limit, const SolveConstraints& c) {
  switch (limit) {
    case SolveLimit::ridge:
      return c.compute_bound;
    case SolveLimit::tpot:
      return c.tpot.has_value();
    case SolveLimit::ttft:
      return c.ttft.has_value();
    case SolveLimit::throughput:
      return c.tokens_per_second.has_value();
    case SolveLimit::cost:
      return c.dollars_per_million_tokens.has_value();
    case SolveLimit::memory:
      break;
  }
  return true;
}

void require_applicable(const SolveRequest& request) {
  int others = 0;
  for (const SolveLimit limit : asked_limits) {
    if (!is_asked(limit, request.constraints)) continue;
    if (limit != SolveLimit::ridge) ++others;
    if (applies(limit, request.unknown)) continue;
    throw Error(Diagnostic{
        .what = fmt::format("{} has no say in the {}", noun_of(limit), to_string(request.unknown)),
        .fix = "leave it out"});
  }
  if (request.constraints.compute_bound && others > 0) {
    throw Error(Diagnostic{.what = "the ridge and other limits are two questions",
                           .why = "each has an answer of its own",
                           .fix = "ask for --bound compute alone"});
  }
}

void require_price(const SolveRequest& request) {
  if (!request.constraints.dollars_per_million_tokens || price_of(request.server)) return;
  throw Error(Diagnostic{.what = fmt::format("no price of {} is known", request.server.device.name),
                         .why = "a limit on cost needs one",
                         .fix = "--price 2.49"});
}

/// Where nothing else is asked, memory alone decides.
void require_capacity(const SolveRequest& request) {
  const bool known = usable_memory(request.server.device).has_value();
  const bool alone = std::none_of(asked_limits.begin(), asked_limits.end(), [&](SolveLimit limit) {
    return is_asked(limit, request.constraints);
  });
  if (known || !alone) return;
  throw Error(
      Diagnostic{.what = fmt::format("the memory of {} is not known", request.server.device.name),
                 .why = "without another limit it alone decides",
                 .fix = "--memory 80GB"});
}

void require_one_device(const SolveRequest& request) {
  if (request.unknown != SolveFor::devices || request.server.deployment == Deployment{}) return;
  throw Error(
      Diagnostic{.what = "the deployment is what is to be found",
                 .why = fmt::format("tensor and pipeline parallel are tried up to {} devices",
                                    count_text(most_devices)),
                 .fix = "leave --tp, --pp, --ep and --dp out"});
}

void add_notes(const SolveRequest& request, SolveResult& result) {
  const Model& model = request.server.model;
  switch (request.unknown) {
    case SolveFor::context:
      note_context(model, result.answer.value_or(0), result.notes);
      break;
    case SolveFor::concurrency:
      note_context(model, request.shape.prompt + request.shape.output, result.notes);
      break;
    case SolveFor::batch:
    case SolveFor::devices:
      note_context(model, request.context, result.notes);
      break;
  }
  const bool by_memory =
      std::any_of(result.edges.begin(), result.edges.end(),
                  [](const SolveEdge& edge) { return edge.limit == SolveLimit::memory; });
  if (by_memory || request.unknown == SolveFor::devices) {
    note_overhead(request.server.limits.overhead, result.notes);
  }
  if (request.unknown != SolveFor::concurrency) {
    note_stages(request.server.deployment, result.notes);
    if (request.constraints.tpot) {
      result.notes.emplace_back(
          "TPOT is the decode step alone here; with prompts between: roofline solve concurrency");
    }
  }
  note_experts(model, request.server.experts, result.notes);
  note_memory(request.server.device, result.notes);
  if (result.price && request.constraints.dollars_per_million_tokens) {
    note_price(request.server.device, *result.price, result.notes);
  }
}

}  // namespace

std::string_view to_string(SolveFor unknown) {
  switch (unknown) {
    case SolveFor::batch:
      return "batch";
    case SolveFor::context:
      return "context";
    case SolveFor::concurrency:
      return "concurrency";
    case SolveFor::devices:
      break;
  }
  return "devices";
}

std::string_view to_string(SolveLimit limit) {
  switch (limit) {
    case SolveLimit::ridge:
      return "ridge";
    case SolveLimit::memory:
      return "memory";
    case SolveLimit::tpot:
      return "tpot-limit";
    case SolveLimit::ttft:
      return "ttft-limit";
    case SolveLimit::throughput:
      return "min-throughput";
    case SolveLimit::cost:
      break;
  }
  return "max-cost";
}

bool applies(SolveLimit limit, SolveFor unknown) {
  switch (limit) {
    case SolveLimit::ridge:
      return unknown == SolveFor::batch || unknown == SolveFor::context;
    case SolveLimit::ttft:
      return unknown != SolveFor::batch;
    case SolveLimit::memory:
    case SolveLimit::tpot:
    case SolveLimit::throughput:
    case SolveLimit::cost:
      break;
  }
  return true;
}

SolveResult solve(const SolveRequest& request) {
  const Server& server = request.server;
  ErrorCollector errors;
  errors.collect([&] { require_applicable(request); });
  errors.collect([&] { require_price(request); });
  errors.collect([&] { require_capacity(request); });
  errors.collect([&] { require_one_device(request); });
  errors.collect([&] { require_choices({&server.model, 1}, server.precision, server.experts); });
  errors.throw_if_any();
  const Setting setting =
      make_setting(server.model, server.device, server.deployment, server.precision);
  SolveResult result{.precision = setting.precision,
                     .deployment = setting.deployment,
                     .largest = false,
                     .answer = {},
                     .reason = {},
                     .bound = {},
                     .edges = {},
                     .sweet_spot = {},
                     .proof = {},
                     .usable_memory = Capacity(setting, server.limits).usable(),
                     .price = listed_price(server),
                     .notes = setting.notes};
  note_latency_left_out(setting.network, result.notes);
  switch (request.unknown) {
    case SolveFor::batch:
      if (request.constraints.compute_bound) {
        solve_sweet_spot(request, setting, result);
      } else {
        solve_batch(request, setting, result);
      }
      break;
    case SolveFor::context:
      solve_context(request, setting, result);
      break;
    case SolveFor::concurrency:
      solve_concurrency(request, setting, result);
      break;
    case SolveFor::devices:
      solve_devices(request, result);
      break;
  }
  add_notes(request, result);
  return result;
}

}  // namespace roofline
