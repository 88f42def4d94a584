// The ranking of devices for requests to serve: what serve says of each, a row a device.
#include <algorithm>
#include <functional>

#include "base/number.hpp"
#include "report/compare_tables.hpp"
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
      return "no: link";
    case Obstacle::rate:
      return "no: dtype";
    case Obstacle::memory:
      return "no: memory";
    case Obstacle::tpot_limit:
      return "no: TPOT";
    case Obstacle::ttft_limit:
      return "no: TTFT";
    case Obstacle::request_rate:
      return "no: too slow";
    case Obstacle::capacity:
      return "no: capacity";
    case Obstacle::price:
      return "no: price";
    case Obstacle::tdp:
      return "no: TDP";
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

Value memory_concurrency_of(const Candidate& candidate) {
  const ServeResult* serving = candidate.serving();
  if (serving == nullptr || !serving->memory_concurrency) return Unknown();
  return number(*serving->memory_concurrency);
}

/// What the order is about stays in any case; the others go, the last first, where a line is full.
std::vector<CandidateColumn> text_columns(RankBy by) {
  const auto text = [](const char* key, const char* header, Unit unit, bool where_room) {
    return Column{.key = key,
                  .header = header,
                  .unit = unit,
                  .show = Show::text,
                  .prefix = unit == Unit::seconds ? "m" : "",
                  .where_room = where_room};
  };
  using Point = ServingPoint;
  std::vector<CandidateColumn> columns{
      {text("gpu", "gpu", Unit::none, false), [](const Candidate& c) -> Value { return c.gpu; }},
      {text("concurrency", "concurrency", Unit::count, false),
       of_state([](const Point& p) { return number(p.concurrency); })},
      {text("ttft_s", "TTFT", Unit::seconds, true),
       of_state([](const Point& p) { return p.ttft.value(); })},
      {text("tpot_s", "TPOT", Unit::seconds, false),
       of_state([](const Point& p) { return p.tpot.value(); })},
      {text("output_tok_per_s", "output", Unit::tok_per_s, by != RankBy::throughput),
       of_state([](const Point& p) { return p.output_tokens_per_second; })},
      {text("usd_per_million_tokens", "1M tok", Unit::usd, by != RankBy::cost),
       of_state([](const Point& p) { return number_or_unknown(p.dollars_per_million_tokens); })},
      {text("energy_j_per_tok", "J/tok", Unit::none, by != RankBy::energy),
       of_state([](const Point& p) { return number_or_unknown(p.joules_per_token); })},
      {text("requests_per_s", "req/s", Unit::none, true),
       of_state([](const Point& p) { return p.requests_per_second; })},
      {text("bound_by", "bound", Unit::none, false),
       [](const Candidate& c) -> Value { return bound_text(c); }}};
  if (by == RankBy::fit) {
    columns.insert(
        columns.begin() + 1,
        {text("memory_concurrency", "memory holds", Unit::count, false), memory_concurrency_of});
  }
  return columns;
}

/// Without those that may go and that no device has.
std::vector<CandidateColumn> columns_of(const CompareRequest& request,
                                        const CompareResult& result) {
  std::vector<CandidateColumn> columns = text_columns(request.by);
  std::erase_if(columns, [&](const CandidateColumn& column) {
    return column.column.where_room &&
           std::none_of(result.candidates.begin(), result.candidates.end(),
                        [&](const Candidate& candidate) {
                          return std::holds_alternative<double>(column.value(candidate));
                        });
  });
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
  const std::vector<CandidateColumn> columns = columns_of(request, result);
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
