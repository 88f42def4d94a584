// The ranking of devices for a step: what analyze says of it, a row a device.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"
#include "report/compare_tables.hpp"

namespace roofline::report {
namespace {

/// One column: its description, and its value for a device.
struct CandidateColumn {
  Column column;
  std::function<Value(const Candidate&)> value;
};

template <class Number>
Value optional_number(const std::optional<Number>& number) {
  return number ? Value(static_cast<double>(*number)) : Value(Unknown());
}

/// A figure that a device has not that cannot run the step.
template <class Get>
auto of_point(Get get) {
  return [get](const Candidate& candidate) -> Value {
    return candidate.point() != nullptr ? Value(get(*candidate.point())) : Value(Unknown());
  };
}

template <class Get>
auto of_step(Get get) {
  return [get](const Candidate& candidate) -> Value {
    return candidate.step() != nullptr ? Value(get(*candidate.step())) : Value(Unknown());
  };
}

/// "24.66 of 76.97" GB, or in a few words why the device is not ranked.
std::string memory_text(const Candidate& candidate, int digits) {
  constexpr double giga = 1e9;
  if (candidate.obstacle == Obstacle::link) return "no link for so many";
  if (candidate.obstacle == Obstacle::rate) return "no rate for these";
  if (candidate.obstacle == Obstacle::price) return "no price";
  if (candidate.obstacle == Obstacle::tdp) return "no TDP";
  const StepAnalysis& step = *candidate.step();
  const auto number = [&](Bytes bytes) { return format_significant(bytes.value() / giga, digits); };
  return fmt::format("{}{} of {}", candidate.obstacle == Obstacle::memory ? "no: " : "",
                     number(step.memory.total()),
                     step.usable_memory ? number(*step.usable_memory) : "unknown");
}

Value listed(const Candidate& candidate, std::string Price::*member) {
  if (!candidate.listed || ((*candidate.listed).*member).empty()) return {};
  return (*candidate.listed).*member;
}

std::vector<CandidateColumn> first_columns() {
  return {
      {{"rank", "rank", Unit::count}, [](const Candidate& c) { return optional_number(c.rank); }},
      {{"gpu", "gpu"}, [](const Candidate& c) -> Value { return c.gpu; }},
      {{.key = "roofline_time_s", .header = "time", .unit = Unit::seconds, .prefix = "m"},
       of_point([](const AnalyzePoint& p) { return p.roofline_time.value(); })},
      {{"verdict", "verdict", Unit::none, Show::machine},
       of_point([](const AnalyzePoint& p) { return std::string(to_string(p.verdict())); })},
      {{"bound", "bound", Unit::none, Show::text},
       of_point([](const AnalyzePoint& p) { return bound_text(p.verdict()); })},
      {{"throughput_tok_per_s", "", Unit::tok_per_s},
       of_step([](const StepAnalysis& s) { return s.tokens_per_second; })},
      {{"usd_per_million_tokens", "1M tok", Unit::usd},
       [](const Candidate& c) {
         const StepAnalysis* step = c.step();
         return step == nullptr ? Value(Unknown())
                                : optional_number(step->dollars_per_million_tokens);
       }},
      {{"energy_j_per_tok", "J/tok"},
       [](const Candidate& c) { return optional_number(c.joules_per_token); }}};
}

std::vector<CandidateColumn> memory_and_price_columns(int digits) {
  return {{{"memory", "memory GB", Unit::none, Show::text},
           [digits](const Candidate& c) -> Value { return memory_text(c, digits); }},
          {{"fits", "fits", Unit::none, Show::machine}, of_step([](const StepAnalysis& s) {
             return s.fits() ? Value(*s.fits()) : Value(Unknown());
           })},
          {{"memory_needed_bytes", "needs", Unit::bytes, Show::machine},
           of_step([](const StepAnalysis& s) { return s.memory.total().value(); })},
          {{"memory_usable_bytes", "usable", Unit::bytes, Show::machine},
           of_step([](const StepAnalysis& s) {
             return s.usable_memory ? Value(s.usable_memory->value()) : Value(Unknown());
           })},
          {{"memory_left_share", "left", Unit::none, Show::machine},
           [](const Candidate& c) { return optional_number(c.memory_left()); }},
          {{"price_usd_per_hour", "USD/h"},
           [](const Candidate& c) { return c.price ? Value(c.price->value()) : Value(Unknown()); }},
          {{"price_as_of", "as of", Unit::none, Show::machine},
           [](const Candidate& c) { return listed(c, &Price::as_of); }},
          {{"price_provider", "provider", Unit::none, Show::machine},
           [](const Candidate& c) { return listed(c, &Price::provider); }},
          {{"price_tier", "tier", Unit::none, Show::machine},
           [](const Candidate& c) { return listed(c, &Price::tier); }},
          {{"price_source", "source", Unit::none, Show::machine},
           [](const Candidate& c) { return listed(c, &Price::source); }},
          {{"reason", "reason", Unit::none, Show::machine},
           [](const Candidate& c) { return c.reason.empty() ? Value() : Value(c.reason); }}};
}

/// What else analyze says of a point.
std::vector<CandidateColumn> detail_columns() {
  return {{{"intensity_flop_per_byte", "", Unit::flop_per_byte, Show::machine},
           of_point([](const AnalyzePoint& p) { return p.intensity().value(); })},
          {{"ridge_flop_per_byte", "ridge", Unit::none, Show::machine},
           of_point([](const AnalyzePoint& p) { return p.roof.ridge().value(); })},
          {{"compute_time_s", "compute", Unit::seconds, Show::machine},
           of_point([](const AnalyzePoint& p) { return p.compute_time.value(); })},
          {{"memory_time_s", "memory", Unit::seconds, Show::machine},
           of_point([](const AnalyzePoint& p) { return p.memory_time.value(); })},
          {{"network_time_s", "network", Unit::seconds, Show::machine},
           of_point([](const AnalyzePoint& p) { return p.network_time.value(); })},
          {{"serial_time_s", "serial", Unit::seconds, Show::machine},
           of_step([](const StepAnalysis& s) { return s.time.serial.value(); })},
          {{"notes", "notes", Unit::none, Show::machine}, [](const Candidate& c) {
             return c.point() != nullptr ? Value(c.point()->notes)
                                         : Value(std::vector<std::string>());
           }}};
}

}  // namespace

Table step_table(const CompareRequest& request, const CompareResult& result, int digits) {
  std::vector<CandidateColumn> columns = first_columns();
  for (CandidateColumn& more : memory_and_price_columns(digits)) columns.push_back(std::move(more));
  for (CandidateColumn& more : detail_columns()) columns.push_back(std::move(more));
  Table table;
  table.key = "results";
  table.rows.resize(result.candidates.size());
  for (CandidateColumn& candidate_column : columns) {
    Column& column = candidate_column.column;
    const bool ranked_by = (request.by == RankBy::energy && column.key == "energy_j_per_tok") ||
                           (request.by == RankBy::cost && column.key == "usd_per_million_tokens");
    const bool known = std::any_of(result.candidates.begin(), result.candidates.end(),
                                   [&](const Candidate& candidate) {
                                     const Value value = candidate_column.value(candidate);
                                     return std::holds_alternative<double>(value);
                                   });
    const bool figure = column.key == "energy_j_per_tok" || column.key == "price_usd_per_hour" ||
                        column.key == "usd_per_million_tokens";
    if (figure && !known && !ranked_by) column.show = Show::machine;
    column.where_room = (figure && !ranked_by) || column.key == "bound";
    table.columns.push_back(column);
    for (std::size_t r = 0; r < result.candidates.size(); ++r) {
      table.rows[r].push_back(candidate_column.value(result.candidates[r]));
    }
  }
  return table;
}

}  // namespace roofline::report
