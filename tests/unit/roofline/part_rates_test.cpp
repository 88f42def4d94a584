// The rates of a model's parts: only those that it has, each in the format that it is stored in.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/rates.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {
namespace {

using Catch::Matchers::VectorContains;
using Strings = std::vector<std::string>;

TEST_CASE("Each kind of operand and each part has its own rate", "[roofline]") {
  Rates rates;
  double peak = 0;
  for (const Part part : all_parts) rates.weights[part].peak = FlopsPerSecond(++peak);
  rates.cache.peak = FlopsPerSecond(20);
  rates.state.peak = FlopsPerSecond(30);
  Operator op;
  op.operands = Operands::weights;
  peak = 0;
  for (const Part part : all_parts) {
    op.part = part;
    CHECK(rates.of(op).peak == FlopsPerSecond(++peak));
  }
  op.operands = Operands::cache;
  CHECK(rates.of(op).peak == FlopsPerSecond(20));
  op.operands = Operands::state;
  CHECK(rates.of(op).peak == FlopsPerSecond(30));
}

TEST_CASE("Rates tell which peaks are used", "[roofline]") {
  using enum MatrixType;
  Rates rates;
  const auto rate = [](MatrixType type) {
    return Rate{.key = {.type = type}, .peak = FlopsPerSecond(1)};
  };
  CHECK_FALSE(rates.use({.type = fp16}));  // nothing runs at the peak of a rate that is not there
  rates.weights[Part::experts] = rate(fp4);
  rates.cache = rate(bf16);
  rates.state = rate(fp32);
  CHECK(rates.use({.type = fp4}));
  CHECK(rates.use({.type = bf16}));
  CHECK(rates.use({.type = fp32}));
  CHECK_FALSE(rates.use({.type = fp8}));
  CHECK_FALSE(rates.use({.type = bf16, .unit = PeakKey::Unit::accumulate_fp16}));
}

constexpr Experts routed{.count = 8, .per_token = 2, .width = 32, .shared_width = 64};

bool has_rate(const Rate& rate) {
  return rate.peak > FlopsPerSecond();
}

TEST_CASE("Only what a model has gets a rate", "[roofline]") {
  const Device device = device_with({{"bf16", 100}});
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  const Precision precision = precision_of(bf16, bf16, bf16);
  const auto [model, parts, cache, state] = GENERATE(table<Model, std::vector<Part>, bool, bool>({
      {some_model(), {Part::lm_head, Part::mixer, Part::mlp}, true, false},
      {model_of(some_attention, routed),
       {Part::lm_head, Part::mixer, Part::shared_experts, Part::experts, Part::router},
       true,
       false},
      {model_of(LatentAttention{.heads = 4,
                                .query_rank = {},
                                .kv_rank = 8,
                                .rope_dim = 2,
                                .nope_dim = 4,
                                .value_dim = 4},
                std::monostate()),
       {Part::lm_head, Part::mixer},
       true,
       false},
      {model_of(Mamba1{.inner = 4, .state = 2, .convolution = 3, .step_rank = 1}, std::monostate()),
       {Part::lm_head, Part::mixer},
       false,
       true},
      {model_of(Mamba2{.heads = 2, .head_dim = 2, .state = 2, .groups = 1, .convolution = 3},
                Mlp{.width = 8}),
       {Part::lm_head, Part::mixer, Part::mlp},
       false,
       true},
      {model_of(
           GatedDelta{
               .key_heads = 1, .key_dim = 2, .value_heads = 1, .value_dim = 2, .convolution = 3},
           std::monostate()),
       {Part::lm_head, Part::mixer},
       false,
       true},
      {model_of(LinearAttention{.heads = 2, .head_dim = 2}, std::monostate()),
       {Part::lm_head, Part::mixer},
       false,
       true},
      {model_of(std::monostate(), Mlp{.width = 8}), {Part::lm_head, Part::mlp}, false, false},
  }));
  const Rates rates = choose_rates(device, model, precision, Accumulate::fp32);
  std::vector<Part> found;
  for (const Part part : all_parts) {
    if (has_rate(rates.weights[part])) found.push_back(part);
  }
  CHECK(found == parts);
  CHECK(has_rate(rates.cache) == cache);
  CHECK(has_rate(rates.state) == state);
  CHECK(rates.notes.empty());
}

TEST_CASE("A tied lm_head runs at the rate of the table's format", "[roofline]") {
  Model model = some_model();
  model.tied_embeddings = true;
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  Precision precision = precision_of(bf16, bf16, bf16);
  precision.weights[Part::embedding] = Catalog().format("q6-k");
  const Rates rates = choose_rates(Catalog().device("H100"), model, precision, Accumulate::fp32);
  CHECK(to_string(rates.weights[Part::embedding].key) == "int8");
  CHECK_FALSE(has_rate(rates.weights[Part::lm_head]));
  CHECK(rates.notes == Strings{"q6-k lm_head: activations are rounded to int8 for each product"});
}

TEST_CASE("A recurrence runs at the rate of the activations' type", "[roofline]") {
  const Model model = model_of(LinearAttention{.heads = 2, .head_dim = 2}, std::monostate());
  const Catalog catalog;
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  const auto [device, activations, key] = GENERATE(table<std::string, std::string, std::string>({
      {"H100", "bf16", "bf16"},
      {"H100", "fp32", "fp32"},
      {"T4", "bf16", "fp16"},
  }));
  CAPTURE(device, activations);
  const Precision precision =
      precision_of(catalog.format("fp8"), catalog.format(activations), bf16);
  const Rates rates = choose_rates(catalog.device(device), model, precision, Accumulate::fp32);
  CHECK(to_string(rates.state.key) == key);
}

TEST_CASE("Experts in a format of their own have a rate of their own", "[roofline]") {
  // mxfp4 experts, the rest in bf16; on a device that multiplies fp4 too.
  const Catalog catalog;
  Precision precision = precision_of(plain_format(MatrixType::bf16), plain_format(MatrixType::bf16),
                                     plain_format(MatrixType::bf16));
  precision.weights[Part::experts] = catalog.format("mxfp4");
  const Model model = model_of(some_attention, routed);
  const auto [device, experts, others] = GENERATE(table<std::string, std::string, std::string>(
      {{"H100", "bf16", "bf16"}, {"B200", "bf16", "bf16"}, {"T4", "fp16", "fp16"}}));
  INFO(device);
  const Rates wide = choose_rates(catalog.device(device), model, precision, Accumulate::fp32);
  CHECK(to_string(wide.weights[Part::experts].key) == experts);
  CHECK(to_string(wide.weights[Part::mixer].key) == others);
  CHECK(to_string(wide.weights[Part::shared_experts].key) == others);
  CHECK(to_string(wide.weights[Part::router].key) == others);
  CHECK_THAT(wide.notes,
             VectorContains("mxfp4 experts with bf16 activations: products run at the " + experts +
                            " peak"));
  precision.weights[Part::experts].rounds_activations = true;
  const Rates narrow = choose_rates(catalog.device("B200"), model, precision, Accumulate::fp32);
  CHECK(to_string(narrow.weights[Part::experts].key) == "fp4");
  CHECK(to_string(narrow.weights[Part::mixer].key) == "bf16");
  CHECK(narrow.notes == Strings{"mxfp4 experts: activations are rounded to fp4 for each product"});
}

TEST_CASE("Layers that are all in one format are called weights once", "[roofline]") {
  const Catalog catalog;
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  const Precision precision = precision_of(catalog.format("awq"), bf16, bf16);
  const Rates rates = choose_rates(catalog.device("H100"), model_of(some_attention, routed),
                                   precision, Accumulate::fp32);
  CHECK(rates.notes == Strings{"awq weights with bf16 activations: products run at the bf16 peak"});
}

TEST_CASE("Parts of one format whose scales weigh differently are called weights once",
          "[roofline]") {
  // Edge blocks make the mixer's mean a little wider: the rate and its reason are the same.
  const Catalog catalog;
  const Model model = catalog.model("deepseek-v3");
  REQUIRE(model.stored);
  const Precision precision = resolve_precision(model, {}).precision;
  REQUIRE(precision.weights[Part::mixer].bits > precision.weights[Part::experts].bits);
  const Rates rates = choose_rates(catalog.device("H100"), model, precision, Accumulate::fp32);
  CHECK(to_string(rates.weights[Part::mixer].key) == "fp8");
  CHECK(to_string(rates.weights[Part::experts].key) == "fp8");
  CHECK(to_string(rates.weights[Part::router].key) == "bf16");
  CHECK(rates.notes ==
        Strings{"fp8-block weights: activations are rounded to fp8 for each product"});
}

TEST_CASE("A router in fp32 runs at the activations' peak", "[roofline]") {
  // Engines differ in its type: the fastest is the bound, and no device lacks it.
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  Precision precision = precision_of(bf16, bf16, bf16);
  precision.weights[Part::router] = plain_format(MatrixType::fp32);
  for (const char* device : {"H100", "TPU-v5e"}) {
    const Rates rates = choose_rates(Catalog().device(device), model_of(some_attention, routed),
                                     precision, Accumulate::fp32);
    CHECK(to_string(rates.weights[Part::router].key) == "bf16");
    CHECK(rates.notes.empty());
  }
}

}  // namespace
}  // namespace roofline
