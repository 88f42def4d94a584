#include "report/solve_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/format.hpp"
#include "base/number.hpp"
#include "report/one_row.hpp"
#include "report/server_words.hpp"
#include "report/solve_facts.hpp"

namespace roofline::report {
namespace {

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
Table intensity_limit_table(const SweetSpot& spot) {
  Table table{.key = "intensity_limits",
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

void add_answer(const SolveRequest& request, const SolveResult& result, OneRow& row) {
  row.text("unknown", to_string(request.unknown));
  row.text("sought", result.largest ? "largest" : "smallest");
  row.count("answer", result.answer, Unknown());
  row.text("bound_by", result.bound ? to_string(*result.bound) : "");
  const bool known = result.answer || request.unknown != SolveFor::devices;
  add_deployment(known ? std::optional(result.deployment) : std::nullopt, row);
  row.add("memory_usable_bytes", Unit::bytes, optional_value(result.usable_memory));
}

void add_sweet_spot(const SweetSpot& spot, OneRow& row) {
  row.add("intensity_limit_flop_per_byte", Unit::flop_per_byte, spot.tendency.limit.value());
  row.add("ridge_flop_per_byte", Unit::flop_per_byte, spot.tendency.ridge.value());
  if (!spot.contexts.empty()) {
    row.count("context_at_which_reached_tokens", spot.contexts.front().context);
    row.count("batch_at_that_context", spot.batch_at_context, Value());
  }
  if (!spot.with_8_bit_kv) return;
  row.add("fp8_kv_intensity_limit_flop_per_byte", Unit::flop_per_byte,
          spot.with_8_bit_kv->limit.value());
  row.add("fp8_kv_suffices", Unit::none, spot.batch_with_8_bit_kv.has_value());
  row.count("fp8_kv_batch", spot.batch_with_8_bit_kv, Value());
}

std::string reason_of(const SolveResult& result) {
  if (!result.answer) return result.reason;
  return result.usable_memory ? "" : capacity_not_known;
}

Table results_table(const SolveRequest& request, const SolveResult& result) {
  OneRow row;
  add_subject(request.server, row);
  add_answer(request, result, row);
  if (result.sweet_spot) add_sweet_spot(*result.sweet_spot, row);
  add_price(request.server, result.price, row);
  add_end(reason_of(result), request.server.model, result.precision, result.notes, row);
  return row.take();
}

}  // namespace

Report from(const SolveRequest& request, const SolveResult& result, const ServerContext& context) {
  Report report;
  report.command = "solve";
  report.title = solve_title(request, result, context);
  report.facts = solve_facts(request, result, context);
  report.first_fact_matters_most = true;
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  report.results = results_table(request, result);
  report.results_in_text = false;
  report.details.push_back({limits_table(result), proof_table(request, result)});
  if (result.sweet_spot && !result.answer) {
    report.details.back().push_back(intensity_limit_table(*result.sweet_spot));
  }
  report.notes = result.notes;
  return report;
}

}  // namespace roofline::report
