#include "report/solve_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/format.hpp"
#include "report/solve_parts.hpp"

namespace roofline::report {
namespace {

double number(std::int64_t count) {
  return static_cast<double>(count);
}

/// The key of the unknown where a value of it stands.
std::string value_key(SolveFor unknown) {
  return unknown == SolveFor::context ? "context_tokens" : std::string(to_string(unknown));
}

template <class T>
Value optional_value(const std::optional<T>& quantity) {
  return quantity ? Value(quantity->value()) : Value();
}
Value optional_value(const std::optional<double>& real) {
  return real ? Value(*real) : Value();
}
Value optional_value(const std::optional<std::int64_t>& whole) {
  return whole ? Value(number(*whole)) : Value();
}

std::vector<std::string> names_of(const std::vector<SolveLimit>& limits) {
  std::vector<std::string> names;
  for (const SolveLimit limit : limits) names.emplace_back(to_string(limit));
  return names;
}

/// "+0.011 %": what an intensity is above the ridge, where their digits alone do not tell.
std::string from_ridge(FlopsPerByte intensity, FlopsPerByte ridge) {
  constexpr int digits = 3;
  const double share = 100 * (intensity / ridge - 1);
  return fmt::format("{}{} %", share >= 0 ? "+" : "-",
                     format_significant(share >= 0 ? share : -share, digits));
}

/// "yes", or what is missed.
Value holds_text(const SolveTrial& trial) {
  if (trial.missed.empty()) return std::string("yes");
  return fmt::format("no: {}", fmt::join(names_of(trial.missed), ", "));
}

Value fits_text(const SolveTrial& trial) {
  if (!trial.fits) return std::string("not known");
  return std::string(*trial.fits ? "yes" : "no");
}

/// One column of the proof, and its value for a trial.
struct ProofColumn {
  Column column;
  std::function<Value(const SolveTrial&)> value;
};

std::vector<ProofColumn> deployment_columns(const SolveRequest& request,
                                            const SolveResult& result) {
  const bool shown = request.unknown == SolveFor::devices;
  const bool any_whole = std::any_of(result.proof.begin(), result.proof.end(),
                                     [](const SolveTrial& t) { return t.deployment.expert != 1; });
  const auto column = [](const char* key, bool in_text, std::int64_t Deployment::*ways) {
    return ProofColumn{{key, key, Unit::count, in_text ? Show::everywhere : Show::machine},
                       [ways](const SolveTrial& t) -> Value { return number(t.deployment.*ways); }};
  };
  return {column("tp", shown, &Deployment::tensor), column("pp", shown, &Deployment::pipeline),
          column("ep", shown && any_whole, &Deployment::expert),
          column("dp", false, &Deployment::data)};
}

std::vector<ProofColumn> ridge_columns(bool asked) {
  const Show show = asked ? Show::everywhere : Show::machine;
  std::vector<ProofColumn> columns{{{"intensity_flop_per_byte", "", Unit::flop_per_byte, show},
                                    [](const auto& t) { return optional_value(t.intensity); }},
                                   {{"ridge_flop_per_byte", "ridge", Unit::none, show},
                                    [](const auto& t) { return optional_value(t.ridge); }}};
  if (!asked) return columns;
  columns.push_back({{"from_ridge", "from ridge", Unit::none, Show::text},
                     [](const auto& t) -> Value { return from_ridge(*t.intensity, *t.ridge); }});
  return columns;
}

/// `shown`: not at batches that no memory holds.
std::vector<ProofColumn> figure_columns(const SolveConstraints& c, bool shown) {
  const auto show = [](bool in_text) { return in_text ? Show::everywhere : Show::machine; };
  return {{{"tpot_s", "TPOT", Unit::seconds, show(shown)},
           [](const auto& t) -> Value { return t.tpot.value(); }},
          {{"ttft_s", "TTFT", Unit::seconds, show(c.ttft.has_value())},
           [](const auto& t) { return optional_value(t.ttft); }},
          {{"throughput_tok_per_s", "", Unit::tok_per_s, show(shown)},
           [](const auto& t) -> Value { return t.tokens_per_second; }},
          {{"usd_per_million_tokens", "per 1M tok", Unit::usd,
            show(c.dollars_per_million_tokens.has_value())},
           [](const auto& t) { return optional_value(t.dollars_per_million_tokens); }},
          {{"memory_needed_bytes", "needs", Unit::bytes, show(shown)},
           [](const auto& t) -> Value { return t.memory_needed.value(); }},
          {{"fits", "fits", Unit::none, Show::machine},
           [](const auto& t) { return t.fits ? Value(*t.fits) : Value(Unknown()); }},
          {{"fits_text", "fits", Unit::none, Show::text}, fits_text},
          {{"holds", "holds", Unit::none, Show::machine},
           [](const auto& t) -> Value { return t.missed.empty(); }},
          {{"missed", "missed", Unit::none, Show::machine},
           [](const auto& t) -> Value { return names_of(t.missed); }},
          {{"holds_text", "holds", Unit::none, Show::text}, holds_text}};
}

Table proof_table(const SolveRequest& request, const SolveResult& result) {
  const bool at_ridge = request.constraints.compute_bound;
  std::vector<ProofColumn> columns{
      {{value_key(request.unknown), std::string(to_string(request.unknown)), Unit::count},
       [](const auto& t) -> Value { return number(t.value); }}};
  for (const auto& more :
       {deployment_columns(request, result), ridge_columns(at_ridge),
        figure_columns(request.constraints, !at_ridge || result.answer.has_value())}) {
    columns.insert(columns.end(), more.begin(), more.end());
  }
  Table table{.key = "proof"};
  for (const ProofColumn& column : columns) table.columns.push_back(column.column);
  for (const SolveTrial& trial : result.proof) {
    Row row;
    for (const ProofColumn& column : columns) row.push_back(column.value(trial));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What each limit allows on its own; the facts say it in text.
Table limits_table(const SolveResult& result) {
  Table table{.key = "limits",
              .columns = {{"limit", "limit"},
                          {"at_most", "at most", Unit::count},
                          {"at_least", "at least", Unit::count},
                          {"met", "met"}},
              .in_text = false};
  for (const SolveEdge& edge : result.edges) {
    const Value value = optional_value(edge.value);
    table.rows.push_back({std::string(to_string(edge.limit)), edge.at_most ? value : Value(),
                          edge.at_most ? Value() : value, edge.value.has_value()});
  }
  return table;
}

/// Where batches reach the ridge and where they cease to.
Table contexts_table(const SweetSpot& spot) {
  Table table{.key = "contexts",
              .columns = {{"context_tokens", "context", Unit::count},
                          {"limit_flop_per_byte", "limit", Unit::flop_per_byte},
                          {"ridge_flop_per_byte", "ridge"},
                          {"from_ridge", "from ridge", Unit::none, Show::text},
                          {"reached", "reached", Unit::none, Show::machine},
                          {"reached_text", "reached", Unit::none, Show::text}}};
  const auto add = [&](const IntensityLimit& one) {
    table.rows.push_back({number(one.context), one.limit.value(), one.ridge.value(),
                          from_ridge(one.limit, one.ridge), one.reached(),
                          std::string(one.reached() ? "yes" : "never")});
  };
  for (const IntensityLimit& one : spot.contexts) add(one);
  const bool listed =
      !spot.contexts.empty() && spot.contexts.back().context == spot.tendency.context;
  if (!listed) add(spot.tendency);
  return table;
}

void add_answer(const SolveRequest& request, const SolveResult& result, Table& table, Row& row) {
  const auto add = [&](Column column, Value value) {
    table.columns.push_back(std::move(column));
    row.push_back(std::move(value));
  };
  add({"unknown", "unknown"}, std::string(to_string(request.unknown)));
  add({"sought", "sought"}, std::string(result.largest ? "largest" : "smallest"));
  add({"answer", "answer", Unit::count}, result.answer ? Value(number(*result.answer)) : Unknown());
  add({"reason", "reason"}, result.answer ? Value() : Value(result.reason));
  add({"bound_by", "bound by"},
      result.bound ? Value(std::string(to_string(*result.bound))) : Value());
  if (result.answer) {
    add({"devices", "devices", Unit::count}, number(result.deployment.devices()));
    add({"tp", "tp", Unit::count}, number(result.deployment.tensor));
    add({"pp", "pp", Unit::count}, number(result.deployment.pipeline));
    add({"ep", "ep", Unit::count}, number(result.deployment.expert));
    add({"dp", "dp", Unit::count}, number(result.deployment.data));
  }
  add({"memory_usable_bytes", "usable", Unit::bytes}, optional_value(result.usable_memory));
}

void add_price(const SolveRequest& request, const SolveResult& result, Table& table, Row& row) {
  if (!request.server.price && !result.price) return;
  const auto text = [&](const char* key, const std::string& value) {
    table.columns.push_back({key, key});
    row.push_back(value.empty() ? Value() : Value(value));
  };
  const Price listed = result.price.value_or(Price{});
  const DollarsPerHour price = request.server.price.value_or(listed.per_hour);
  table.columns.push_back({"price_usd_per_hour", "price", Unit::usd});
  row.emplace_back(price.value());
  text("price_as_of", listed.as_of);
  text("price_provider", listed.provider);
  text("price_tier", listed.tier);
  text("price_source", listed.source);
}

void add_sweet_spot(const SweetSpot& spot, Table& table, Row& row) {
  const auto add = [&](Column column, Value value) {
    table.columns.push_back(std::move(column));
    row.push_back(std::move(value));
  };
  add({"intensity_limit_flop_per_byte", "limit", Unit::flop_per_byte}, spot.tendency.limit.value());
  add({"ridge_flop_per_byte", "ridge"}, spot.tendency.ridge.value());
  if (!spot.contexts.empty()) {
    add({"context_at_which_reached_tokens", "context", Unit::count},
        number(spot.contexts.front().context));
    add({"batch_at_that_context", "batch there", Unit::count},
        optional_value(spot.batch_at_context));
  }
  if (!spot.with_8_bit_kv) return;
  add({"fp8_kv_intensity_limit_flop_per_byte", "fp8 K/V limit", Unit::flop_per_byte},
      spot.with_8_bit_kv->limit.value());
  add({"fp8_kv_suffices", "fp8 K/V suffices"}, spot.batch_with_8_bit_kv.has_value());
  add({"fp8_kv_batch", "fp8 K/V batch", Unit::count}, optional_value(spot.batch_with_8_bit_kv));
}

/// What was asked, behind what is known of the server.
void add_question(const SolveRequest& request, Fields& inputs) {
  const SolveConstraints& c = request.constraints;
  inputs.emplace_back("unknown", std::string(to_string(request.unknown)));
  const bool has_batch =
      request.unknown == SolveFor::context || request.unknown == SolveFor::devices;
  const bool has_context =
      request.unknown == SolveFor::batch || request.unknown == SolveFor::devices;
  if (has_batch) inputs.emplace_back("batch", number(request.batch));
  if (has_context) inputs.emplace_back("context_tokens", number(request.context));
  if (request.unknown == SolveFor::concurrency) {
    inputs.emplace_back("input_tokens", number(request.shape.prompt));
    inputs.emplace_back("output_tokens", number(request.shape.output));
  }
  if (c.compute_bound) inputs.emplace_back("bound", std::string("compute"));
  if (c.tpot) inputs.emplace_back("tpot_limit_s", c.tpot->value());
  if (c.ttft) inputs.emplace_back("ttft_limit_s", c.ttft->value());
  if (c.tokens_per_second) inputs.emplace_back("min_throughput_tok_per_s", *c.tokens_per_second);
  if (c.dollars_per_million_tokens) {
    inputs.emplace_back("max_cost_usd_per_million_tokens", *c.dollars_per_million_tokens);
  }
}

}  // namespace

Report from(const SolveRequest& request, const SolveResult& result, const SolveContext& context) {
  Report report;
  report.command = "solve";
  report.title = solve_title(request, result, context);
  report.facts = solve_facts(request, result, context);
  report.first_fact_matters_most = true;
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  add_question(request, report.inputs);
  report.results.key = "results";
  Row row;
  add_answer(request, result, report.results, row);
  if (result.sweet_spot) add_sweet_spot(*result.sweet_spot, report.results, row);
  add_price(request, result, report.results, row);
  report.results.columns.push_back({"notes", "notes"});
  row.emplace_back(result.notes);
  report.results.rows.push_back(std::move(row));
  report.results_in_text = false;
  report.details.push_back({limits_table(result), proof_table(request, result)});
  if (result.sweet_spot && !result.answer) {
    report.details.back().push_back(contexts_table(*result.sweet_spot));
  }
  report.notes = result.notes;
  return report;
}

}  // namespace roofline::report
