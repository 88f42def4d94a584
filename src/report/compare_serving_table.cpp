// The ranking of devices for requests to serve: what serve says of each, a row a device.
#include <algorithm>
#include <functional>

#include "base/number.hpp"
#include "report/compare_parts.hpp"
#include "report/serve_report.hpp"

namespace roofline::report {
namespace {

/// One column of text: its description, and its value for a device.
struct CandidateColumn {
  Column column;
  std::function<Value(const Candidate&)> value;
};

Value number_or_unknown(const std::optional<double>& value) {
  return value ? Value(*value) : Value(Unknown());
}

/// A figure that a device has not whose answer is no.
template <class Get>
auto of_state(Get get) {
  return [get](const Candidate& candidate) -> Value {
    const ServingPoint* point = candidate.steady_state();
    return point != nullptr ? Value(get(*point)) : Value(Unknown());
  };
}

/// In a few words why a device is not ranked.
std::string obstacle_text(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::link:
      return "no link for so many";
    case Obstacle::rate:
      return "no rate for these";
    case Obstacle::memory:
      return "no: memory";
    case Obstacle::tpot_limit:
      return "no: TPOT limit";
    case Obstacle::ttft_limit:
      return "no: TTFT limit";
    case Obstacle::request_rate:
      return "no: too slow";
    case Obstacle::capacity:
      return "memory unknown";
    case Obstacle::price:
      return "no price";
    case Obstacle::tdp:
      return "no TDP";
    case Obstacle::none:
      break;
  }
  return {};
}

/// What keeps the concurrency from being larger, or the device from being ranked.
std::string bound_text(const Candidate& candidate) {
  if (candidate.obstacle != Obstacle::none) return obstacle_text(candidate.obstacle);
  switch (candidate.serving()->bound) {
    case ServeBound::asked:
      return "asked";
    case ServeBound::request_rate:
      return "request rate";
    case ServeBound::memory:
      return "memory";
    case ServeBound::tpot_limit:
      return "TPOT limit";
    case ServeBound::ttft_limit:
      break;
  }
  return "TTFT limit";
}

std::vector<CandidateColumn> text_columns(RankBy by) {
  const auto figure = [by](const char* key, const char* header, Unit unit, RankBy order) {
    return Column{
        .key = key, .header = header, .unit = unit, .show = Show::text, .where_room = by != order};
  };
  std::vector<CandidateColumn> columns{
      {{.key = "gpu", .header = "gpu", .show = Show::text},
       [](const Candidate& c) -> Value { return c.gpu; }},
      {{"concurrency", "concurrency", Unit::count, Show::text},
       of_state([](const ServingPoint& p) { return number(p.concurrency); })},
      {{.key = "ttft_s",
        .header = "TTFT",
        .unit = Unit::seconds,
        .show = Show::text,
        .prefix = "m"},
       of_state([](const ServingPoint& p) { return p.ttft.value(); })},
      {{.key = "tpot_s",
        .header = "TPOT",
        .unit = Unit::seconds,
        .show = Show::text,
        .prefix = "m"},
       of_state([](const ServingPoint& p) { return p.tpot.value(); })},
      {{"output_tok_per_s", "", Unit::tok_per_s, Show::text},
       of_state([](const ServingPoint& p) { return p.output_tokens_per_second; })},
      {figure("usd_per_million_tokens", "1M tok", Unit::usd, RankBy::cost),
       of_state(
           [](const ServingPoint& p) { return number_or_unknown(p.dollars_per_million_tokens); })},
      {figure("energy_j_per_tok", "J/tok", Unit::none, RankBy::energy),
       of_state([](const ServingPoint& p) { return number_or_unknown(p.joules_per_token); })},
      {{.key = "requests_per_s", .header = "req/s", .show = Show::text, .where_room = true},
       of_state([](const ServingPoint& p) { return p.requests_per_second; })}};
  if (by == RankBy::fit) {
    columns.push_back({{"memory_concurrency", "memory holds", Unit::count, Show::text},
                       [](const Candidate& c) -> Value {
                         const ServeResult* serving = c.serving();
                         if (serving == nullptr || !serving->memory_concurrency) return Unknown();
                         return number(*serving->memory_concurrency);
                       }});
  }
  columns.push_back({{.key = "bound_by", .header = "bound", .show = Show::text},
                     [](const Candidate& c) -> Value { return bound_text(c); }});
  return columns;
}

void set(Table& table, std::string_view key, Value value) {
  const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                               [&](const Column& column) { return column.key == key; });
  table.rows.front()[static_cast<std::size_t>(at - table.columns.begin())] = std::move(value);
}

/// The table of serve's answer for one device; nothing is known where it could not be asked.
Table answer_of(const CompareRequest& request, const ServingQuestion& question,
                const Candidate& candidate) {
  const auto device =
      std::find_if(request.devices.begin(), request.devices.end(),
                   [&](const Device& other) { return other.name == candidate.gpu; });
  ServeResult unasked;
  unasked.precision = resolve_precision(request.model, request.precision).precision;
  unasked.price = candidate.listed;
  const ServeResult* serving = candidate.serving();
  Table table = from(serve_request(request, question, *device),
                     serving != nullptr ? *serving : unasked, ServerContext{})
                    .results;
  if (serving == nullptr) set(table, "bound_by", Unknown());
  if (!candidate.reason.empty()) set(table, "reason", candidate.reason);
  return table;
}

}  // namespace

Table serving_table(const CompareRequest& request, const ServingQuestion& question,
                    const CompareResult& result) {
  Table table;
  table.key = "results";
  table.columns = {{"rank", "rank", Unit::count}};
  const std::vector<CandidateColumn> columns = text_columns(request.by);
  for (const CandidateColumn& column : columns) table.columns.push_back(column.column);
  for (const Candidate& candidate : result.candidates) {
    Row row{candidate.rank ? Value(number(*candidate.rank)) : Value(Unknown())};
    for (const CandidateColumn& column : columns) row.push_back(column.value(candidate));
    Table answer = answer_of(request, question, candidate);
    if (table.rows.empty()) {
      table.columns.insert(table.columns.end(), answer.columns.begin(), answer.columns.end());
    }
    row.insert(row.end(), answer.rows.front().begin(), answer.rows.front().end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace roofline::report
