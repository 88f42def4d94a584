#include "report/serve_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"

namespace roofline::report {
namespace {

/// Numbers with the digits that were asked for.
class Writer {
 public:
  explicit Writer(int digits) : digits_(digits) {}

  [[nodiscard]] std::string number(double value) const {
    return format_significant(value, digits_);
  }
  [[nodiscard]] std::string time(Seconds value) const {
    return format_scaled(value.value(), "s", digits_);
  }

 private:
  int digits_;
};

std::string count(std::int64_t value) {
  return format_count(static_cast<double>(value));
}

std::string plural(std::int64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", count(value), noun, value == 1 ? "" : "s");
}

/// A limit as it was typed: "20 ms".
std::string limit_text(Seconds limit) {
  constexpr int digits = 6;
  const Scale scale = scale_for(limit.value(), digits);
  const double rounded = std::round(limit.value() / scale.factor * 1e6) / 1e6;
  return fmt::format("{} {}s", format_exact(rounded), scale.prefix);
}

std::string asked_text(const ServeRequest& request) {
  std::string text = "largest concurrency";
  if (request.concurrency) text = "concurrency " + count(*request.concurrency);
  if (request.requests_per_second) {
    text = format_exact(*request.requests_per_second) + " requests/s";
  }
  if (request.tpot_limit) text += ", TPOT within " + limit_text(*request.tpot_limit);
  if (request.ttft_limit) text += ", TTFT within " + limit_text(*request.ttft_limit);
  return text;
}

std::string question_of(const ServeRequest& request, const ServeContext& context) {
  return fmt::format("serve of {}: {} prompt and {} output tokens, {}, on {}{}", context.subject,
                     count(request.shape.prompt), count(request.shape.output), asked_text(request),
                     context.devices, context.overrides);
}

/// Where more experts than a single token's are taken to be read, routing may be kinder.
std::string_view for_these_experts(const Server& server) {
  const bool routed = count_parameters(server.model).parts[Part::experts] > 0;
  return routed && server.experts.kind != ExpertChoice::Kind::fewest ? " for these experts" : "";
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
    limits.push_back(fmt::format("{} {}", text, count(*limit)));
  };
  if (!result.memory_concurrency) limits.emplace_back("memory not known");
  add(result.memory_concurrency, ServeBound::memory, "memory holds at most");
  add(result.tpot_concurrency, ServeBound::tpot_limit, "the TPOT limit allows");
  add(result.ttft_concurrency, ServeBound::ttft_limit, "the TTFT limit allows");
  if (request.ttft_limit && !result.ttft_concurrency) limits.emplace_back("the TTFT limit is met");
  add(result.rate_concurrency, ServeBound::request_rate, "the rate needs");
  return fmt::format("{}", fmt::join(limits, "; "));
}

/// The price of one device that was reckoned with; none where it is not known.
std::optional<DollarsPerHour> price_of(const ServeRequest& request, const ServeResult& result) {
  if (request.server.price) return request.server.price;
  if (result.price) return result.price->per_hour;
  return std::nullopt;
}

void add_money_and_energy(const ServeRequest& request, const ServeResult& result,
                          const Writer& write, std::vector<Fact>& facts) {
  const ServingPoint& point = *result.point;
  const std::string devices = plural(request.server.deployment.devices(), "device");
  if (const auto price = price_of(request, result); price && point.dollars_per_million_tokens) {
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
  facts.push_back({"concurrency", count(point.concurrency),
                   bound_text(request, result) + (limits.empty() ? "" : "; ") + limits});
  facts.push_back({"TTFT", write.time(point.ttft),
                   fmt::format("at least{}: one prompt alone, nothing else under way", experts)});
  const std::string prompts =
      point.tpot > point.decode ? ", other prompts " + write.time(point.tpot - point.decode) : "";
  facts.push_back(
      {"TPOT", write.time(point.tpot),
       fmt::format("at least{}, under load: decode step {} at context {}{}", experts,
                   write.time(point.decode), count(shape.prompt + shape.output / 2), prompts)});
  facts.push_back({"requests", fmt::format("{} /s", write.number(point.requests_per_second)),
                   fmt::format("at most{}, in the steady state", experts)});
  const double each = point.output_tokens_per_second / static_cast<double>(point.concurrency);
  facts.push_back({"output", fmt::format("{} tok/s", write.number(point.output_tokens_per_second)),
                   fmt::format("at most{}; {} tok/s per sequence", experts, write.number(each))});
  facts.push_back({"input", fmt::format("{} tok/s", write.number(point.input_tokens_per_second)),
                   fmt::format("at most{}", experts)});
  add_money_and_energy(request, result, write, facts);
  return facts;
}

Value optional_count(const std::optional<std::int64_t>& value) {
  return value ? Value(static_cast<double>(*value)) : Value();
}

Value optional_number(const std::optional<double>& value) {
  return value ? Value(*value) : Value();
}

/// Columns and their only row, side by side.
class OneRow {
 public:
  OneRow() {
    table_.key = "results";
    table_.rows.resize(1);
  }

  void add(const char* key, Unit unit, Value value) {
    table_.columns.push_back({key, key, unit, Show::machine});
    table_.rows.front().push_back(std::move(value));
  }
  void text(const char* key, const std::string& value) {
    add(key, Unit::none, value.empty() ? Value() : Value(value));
  }
  [[nodiscard]] Table take() { return std::move(table_); }

 private:
  Table table_;
};

/// Where the answer is no, its figures are null.
void add_point(const std::optional<ServingPoint>& point, ServeBound bound, OneRow& row) {
  const auto figure = [&](const char* key, Unit unit, auto get) {
    row.add(key, unit, point ? Value(get(*point)) : Value(Unknown()));
  };
  using Point = ServingPoint;
  figure("concurrency", Unit::count,
         [](const Point& p) { return static_cast<double>(p.concurrency); });
  row.text("bound", std::string(to_string(bound)));
  figure("ttft_s", Unit::seconds, [](const Point& p) { return p.ttft.value(); });
  figure("tpot_s", Unit::seconds, [](const Point& p) { return p.tpot.value(); });
  figure("decode_step_s", Unit::seconds, [](const Point& p) { return p.decode.value(); });
  figure("prompt_share_s", Unit::seconds, [](const Point& p) { return p.prompt_share.value(); });
  figure("requests_per_s", Unit::none, [](const Point& p) { return p.requests_per_second; });
  figure("output_tok_per_s", Unit::tok_per_s,
         [](const Point& p) { return p.output_tokens_per_second; });
  figure("input_tok_per_s", Unit::tok_per_s,
         [](const Point& p) { return p.input_tokens_per_second; });
  figure("usd_per_million_output_tokens", Unit::usd,
         [](const Point& p) { return optional_number(p.dollars_per_million_tokens); });
  figure("energy_j_per_tok", Unit::none,
         [](const Point& p) { return optional_number(p.joules_per_token); });
}

Table results_table(const ServeRequest& request, const ServeResult& result) {
  OneRow row;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  row.text("gpu", request.server.device.name);
  row.text("model", request.server.model.name);
  row.add("devices", Unit::count, number(request.server.deployment.devices()));
  row.add("input_tokens", Unit::count, number(request.shape.prompt));
  row.add("output_tokens", Unit::count, number(request.shape.output));
  add_point(result.point, result.bound, row);
  row.add("memory_concurrency", Unit::count,
          result.memory_concurrency ? optional_count(result.memory_concurrency) : Unknown());
  row.add("tpot_concurrency", Unit::count, optional_count(result.tpot_concurrency));
  row.add("ttft_concurrency", Unit::count, optional_count(result.ttft_concurrency));
  row.add("rate_concurrency", Unit::count, optional_count(result.rate_concurrency));
  const auto price = price_of(request, result);
  row.add("price_usd_per_hour", Unit::usd, price ? Value(price->value()) : Value());
  const Price listed = result.price.value_or(Price{});
  row.text("price_as_of", listed.as_of);
  row.text("price_provider", listed.provider);
  row.text("price_tier", listed.tier);
  row.text("price_source", listed.source);
  const std::string memory = result.memory_concurrency ? "" : "the memory capacity is not known";
  row.text("reason", result.reason.empty() ? memory : result.reason);
  row.text("weight_dtype", result.precision.weights_name);
  row.text("kv_dtype", result.precision.kv.name);
  row.text("act_dtype", result.precision.activations.name);
  row.add("notes", Unit::none, result.notes);
  return row.take();
}

}  // namespace

Report from(const ServeRequest& request, const ServeResult& result, const ServeContext& context) {
  Report report;
  report.command = "serve";
  report.title = question_of(request, context);
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  report.first_fact_matters_most = true;
  if (result.point) {
    report.facts = facts_of(request, result, Writer(context.significant_digits));
  } else {
    report.facts = {{"answer", "no", result.reason},
                    {"concurrency", "none", limits_text(request, result)}};
  }
  report.results = results_table(request, result);
  report.results_in_text = false;
  report.notes = result.notes;
  return report;
}

}  // namespace roofline::report
