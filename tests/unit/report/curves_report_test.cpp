// Curves as a report: the words, the tables, and what the picture shows.
#include "report/curves_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "../base/refusal.hpp"
#include "analysis/serving_inputs.hpp"
#include "report/curves_chart.hpp"

namespace roofline::report {
namespace {

using Strings = std::vector<std::string>;

/// Decode of the small model: 9,000,000 bytes are usable, 305 sequences of 110 tokens fit.
CurvesRequest small_request(const std::vector<std::int64_t>& batches,
                            const std::vector<std::int64_t>& contexts = {110}) {
  const Server server = small_server();
  CurvesRequest request;
  request.question.models = {server.model};
  request.question.devices = {server.device};
  request.question.devices.front().capacity = Bytes(1e7);
  for (const std::int64_t batch : batches) {
    for (const std::int64_t context : contexts) {
      request.question.workloads.push_back({"decode", Decode{batch, context}});
    }
  }
  return request;
}

/// The same on a second device, with that bandwidth.
void add_device(CurvesRequest& request, const std::string& name, double bandwidth) {
  request.question.devices.push_back(request.question.devices.front());
  request.question.devices.back().name = name;
  request.question.devices.back().bandwidth = BytesPerSecond(bandwidth);
}

Chart chart_of(const CurvesRequest& request) {
  return curves_chart(curves(request), 4);
}

Strings labels_of(const std::vector<ChartRule>& rules) {
  Strings labels;
  for (const ChartRule& rule : rules) labels.push_back(rule.label);
  return labels;
}

Value cell(const Table& table, std::size_t row, const std::string& key) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key == key) return table.rows.at(row)[c];
  }
  return std::string("no such column");
}

Value field(const Fields& fields, const std::string& key) {
  for (const auto& [name, value] : fields) {
    if (name == key) return value;
  }
  return {};
}

Strings shown_headers(const Table& table) {
  return text_table(table, 4).headers;
}

TEST_CASE("A curve is solid as far as it fits and dashed from there", "[report]") {
  CurvesRequest request = small_request({1, 305, 306, 512});
  request.y = CurveY::tpot;
  const Chart chart = chart_of(request);
  REQUIRE(chart.lines.size() == 2);
  CHECK_FALSE(chart.lines[0].dashed);
  CHECK(chart.lines[1].dashed);
  CHECK(chart.lines[0].line_key == 0);
  CHECK(chart.lines[1].line_key == 0);
  REQUIRE(chart.lines[0].points.size() == 2);
  REQUIRE(chart.lines[1].points.size() == 3);
  CHECK(chart.lines[0].points[0].x == 1);
  CHECK(chart.lines[0].points[0].y == Approx(0.0188416).epsilon(1e-12));
  CHECK(chart.lines[0].points[1] == chart.lines[1].points[0]);
  CHECK(chart.lines[1].points[0].x == 305);
  CHECK(chart.lines[1].points[2].x == 512);
}

TEST_CASE("A curve that nowhere fits is dashed and one of which it is not known solid",
          "[report]") {
  CurvesRequest request = small_request({1, 2, 4});
  const auto [capacity, dashed] =
      GENERATE(table<std::optional<Bytes>, bool>({{Bytes(1e5), true}, {std::nullopt, false}}));
  request.question.devices.front().capacity = capacity;
  const Chart chart = chart_of(request);
  REQUIRE(chart.lines.size() == 1);
  CHECK(chart.lines.front().dashed == dashed);
  CHECK(chart.lines.front().points.size() == 3);
}

TEST_CASE("Each value of x has a marker with its figures", "[report]") {
  CurvesRequest request = small_request({1, 2, 512});
  request.y = CurveY::throughput;
  const Chart chart = chart_of(request);
  REQUIRE(chart.markers.size() == 3);
  const ChartMarker& first = chart.markers.front();
  CHECK(first.title == "X, batch 1");
  CHECK(first.label == "53.07");
  CHECK(chart.markers[1].label.empty());
  CHECK(chart.markers[1].line_key == 0u);
  CHECK_FALSE(chart.markers[1].point_key);
  using Figures = std::vector<std::pair<std::string, std::string>>;
  CHECK(first.figures == Figures{{"batch", "1"},
                                 {"throughput", "53.07 tok/s"},
                                 {"bound", "memory"},
                                 {"roofline time", "18.84 ms"},
                                 {"fits", "yes"}});
  CHECK(chart.markers.back().figures.back().second == "no");
}

TEST_CASE("The figures of TPOT and cost carry their units", "[report]") {
  CurvesRequest request = small_request({1, 2});
  request.question.price = DollarsPerHour(3.6);
  const auto [y, name, text, label, axis, unit, scaled] =
      GENERATE(table<CurveY, std::string, std::string, std::string, std::string, std::string, bool>(
          {{CurveY::tpot, "TPOT", "18.84 ms", "18.84 ms", "TPOT", "s", true},
           {CurveY::cost, "cost", "18.84 USD per 1M tokens", "18.84", "cost", "USD per 1M tokens",
            false},
           {CurveY::intensity, "arithmetic intensity", "1.149 FLOP/byte", "1.149",
            "arithmetic intensity", "FLOP/byte", false}}));
  request.y = y;
  const Chart chart = chart_of(request);
  CHECK(chart.y.label == axis);
  CHECK(chart.y.unit == unit);
  CHECK(chart.y.scaled == scaled);
  CHECK(chart.markers.front().label == label);
  CHECK(chart.markers.front().figures[1] == std::pair(name, text));
}

TEST_CASE("Of many curves no end is labelled", "[report]") {
  const Chart chart = chart_of(small_request({1, 2}, {110, 220, 330, 440, 550}));
  REQUIRE(chart.line_keys.size() == 5);
  for (const ChartMarker& marker : chart.markers) CHECK(marker.label.empty());
}

TEST_CASE("Limits of x are drawn where they lie within the axes", "[report]") {
  CurvesRequest request = small_request({1, 512});
  request.y = CurveY::throughput;
  request.tpot_limit = Seconds(0.03);
  const Chart chart = chart_of(request);
  CHECK(chart.x.label == "batch");
  CHECK(chart.x.unit.empty());
  CHECK(chart.x.low == 0.5);    // 1 / 1.25
  CHECK(chart.x.high == 1000);  // 512 x 1.25
  REQUIRE(labels_of(chart.rules) == Strings{"memory: 305", "TPOT limit: 4"});
  CHECK(chart.rules[0].vertical);
  CHECK(chart.rules[0].at == 305);
  CHECK(chart.rules[0].line_key == 0u);

  request.question.workloads.back().workload = Decode{2, 110};  // the axis ends at 5
  CHECK(labels_of(chart_of(request).rules) == Strings{"TPOT limit: 4"});
  request.tpot_limit = Seconds(0.018);  // no batch keeps to it
  CHECK(chart_of(request).rules.empty());
}

TEST_CASE("Limits of y are lines across and grow the axis", "[report]") {
  CurvesRequest request = small_request({1, 2});
  SECTION("the ridge") {
    const Chart chart = chart_of(request);
    REQUIRE(labels_of(chart.rules) == Strings{"ridge 100.0"});
    CHECK_FALSE(chart.rules.front().vertical);
    CHECK(chart.rules.front().at == 100);
    CHECK(chart.y.low == 0.5);   // 1.149 / 1.25 = 0.92
    CHECK(chart.y.high == 200);  // 100 x 1.25
  }
  SECTION("a TPOT limit") {
    request.y = CurveY::tpot;
    request.tpot_limit = Seconds(0.3);
    const Chart chart = chart_of(request);
    REQUIRE(labels_of(chart.rules) == Strings{"TPOT limit 300 ms"});
    CHECK(chart.rules.front().at == 0.3);
    CHECK(chart.y.high == 0.5);
  }
}

TEST_CASE("A limit that several curves share is one line", "[report]") {
  CurvesRequest request = small_request({1, 2}, {110, 220});
  const Chart alone = chart_of(request);
  CHECK(labels_of(alone.rules) == Strings{"ridge 100.0"});
  CHECK_FALSE(alone.rules.front().line_key);
  add_device(request, "Y", 2e7);  // ridge 1e9 / 2e7
  const Chart two = chart_of(request);
  CHECK(labels_of(two.rules) == Strings{"X ridge 100.0", "Y ridge 50.00"});
  add_device(request, "Z", 2e7);
  add_device(request, "W", 2e7);
  CHECK(labels_of(chart_of(request).rules) == Strings{"X ridge 100.0", "Y and 2 more ridge 50.00"});
}

TEST_CASE("A limit of one curve among others says whose it is", "[report]") {
  // (9,000,000 - 173,056) / (56,320 + 768) = 154.6 sequences of 220.
  CurvesRequest request = small_request({1, 512}, {110, 220});
  request.y = CurveY::throughput;
  const Chart chart = chart_of(request);
  CHECK(labels_of(chart.rules) == Strings{"context 110 memory: 305", "context 220 memory: 154"});
  CHECK(chart.rules[1].line_key == 1u);
}

TEST_CASE("A limit of one curve among many leaves it to the legend whose it is", "[report]") {
  CurvesRequest request = small_request({1, 512}, {110, 220});
  add_device(request, "Y", 2e7);
  add_device(request, "Z", 3e7);
  request.y = CurveY::throughput;
  const Chart chart = chart_of(request);
  CHECK(labels_of(chart.rules) == Strings{"memory: 305", "memory: 154"});
  CHECK(chart.line_keys.at(1).detail == "memory: batch 154");
}

TEST_CASE("A curve is called by what tells it from the others", "[report]") {
  CurvesRequest request = small_request({1, 2});
  SECTION("one curve is its device") {
    const CurvesResult result = curves(request);
    CHECK(names_of(result) == Strings{"X"});
    CHECK(curves_chart(result, 4).line_keys_title == "devices");
  }
  SECTION("devices") {
    add_device(request, "Y", 2e7);
    const CurvesResult result = curves(request);
    CHECK(names_of(result) == Strings{"X", "Y"});
    CHECK(curves_chart(result, 4).line_keys_title == "devices");
  }
  SECTION("devices and contexts") {
    request = small_request({1, 2}, {110, 2200});
    add_device(request, "Y", 2e7);
    const CurvesResult result = curves(request);
    CHECK(names_of(result) ==
          Strings{"X, context 110", "X, context 2,200", "Y, context 110", "Y, context 2,200"});
    CHECK(curves_chart(result, 4).line_keys_title == "curves");
  }
  SECTION("models and batches") {
    request = small_request({1, 2}, {110, 220});
    request.question.models.push_back(request.question.models.front());
    request.question.models.back().name = "other";
    request.x = CurveX::context;
    CHECK(names_of(curves(request)) ==
          Strings{"small, batch 1", "small, batch 2", "other, batch 1", "other, batch 2"});
  }
  SECTION("workloads and drafts") {
    request.question.workloads.push_back({"verify", Verify{1, 110, 4}});
    request.question.workloads.push_back({"verify", Verify{1, 110, 8}});
    CHECK(names_of(curves(request)) == Strings{"decode", "verify, 4 drafts", "verify, 8 drafts"});
  }
  SECTION("a kind where workloads have names of their own") {
    request.question.workloads = {
        {"one", Decode{1, 110}}, {"two", Decode{2, 110}}, {"prompt", Prefill{1, 110}}};
    CHECK(names_of(curves(request)) == Strings{"decode", "prompt"});
  }
  SECTION("namesakes") {
    add_device(request, "X", 2e7);
    CHECK(names_of(curves(request)) == Strings{"X (1)", "X (2)"});
  }
}

TEST_CASE("A single point has a marker and no line", "[report]") {
  CurvesRequest request = small_request({1, 2});
  request.question.workloads.push_back({"prefill", Prefill{1, 110}});
  const Chart chart = chart_of(request);
  CHECK(chart.lines.size() == 1);
  CHECK(chart.markers.size() == 3);
}

TEST_CASE("The legend says where a curve's limits lie", "[report]") {
  CurvesRequest request = small_request({1, 2});
  request.tpot_limit = Seconds(0.03);
  const Chart chart = chart_of(request);
  REQUIRE(chart.line_keys.size() == 1);
  CHECK(chart.line_keys.front().detail ==
        "ridge: 100.0 FLOP/byte; memory: batch 305; TPOT limit: batch 4");
}

TEST_CASE("What has no place on the axes is refused by the curve that has it", "[report]") {
  CurvesResult result = curves(small_request({1, 2}));
  result.curves.front().points.back().y = std::numeric_limits<double>::infinity();
  CHECK(refusal([&] { return curves_chart(result, 4); }).what ==
        "X: the arithmetic intensity cannot be drawn: it is infinite");
}

TEST_CASE("The title of curves is their question", "[report]") {
  CurvesRequest request = small_request({1, 2, 4});
  request.y = CurveY::throughput;
  request.tpot_limit = Seconds(0.03);
  CurvesContext context;
  context.question.overrides = "bandwidth 10MB/s";
  context.question.inputs = {{"model", std::string("small")}};
  const Report report = from(curves(request), context);
  CHECK(report.command == "plot");
  CHECK(report.title ==
        "throughput over the batch: decode of small (bf16), 3 batches, context 110, on 1 x X, with "
        "bandwidth 10MB/s, TPOT limit 30 ms");
  REQUIRE(report.chart);
  CHECK(report.chart->title == "Throughput over the batch");
  CHECK(report.title.ends_with(": " + report.chart->question));
  CHECK(field(report.inputs, "model") == Value(std::string("small")));
  CHECK(field(report.inputs, "x") == Value(std::string("batch")));
  CHECK(field(report.inputs, "y") == Value(std::string("throughput")));
  CHECK(field(report.inputs, "tpot_limit_s") == Value(0.03));
  context.title = "Mine";
  CHECK(from(curves(request), context).chart->title == "Mine");
}

TEST_CASE("The usual title names figure and axis", "[report]") {
  CurvesRequest request = small_request({1, 2}, {110, 220});
  request.question.price = DollarsPerHour(3.6);
  const auto [x, y, title] = GENERATE(table<CurveX, CurveY, std::string>(
      {{CurveX::context, CurveY::intensity, "Arithmetic intensity over the context"},
       {CurveX::batch, CurveY::tpot, "TPOT over the batch"},
       {CurveX::context, CurveY::cost, "Cost over the context"}}));
  request.x = x;
  request.y = y;
  CHECK(from(curves(request), {}).chart->title == title);
}

TEST_CASE("Rows are those of analyze curve by curve", "[report]") {
  CurvesRequest request = small_request({4, 1}, {220, 110});
  const Report report = from(curves(request), {});
  std::vector<std::pair<double, double>> order;
  for (std::size_t r = 0; r < report.results.rows.size(); ++r) {
    order.emplace_back(std::get<double>(cell(report.results, r, "context_tokens")),
                       std::get<double>(cell(report.results, r, "batch")));
  }
  CHECK(order == std::vector<std::pair<double, double>>{{220, 1}, {220, 4}, {110, 1}, {110, 4}});
  // 4 (160,256 + 512 x 220) / (160,256 + 256 x 220 x 4)
  CHECK(std::get<double>(cell(report.results, 1, "intensity_flop_per_byte")) ==
        Approx(1'091'584.0 / 385'536).epsilon(1e-12));
  const Strings headers = shown_headers(report.results);
  for (const char* header : {"batch", "context", "FLOP/byte", "bound", "fits"}) {
    CAPTURE(header);
    CHECK(std::find(headers.begin(), headers.end(), header) != headers.end());
  }
}

TEST_CASE("Rows have the cost of usual prices and a note says whose", "[report]") {
  CurvesRequest request = small_request({1, 2});
  request.question.devices.front().prices = {{.per_hour = DollarsPerHour(3.6),
                                              .as_of = "2026-09-09",
                                              .provider = "Somebody",
                                              .tier = {},
                                              .note = {},
                                              .source = {}}};
  request.y = CurveY::cost;
  const Report report = from(curves(request), {});
  CHECK(std::get<double>(cell(report.results, 0, "usd_per_million_tokens")) ==
        Approx(18.8416).epsilon(1e-12));
  REQUIRE_FALSE(report.notes.empty());
  CHECK(report.notes.back() == "X: 3.6 USD an hour: Somebody, 2026-09-09 (--price for another)");
}

TEST_CASE("The table of limits has numbers for machines and words for people", "[report]") {
  CurvesRequest request = small_request({1, 2});
  request.tpot_limit = Seconds(0.03);
  const Report report = from(curves(request), {});
  REQUIRE(report.tables.size() == 1);
  const Table& limits = report.tables.front();
  CHECK(limits.key == "limits");
  CHECK(text_table(limits, 4).rows == std::vector<Strings>{{"ridge", "100.0 FLOP/byte"},
                                                           {"memory", "batch 305"},
                                                           {"tpot-limit", "batch 4"}});
  CHECK(cell(limits, 0, "gpu") == Value(std::string("X")));
  CHECK(cell(limits, 0, "model") == Value(std::string("small")));
  CHECK(cell(limits, 0, "workload") == Value(std::string("decode")));
  CHECK(cell(limits, 0, "context_tokens") == Value(110.0));
  CHECK(cell(limits, 0, "ridge_flop_per_byte") == Value(100.0));
  CHECK(cell(limits, 0, "batch") == Value());
  CHECK(cell(limits, 1, "batch") == Value(305.0));
  CHECK(cell(limits, 1, "ridge_flop_per_byte") == Value());
  CHECK(cell(limits, 2, "batch") == Value(4.0));
  CHECK(cell(limits, 2, "tpot_s") == Value());
  CHECK(cell(limits, 2, "reason") == Value());
}

TEST_CASE("A TPOT limit of TPOT is a time", "[report]") {
  CurvesRequest request = small_request({1, 2}, {110, 220});
  request.question.devices.front().capacity.reset();
  request.x = CurveX::context;
  request.y = CurveY::tpot;
  request.tpot_limit = Seconds(0.03);
  const Report report = from(curves(request), {});
  const Table& limits = report.tables.at(0);
  CHECK(text_table(limits, 4).rows == std::vector<Strings>{{"batch 1", "tpot-limit", "30 ms"},
                                                           {"batch 2", "tpot-limit", "30 ms"}});
  CHECK(cell(limits, 1, "tpot_s") == Value(0.03));
  CHECK(cell(limits, 1, "batch") == Value(2.0));
  CHECK(cell(limits, 1, "context_tokens") == Value());
}

TEST_CASE("A limit that is nowhere or everywhere has a reason", "[report]") {
  CurvesResult result = curves(small_request({1, 2}, {110, 220}));
  result.x = CurveX::batch;
  result.curves[0].edges = {{CurveLimit::memory, true, std::nullopt},
                            {CurveLimit::tpot, true, std::nullopt}};
  result.curves[1].edges = {{CurveLimit::memory, true, 0.0}, {CurveLimit::tpot, true, 0.0}};
  const Table limits = from(result, {}).tables.at(0);
  Strings reasons;
  Strings texts;
  for (std::size_t r = 0; r < 4; ++r) {
    reasons.push_back(std::get<std::string>(cell(limits, r, "reason")));
    texts.push_back(std::get<std::string>(cell(limits, r, "at")));
  }
  CHECK(reasons == Strings{"memory limits no batch", "the TPOT limit excludes no batch",
                           "no batch fits", "no batch keeps to the TPOT limit"});
  CHECK(texts == Strings{"any batch fits", "any batch keeps to it", "no batch fits",
                         "no batch keeps to it"});
  CHECK(cell(limits, 0, "batch") == Value(Unknown()));
  CHECK(cell(limits, 2, "batch") == Value(0.0));
}

TEST_CASE("Without limits there is no table of them", "[report]") {
  CurvesRequest request = small_request({1, 2});
  request.question.devices.front().capacity.reset();
  request.y = CurveY::throughput;
  CHECK(from(curves(request), {}).tables.empty());
}

TEST_CASE("A curve that lies on another is named", "[report]") {
  CurvesRequest request = small_request({1, 2, 4});
  add_device(request, "Y", 2e12);  // the intensity of a step hangs on no device
  const auto notes = [&] { return from(curves(request), CurvesContext()).notes; };
  const std::string note =
      fmt::format("Y: the same curve as that of {}", request.question.devices.front().name);
  CHECK_THAT(notes(), Catch::Matchers::VectorContains(note));
  request.y = CurveY::throughput;
  CHECK_THAT(notes(), !Catch::Matchers::VectorContains(note));
}

}  // namespace
}  // namespace roofline::report
