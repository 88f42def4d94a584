#include "report/serve_report.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "analysis/routed_experts.hpp"
#include "analysis/server_price.hpp"
#include "base/counted.hpp"
#include "base/format.hpp"
#include "base/number.hpp"
#include "report/one_row.hpp"
#include "report/server_words.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

std::string asked_text(const ServeRequest& request) {
  std::string text = "largest concurrency";
  if (request.concurrency) text = "concurrency " + count_text(*request.concurrency);
  if (request.requests_per_second) {
    text = format_exact(*request.requests_per_second) + " requests/s";
  }
  if (request.tpot_limit) text += ", TPOT within " + limit_text(*request.tpot_limit);
  if (request.ttft_limit) text += ", TTFT within " + limit_text(*request.ttft_limit);
  return text;
}

std::string question_of(const ServeRequest& request, const ServerContext& context) {
  return fmt::format("serve of {}, {} prompt and {} output tokens, {}, on {}{}", context.subject,
                     count_text(request.shape.prompt), count_text(request.shape.output),
                     asked_text(request), context.devices, context.overrides);
}

std::string_view for_these_experts(const Server& server) {
  return depends_on_routing(server) ? " for these experts" : "";
}

std::string bound_text(const ServeRequest& request, const ServeResult& result) {
  switch (result.bound) {
    case ServeBound::asked:
      return "as asked for";
    case ServeBound::request_rate:
      return fmt::format("the fewest that reach {} requests/s",
                         format_exact(*request.requests_per_second));
    case ServeBound::memory:
      return "the most that memory holds";
    case ServeBound::tpot_limit:
      return "the most within the TPOT limit";
    case ServeBound::ttft_limit:
      break;
  }
  return "the TTFT limit is not met";
}

/// What the limits that do not bind would allow, each alone; all of them where the answer is no.
std::string limits_text(const ServeRequest& request, const ServeResult& result) {
  std::vector<std::string> limits;
  const auto add = [&](const std::optional<std::int64_t>& limit, ServeBound bound,
                       const char* text) {
    if (!limit || (result.point && result.bound == bound)) return;
    limits.push_back(fmt::format("{} {}", text, count_text(*limit)));
  };
  if (!result.memory_concurrency) limits.emplace_back("memory not known");
  add(result.memory_concurrency, ServeBound::memory, "memory holds at most");
  add(result.tpot_concurrency, ServeBound::tpot_limit, "the TPOT limit allows");
  add(result.ttft_concurrency, ServeBound::ttft_limit, "the TTFT limit allows");
  if (request.ttft_limit && !result.ttft_concurrency) limits.emplace_back("the TTFT limit is met");
  add(result.rate_concurrency, ServeBound::request_rate, "the rate needs");
  return fmt::format("{}", fmt::join(limits, "; "));
}

void add_money_and_energy(const ServeRequest& request, const ServingPoint& point,
                          const Writer& write, std::vector<Fact>& facts) {
  const std::string devices = counted(request.server.deployment.devices(), "device");
  if (const auto price = price_of(request.server); price && point.dollars_per_million_tokens) {
    facts.push_back(
        {"cost", fmt::format("{} USD", write.number(*point.dollars_per_million_tokens)),
         fmt::format("per 1M output tokens, at least{}: {} at {} USD an hour",
                     for_these_experts(request.server), devices, format_exact(price->value()))});
  }
  if (point.joules_per_token) {
    facts.push_back(
        {"energy", fmt::format("{} J", write.number(*point.joules_per_token)),
         fmt::format("per output token at that rate, at most: {} at the TDP of {}", devices,
                     format_scaled(request.server.device.tdp->value(), "W", 3))});
  }
}

std::vector<Fact> facts_of(const ServeRequest& request, const ServeResult& result,
                           const Writer& write) {
  const ServingPoint& point = *result.point;
  const std::string experts(for_these_experts(request.server));
  const RequestShape& shape = request.shape;
  std::vector<Fact> facts;
  const std::string limits = limits_text(request, result);
  facts.push_back({"concurrency", count_text(point.concurrency),
                   bound_text(request, result) + (limits.empty() ? "" : "; ") + limits});
  facts.push_back({"TTFT", write.time(point.ttft),
                   fmt::format("floor{}: one prompt alone, nothing else under way", experts)});
  const std::string prompts =
      point.tpot > point.decode ? ", other prompts " + write.time(point.tpot - point.decode) : "";
  facts.push_back({"TPOT", write.time(point.tpot),
                   fmt::format("floor{} under load: decode step {} at context {}{}", experts,
                               write.time(point.decode),
                               count_text(shape.prompt + shape.output / 2), prompts)});
  facts.push_back({"requests", fmt::format("{} /s", write.number(point.requests_per_second)),
                   result.most_requests_per_second
                       ? fmt::format("as asked for; this concurrency could serve {} /s{}",
                                     write.number(*result.most_requests_per_second), experts)
                       : fmt::format("at most{}, in the steady state", experts)});
  const bool at_rate = result.most_requests_per_second.has_value();
  const double each = point.output_tokens_per_second / number(point.concurrency);
  facts.push_back(
      {"output", fmt::format("{} tok/s", write.number(point.output_tokens_per_second)),
       at_rate ? "at that rate"
               : fmt::format("at most{}; {} tok/s per sequence", experts, write.number(each))});
  facts.push_back({"input", fmt::format("{} tok/s", write.number(point.input_tokens_per_second)),
                   at_rate ? "at that rate" : fmt::format("at most{}", experts)});
  add_money_and_energy(request, point, write, facts);
  return facts;
}

Value optional_number(const std::optional<double>& value) {
  return value ? Value(*value) : Value();
}

/// Where the answer is no, its figures are null.
void add_point(const std::optional<ServingPoint>& point, ServeBound bound, OneRow& row) {
  const auto figure = [&](const char* key, Unit unit, auto get) {
    row.add(key, unit, point ? Value(get(*point)) : Value(Unknown()));
  };
  using Point = ServingPoint;
  figure("concurrency", Unit::count, [](const Point& p) { return number(p.concurrency); });
  row.text("bound_by", to_string(bound));
  figure("ttft_s", Unit::seconds, [](const Point& p) { return p.ttft.value(); });
  figure("tpot_s", Unit::seconds, [](const Point& p) { return p.tpot.value(); });
  figure("decode_step_s", Unit::seconds, [](const Point& p) { return p.decode.value(); });
  figure("prompt_share_s", Unit::seconds, [](const Point& p) { return p.prompt_share.value(); });
  figure("requests_per_s", Unit::none, [](const Point& p) { return p.requests_per_second; });
  figure("output_tok_per_s", Unit::tok_per_s,
         [](const Point& p) { return p.output_tokens_per_second; });
  figure("input_tok_per_s", Unit::tok_per_s,
         [](const Point& p) { return p.input_tokens_per_second; });
  figure("usd_per_million_tokens", Unit::usd,
         [](const Point& p) { return optional_number(p.dollars_per_million_tokens); });
  figure("energy_j_per_tok", Unit::none,
         [](const Point& p) { return optional_number(p.joules_per_token); });
}

std::string reason_of(const ServeResult& result) {
  if (!result.reason.empty()) return result.reason;
  return result.memory_concurrency ? "" : capacity_not_known;
}

Table results_table(const ServeRequest& request, const ServeResult& result) {
  OneRow row;
  add_subject(request.server, row);
  add_deployment(request.server.deployment, row);
  row.count("input_tokens", request.shape.prompt);
  row.count("output_tokens", request.shape.output);
  add_point(result.point, result.bound, row);
  row.count("memory_concurrency", result.memory_concurrency, Unknown());
  row.count("tpot_concurrency", result.tpot_concurrency, Value());
  row.count("ttft_concurrency", result.ttft_concurrency, Value());
  row.count("rate_concurrency", result.rate_concurrency, Value());
  row.add("most_requests_per_s", Unit::none, optional_number(result.most_requests_per_second));
  add_price(request.server, result.price, row);
  add_end(reason_of(result), request.server.model, result.precision, result.notes, row);
  return row.take();
}

}  // namespace

Report from(const ServeRequest& request, const ServeResult& result, const ServerContext& context) {
  Report report;
  report.command = "serve";
  report.title = question_of(request, context);
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  report.first_fact_matters_most = true;
  if (result.point) {
    report.facts = facts_of(request, result, Writer(context.significant_digits));
  } else {
    report.facts = {{"concurrency", "none", result.reason},
                    {"limits", limits_text(request, result), ""}};
  }
  report.results = results_table(request, result);
  report.results_in_text = false;
  report.notes = result.notes;
  return report;
}

}  // namespace roofline::report
