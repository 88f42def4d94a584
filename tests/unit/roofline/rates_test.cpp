// Which peak an operator runs at: real devices and formats, small made-up devices, notes, errors.
#include "roofline/rates.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::VectorContains;
using Strings = std::vector<std::string>;
Rates rates_of(const std::string& device, const std::string& weights,
               const std::string& activations, const std::string& kv = "bf16",
               Accumulate accumulate = Accumulate::fp32) {
  const Catalog catalog;
  return choose_rates(
      catalog.device(device), some_model(),
      precision_of(catalog.format(weights), catalog.format(activations), catalog.format(kv)),
      accumulate);
}

TEST_CASE("Weights and activations decide the peak of a linear map", "[roofline]") {
  // The peaks are the vendors' dense figures, in TFLOP/s or TOP/s.
  const auto [device, weights, activations, key, tera] =
      GENERATE(table<std::string, std::string, std::string, std::string, double>({
          {"H100", "bf16", "bf16", "bf16", 989.4},
          {"H100", "fp16", "fp16", "fp16", 989.4},
          {"H100", "fp8", "fp8", "fp8", 1979},
          {"H100", "fp8", "bf16", "bf16", 989.4},
          {"H100", "fp8", "fp16", "fp16", 989.4},
          {"H100", "int8", "int8", "int8", 1979},
          {"H100", "int8", "bf16", "bf16", 989.4},
          {"H100", "awq", "bf16", "bf16", 989.4},
          {"H100", "fp32", "fp32", "fp32", 67},
          {"H100", "q4-k", "bf16", "int8", 1979},
          {"B200", "fp8", "fp8", "fp8", 4500},
          {"B200", "nvfp4", "bf16", "bf16", 2250},
          {"A100", "awq", "fp16", "fp16", 312},
          {"A100", "int8", "int8", "int8", 624},
          {"A100", "q8-0", "fp16", "int8", 624},
          {"T4", "fp16", "fp16", "fp16", 65},
          {"T4", "bf16", "bf16", "fp16", 65},
          {"T4", "fp8", "bf16", "fp16", 65},
          {"T4", "q4-k", "fp16", "int8", 130},
          {"V100-SXM2-32GB", "q4-k", "fp16", "fp16", 125},
          {"P100", "q4-k", "fp16", "fp16", 21.2},
          {"B300", "q4-k", "fp16", "bf16", 2250},
          {"TPU-v5e", "fp16", "fp16", "bf16", 197},
          {"TPU-v5e", "bf16", "bf16", "bf16", 197},
          {"TPU-v5e", "int8", "int8", "int8", 393},
          {"Core-i9-13900K", "bf16", "bf16", "fp32", 2.51},
          {"Core-i9-13900K", "awq", "fp16", "fp32", 2.51},
          {"Core-i9-13900K", "q4-k", "bf16", "int8", 10},
      }));
  CAPTURE(device, weights, activations);
  const Rate rate = rates_of(device, weights, activations).weights[Part::mlp];
  CHECK(to_string(rate.key) == key);
  CHECK(rate.peak.value() == Approx(tera * 1e12).epsilon(1e-12));
}

TEST_CASE("fp8 on a device without it runs at the 16-bit peak and says so", "[roofline]") {
  const Rates rates = rates_of("A100", "fp8", "fp8");
  CHECK(rates.weights[Part::mlp].peak.value() == Approx(312e12).epsilon(1e-12));
  CHECK_THAT(rates.notes.at(0), Contains("fp8 arithmetic runs at the") && Contains("16 peak") &&
                                    Contains("the device's peaks have no such type"));
}

TEST_CASE("What is not as its operands ask for is noted", "[roofline]") {
  const auto [device, weights, activations, kv, notes] =
      GENERATE(table<std::string, std::string, std::string, std::string, Strings>({
          {"H100", "bf16", "bf16", "bf16", {}},
          {"T4", "fp16", "fp16", "fp16", {}},
          {"T4",
           "bf16",
           "bf16",
           "bf16",
           {"bf16 arithmetic runs at the fp16 peak: the device's peaks have no such type"}},
          {"TPU-v5e",
           "fp16",
           "fp16",
           "fp16",
           {"fp16 arithmetic runs at the bf16 peak: the device's peaks have no such type"}},
          {"Core-i9-13900K",
           "bf16",
           "bf16",
           "bf16",
           {"bf16 arithmetic runs at the fp32 peak: the device's peaks have no such type"}},
          {"H100",
           "fp8",
           "bf16",
           "bf16",
           {"fp8 weights with bf16 activations: products run at the bf16 peak"}},
          {"H100",
           "bf16",
           "bf16",
           "fp8",
           {"fp8 K/V with bf16 activations: products run at the bf16 peak"}},
          {"H100",
           "q4-k",
           "bf16",
           "bf16",
           {"q4-k weights: activations are rounded to int8 for each product"}},
          {"V100-SXM2-32GB",
           "q4-k",
           "fp16",
           "fp16",
           {"q4-k weights: activations are rounded to int8 for each product",
            "int8 arithmetic runs at the fp16 peak: the device's own rate is no faster"}},
          {"P100",
           "q4-k",
           "fp16",
           "fp16",
           {"q4-k weights: activations are rounded to int8 for each product",
            "int8 arithmetic runs at the fp16 peak: the device's peaks have no such type"}},
      }));
  CAPTURE(device, weights, activations, kv);
  CHECK(rates_of(device, weights, activations, kv).notes == notes);
}

TEST_CASE("Attention runs at the activations' type", "[roofline]") {
  const auto [device, activations, kv, key] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"H100", "bf16", "bf16", "bf16"},
          {"H100", "bf16", "fp8", "bf16"},
          {"H100", "fp16", "fp8", "fp16"},
          {"H100", "fp8", "fp8", "fp8"},
          {"H100", "fp8", "bf16", "bf16"},
          {"T4", "fp16", "fp8", "fp16"},
      }));
  CAPTURE(device, activations, kv);
  CHECK(to_string(rates_of(device, "awq", activations, kv).cache.key) == key);
}

TEST_CASE("lm_head runs at the type that it is kept in", "[roofline]") {
  // GGUF covers it too; the others leave it in bf16.
  const auto [weights, activations, layers, lm_head] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"bf16", "bf16", "bf16", "bf16"},
          {"awq", "bf16", "bf16", "bf16"},
          {"fp8", "fp8", "fp8", "bf16"},
          {"q4-k", "bf16", "int8", "int8"},
      }));
  CAPTURE(weights, activations);
  const Rates rates = rates_of("H100", weights, activations);
  CHECK(to_string(rates.weights[Part::mlp].key) == layers);
  CHECK(to_string(rates.weights[Part::lm_head].key) == lm_head);
}

TEST_CASE("A checkpoint with eight-bit activations runs its layers in eight bits", "[roofline]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3.1-8b-fp8-compressed-tensors");
  REQUIRE(model.stored);
  const Precision precision = resolve_precision(model, {}).precision;
  const Rates rates = choose_rates(catalog.device("H100"), model, precision, Accumulate::fp32);
  CHECK(to_string(rates.weights[Part::mixer].key) == "fp8");
  CHECK(to_string(rates.weights[Part::mlp].key) == "fp8");
  CHECK(to_string(rates.weights[Part::lm_head].key) == "bf16");
  CHECK(to_string(rates.cache.key) == "bf16");
}

TEST_CASE("GeForce cards are twice as fast if sums are kept in fp16", "[roofline]") {
  const auto [device, format, accumulate, key, tera] =
      GENERATE(table<std::string, std::string, Accumulate, std::string, double>({
          {"RTX-4090", "fp16", Accumulate::fp32, "fp16", 165.2},
          {"RTX-4090", "fp16", Accumulate::fp16, "fp16_accumulate_fp16", 330.3},
          {"RTX-4090", "bf16", Accumulate::fp16, "bf16", 165.2},
          {"RTX-4090", "fp8", Accumulate::fp32, "fp8", 330.3},
          {"RTX-4090", "fp8", Accumulate::fp16, "fp8_accumulate_fp16", 660.6},
          {"A100", "fp16", Accumulate::fp16, "fp16", 312},
          {"Tesla-P40", "fp16", Accumulate::fp16, "fp16", 11.8},
      }));
  CAPTURE(device, format, accumulate == Accumulate::fp16);
  const Rate rate = rates_of(device, format, format, format, accumulate).weights[Part::mlp];
  CHECK(to_string(rate.key) == key);
  CHECK(rate.peak.value() == Approx(tera * 1e12).epsilon(1e-12));
}

TEST_CASE("A device without sums in fp16 says so if they are asked for", "[roofline]") {
  const auto [device, format, notes] = GENERATE(table<std::string, std::string, Strings>({
      {"A100", "fp16", {"the device has no fp16 rate with fp16 accumulation"}},
      {"RTX-4090", "bf16", {"the device has no bf16 rate with fp16 accumulation"}},
      {"RTX-4090", "fp16", {}},
  }));
  CAPTURE(device, format);
  CHECK(rates_of(device, format, format, format, Accumulate::fp16).notes == notes);
  CHECK(rates_of(device, format, format, format, Accumulate::fp32).notes.empty());
}

TEST_CASE("No note denies the sums in fp16 that a device has", "[roofline]") {
  // The P40's are slower than its sums in fp32.
  const Rates rates = rates_of("Tesla-P40", "fp16", "fp16", "fp16", Accumulate::fp16);
  CHECK_THAT(rates.notes,
             !VectorContains(std::string("the device has no fp16 rate with fp16 accumulation")));
}

TEST_CASE("The fastest rate that holds both operands is taken", "[roofline]") {
  using enum MatrixType;
  const Device plain = device_with({{"fp32", 10}, {"fp16", 40}, {"int8", 80}});
  const Device slow_int8 = device_with({{"fp32", 10}, {"fp16", 40}, {"int8", 30}});
  const Device slow_fp16 = device_with({{"fp32", 50}, {"fp16", 10}});
  const Device same_as_fp32 = device_with({{"fp32", 10}, {"fp16", 10}});
  const Device same = device_with({{"bf16", 20}, {"fp16", 20}, {"fp8", 20}});
  const Device matrix = device_with({{"fp32", 10}, {"fp32_matrix", 30}, {"tf32", 60}});
  const Device four_bits = device_with({{"bf16", 10}, {"fp8", 20}, {"fp4", 40}, {"int8", 20}});
  struct Case {
    const Device& device;
    MatrixType a;
    MatrixType b;
    std::string key;
  };
  for (const Case& c : {
           Case{plain, fp16, fp16, "fp16"},
           Case{plain, int8, int8, "int8"},
           Case{plain, int4, int8, "int8"},
           Case{plain, int8, fp16, "fp16"},
           Case{plain, fp8, fp8, "fp16"},
           Case{plain, bf16, bf16, "fp16"},  // stands in
           Case{plain, bf16, fp16, "fp16"},
           Case{plain, fp32, fp32, "fp32"},
           Case{plain, fp16, fp32, "fp32"},
           Case{plain, bf16, fp32, "fp32"},
           Case{plain, fp32, bf16, "fp32"},
           Case{slow_int8, int8, int8, "fp16"},
           Case{slow_fp16, fp16, fp16, "fp32"},
           Case{slow_fp16, bf16, bf16, "fp32"},
           Case{same_as_fp32, bf16, bf16, "fp16"},
           Case{same, fp8, fp8, "fp8"},
           Case{same, bf16, fp16, "fp16"},  // the weights' type gives way
           Case{same, fp16, bf16, "bf16"},
           Case{matrix, fp32, fp32, "fp32_matrix"},  // tf32 has fewer digits
           Case{matrix, bf16, bf16, "tf32"},
           Case{four_bits, fp4, fp4, "fp4"},
           Case{four_bits, fp4, fp8, "fp8"},
           Case{four_bits, fp4, bf16, "bf16"},
           Case{four_bits, fp8, int8, "bf16"},  // neither holds the other
       }) {
    CAPTURE(to_string(c.a), to_string(c.b), c.key);
    CHECK(to_string(choose_rate(c.device, c.a, c.b, Accumulate::fp32).key) == c.key);
  }
}

TEST_CASE("A device without a type that holds the operands is refused", "[roofline]") {
  using enum MatrixType;
  Device device = device_with({{"fp8", 20}, {"int8", 30}});
  const auto [a, b, what] = GENERATE(table<MatrixType, MatrixType, std::string>({
      {bf16, bf16, "X has no rate for bf16"},
      {fp8, fp16, "X has no rate for fp8 x fp16"},
      {int8, fp8, "X has no rate for int8 x fp8"},
      {fp32, fp32, "X has no rate for fp32"},
      {fp32, bf16, "X has no rate for fp32 x bf16"},
      {bf16, fp32, "X has no rate for bf16 x fp32"},
  }));
  INFO(what);
  try {
    (void)choose_rate(device, a, b, Accumulate::fp32);
    FAIL("no error");
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 1);
    const Diagnostic& diagnostic = error.diagnostics().front();
    CHECK(diagnostic.what == what);
    CHECK(diagnostic.why == "none of its peaks is of a type that holds these values");
    // What it advises helps.
    REQUIRE_THAT(diagnostic.fix, Catch::StartsWith("--peak ") && Catch::EndsWith("=100TFLOP/s"));
    const std::string name = diagnostic.fix.substr(7, diagnostic.fix.find('=') - 7);
    INFO(name);
    device.peaks[peak_key(name).value()] = FlopsPerSecond(100e12);
    CHECK_NOTHROW(choose_rate(device, a, b, Accumulate::fp32));
  }
}

TEST_CASE("A product notes its operands and a note comes once", "[roofline]") {
  const Device device = device_with({{"fp16", 40}});
  Strings notes;
  const auto product = [&](MatrixType values, MatrixType activations, const char* noun) {
    return rate_product(device, values, activations, noun, Accumulate::fp32, notes);
  };
  CHECK(product(MatrixType::fp16, MatrixType::fp16, "weights").peak == FlopsPerSecond(40));
  CHECK(notes.empty());
  CHECK(product(MatrixType::fp8, MatrixType::fp16, "K/V").peak == FlopsPerSecond(40));
  CHECK(product(MatrixType::fp8, MatrixType::fp16, "K/V").peak == FlopsPerSecond(40));
  CHECK(notes == Strings{"K/V with fp16 activations: products run at the fp16 peak"});
}

TEST_CASE("Weights round the activations only where their format says so", "[roofline]") {
  const Device device = device_with({{"fp16", 40}, {"int8", 80}});
  NumberFormat weights;
  weights.name = "w";
  weights.element = MatrixType::int8;
  const auto rate = [&](MatrixType activations, Strings& notes) {
    return rate_weights(device, weights, "weights", activations, Accumulate::fp32, notes).peak;
  };
  Strings notes;
  CHECK(rate(MatrixType::fp16, notes) == FlopsPerSecond(40));
  CHECK(notes == Strings{"w weights with fp16 activations: products run at the fp16 peak"});
  weights.rounds_activations = true;
  notes.clear();
  CHECK(rate(MatrixType::fp16, notes) == FlopsPerSecond(80));
  CHECK(notes == Strings{"w weights: activations are rounded to int8 for each product"});
  notes.clear();
  CHECK(rate(MatrixType::int8, notes) == FlopsPerSecond(80));
  CHECK(notes.empty());
}

TEST_CASE("A given peak goes before a wider type that is faster", "[roofline]") {
  Device device;
  device.name = "X";
  device.peaks = {{{.type = MatrixType::bf16}, FlopsPerSecond(900e12)},
                  {{.type = MatrixType::tf32}, FlopsPerSecond(500e12)}};
  DeviceOverrides overrides;
  overrides.peaks[{.type = MatrixType::bf16}] = FlopsPerSecond(400e12);
  const Device slower = with_overrides(device, overrides);
  const auto peak = [&](MatrixType a, MatrixType b) {
    return choose_rate(slower, a, b, Accumulate::fp32).peak;
  };
  CHECK(peak(MatrixType::bf16, MatrixType::bf16) == FlopsPerSecond(400e12));
  // 8-bit weights with bf16 activations run as bf16 too.
  CHECK(peak(MatrixType::fp8, MatrixType::bf16) == FlopsPerSecond(400e12));
  // Nothing was given for tf32.
  CHECK(peak(MatrixType::tf32, MatrixType::tf32) == FlopsPerSecond(500e12));
}

}  // namespace
}  // namespace roofline
