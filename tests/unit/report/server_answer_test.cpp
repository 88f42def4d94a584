// What the answers of fit, serve and solve share: words, columns, and the inputs they repeat.
#include <catch2/catch.hpp>
#include <tuple>

#include "analysis/serving_inputs.hpp"
#include "report/one_row.hpp"
#include "report/server_inputs.hpp"
#include "report/server_words.hpp"

using namespace roofline;
using namespace roofline::report;
using Strings = std::vector<std::string>;

namespace {

Strings keys_of(const Table& table) {
  Strings keys;
  for (const Column& column : table.columns) keys.push_back(column.key);
  return keys;
}

Strings keys_of(const Fields& fields) {
  Strings keys;
  for (const auto& field : fields) keys.push_back(field.first);
  return keys;
}

Value value_at(const Fields& fields, const std::string& key) {
  for (const auto& field : fields) {
    if (field.first == key) return field.second;
  }
  return {};
}

}  // namespace

TEST_CASE("A limit is written as it was typed", "[report]") {
  const auto [seconds, text] = GENERATE(table<double, std::string>(
      {{0.02, "20 ms"}, {0.0001, "100 us"}, {1.5, "1.5 s"}, {0.00522, "5.22 ms"}, {2, "2 s"}}));
  CHECK(limit_text(Seconds(seconds)) == text);
}

TEST_CASE("Flags of a deployment name what is not 1 or was not", "[report]") {
  CHECK(flags_of({}).empty());
  CHECK(flags_of({.tensor = 4, .pipeline = 2}) == "--tp 4 --pp 2");
  CHECK(flags_of({.tensor = 1, .pipeline = 3}, {.tensor = 2}) == "--tp 1 --pp 3");
  CHECK(flags_of({.expert = 8, .data = 8}) == "--ep 8 --dp 8");
}

TEST_CASE("A row tells what is null from what does not apply", "[report]") {
  OneRow row;
  row.count("known", std::optional<std::int64_t>(3), Unknown());
  row.count("null", std::optional<std::int64_t>(), Unknown());
  row.text("absent", "");
  const Table table = row.take();
  CHECK(table.key == "results");
  CHECK(table.rows == std::vector<Row>{{3.0, Unknown(), Value()}});
}

TEST_CASE("A deployment has five columns that are null where there is none", "[report]") {
  OneRow known;
  add_deployment(Deployment{.tensor = 2, .pipeline = 3, .expert = 4, .data = 5}, known);
  const Table table = known.take();
  CHECK(keys_of(table) == Strings{"devices", "tp", "pp", "ep", "dp"});
  CHECK(table.rows == std::vector<Row>{{30.0, 2.0, 3.0, 4.0, 5.0}});
  OneRow none;
  add_deployment(std::nullopt, none);
  CHECK(none.take().rows.front() == Row(5, Unknown()));
}

TEST_CASE("A price that was given has no source", "[report]") {
  Server server = small_server();
  server.price = DollarsPerHour(4);
  OneRow row;
  add_price(server, std::nullopt, row);
  CHECK(row.take().rows.front() == Row{4.0, Value(), Value(), Value(), Value()});
}

TEST_CASE("Inputs are complete and in the order of the flags in help", "[report]") {
  Server server = small_server({.tensor = 2});
  server.model = model_of(some_attention, Experts{.count = 4, .per_token = 2, .width = 128});
  server.model.published_format = plain_format(MatrixType::bf16);
  server.experts = {.kind = ExpertChoice::Kind::fixed, .count = 3};
  const Fields inputs = inputs_of(server, {{"batch", 7.0}});
  CHECK(keys_of(inputs) == Strings{"model", "gpu", "batch", "experts", "tp", "pp", "ep", "dp",
                                   "weight_dtype", "kv_dtype", "act_dtype", "accumulate",
                                   "gpu_memory_utilization", "memory_overhead_bytes",
                                   "block_size_tokens", "max_num_batched_tokens"});
  CHECK(value_at(inputs, "experts") == Value(3.0));
  CHECK(value_at(inputs, "tp") == Value(2.0));
  CHECK(value_at(inputs, "max_num_batched_tokens") == Value(350.0));
}

TEST_CASE("A type of states is an input of models that have them", "[report]") {
  Server server = small_server();
  CHECK(value_at(inputs_of(server, {}), "state_dtype") == Value());
  server.model =
      model_of(Mamba1{.inner = 32, .state = 4, .convolution = 4, .step_rank = 2}, Mlp{.width = 8});
  server.model.published_format = plain_format(MatrixType::bf16);
  CHECK(value_at(inputs_of(server, {}), "state_dtype") == Value(std::string("fp32")));
}
