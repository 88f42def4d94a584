// What has to fit into memory: stored weights, K/V, activations; and what a device offers.
#include "roofline/memory.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/catalog.hpp"

namespace roofline {
namespace {

/// `weights` where the format covers, bf16 elsewhere.
Precision with_weights(const NumberFormat& weights) {
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  return {.weights = weights, .unquantized = bf16, .kv = bf16, .activations = bf16};
}

Precision all_bf16() {
  return with_weights(plain_format(MatrixType::bf16));
}

MemoryNeed need_of(const Model& model, const Step& step, const Precision& precision) {
  std::vector<Operator> operators;
  list_operators(model, step, precision, operators);
  return memory_need(model, step, precision, operators);
}

TEST_CASE("Models in 16 bits store two bytes a published parameter", "[roofline]") {
  const auto [name, parameters] = GENERATE(table<std::string, double>({
      {"llama-3.1-8b", 8'030'261'248},
      {"llama-3-70b", 70'553'706'496},
      {"qwen2.5-7b", 7'615'616'512},
      {"gpt2", 124'439'808},
      {"gemma-2-27b", 27'227'128'320},
  }));
  INFO(name);
  CHECK(weight_bytes(Catalog().model(name), all_bf16()) == Bytes(2 * parameters));
}

TEST_CASE("Quantised checkpoints store what their files do", "[roofline]") {
  const auto [name, bytes] = GENERATE(table<std::string, double>({
      {"qwen2.5-7b-instruct-awq", 5'570'747'392},
      // 6,979,321,856 layer parameters at one byte, 1,050,939,392 others at two.
      {"llama-3.1-8b-fp8-compressed-tensors", 9'081'200'640},
      // The same at 4.125 bits: 4 and a 16-bit scale for 128 weights.
      {"llama-3.1-8b-w4a16-compressed-tensors", 5'700'591'616},
  }));
  INFO(name);
  const Model model = Catalog().model(name);
  REQUIRE(model.quantization);
  CHECK(weight_bytes(model, with_weights(*model.quantization)).value() ==
        Approx(bytes).epsilon(1e-12));
}

TEST_CASE("GGUF formats cover all matrices and leave norms in fp32", "[roofline]") {
  // 8,030,261,248 parameters, 65 x 4096 of them norms.
  const Bytes bytes =
      weight_bytes(Catalog().model("llama-3.1-8b"), with_weights(Catalog().format("q4-k")));
  CHECK(bytes.value() == Approx(8'029'995'008 * 4.5 / 8 + 266'240 * 4).epsilon(1e-12));
}

TEST_CASE("K/V of Llama 3.1 8B takes 128 KiB a token in 16 bits", "[roofline]") {
  const Model model = Catalog().model("llama-3.1-8b");
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  CHECK(kv_bytes(model, bf16, 1) == Bytes(131'072));
  CHECK(kv_bytes(model, bf16, 2048) == Bytes(268'435'456));
  CHECK(kv_bytes(model, Catalog().format("fp8"), 2048) == Bytes(134'217'728));
}

TEST_CASE("A window layer keeps no more than its window", "[roofline]") {
  const auto [name, tokens, bytes] = GENERATE(table<std::string, std::int64_t, double>({
      {"mistral-7b-v0.1", 4095, 131'072.0 * 4095},
      {"mistral-7b-v0.1", 4096, 131'072.0 * 4096},
      {"mistral-7b-v0.1", 4097, 131'072.0 * 4096},
      {"mistral-7b-v0.1", 32768, 131'072.0 * 4096},
      {"mistral-7b-v0.3", 32768, 131'072.0 * 32768},  // has none
      // 13 layers with a window of 4096 and 13 without: 2 x 4 x 256 elements a token and layer.
      {"gemma-2-2b", 4096, 2.0 * 2048 * 13 * (4096 + 4096)},
      {"gemma-2-2b", 8192, 2.0 * 2048 * 13 * (4096 + 8192)},
  }));
  CAPTURE(name, tokens);
  CHECK(kv_bytes(Catalog().model(name), plain_format(MatrixType::bf16), tokens) == Bytes(bytes));
}

TEST_CASE("A step needs K/V of all its sequences at their full length", "[roofline]") {
  const Model model = Catalog().model("llama-3.1-8b");
  CHECK(need_of(model, decode_step(32, 2048), all_bf16()).kv == Bytes(8'589'934'592));
  CHECK(need_of(model, prefill_step(32, 2048), all_bf16()).kv == Bytes(8'589'934'592));
  Step mixed = decode_step(3, 100);
  mixed.groups.push_back({.count = 2, .new_tokens = 50, .cached_tokens = 10});
  CHECK(need_of(model, mixed, all_bf16()).kv == Bytes(131'072.0 * (3 * 100 + 2 * 60)));
}

TEST_CASE("Activations are those of the largest operator and the residual stream", "[roofline]") {
  const Model model = Catalog().model("llama-3.1-8b");
  // Decode of 32: lm_head 32 x (4096 + 128256) elements, residual 32 x 4096.
  CHECK(need_of(model, decode_step(32, 2048), all_bf16()).activations ==
        Bytes(2.0 * 32 * (132'352 + 4096)));
  // A prompt of 2048: gate+up 2048 x (4096 + 28672) elements, residual 2048 x 4096.
  CHECK(need_of(model, prefill_step(1, 2048), all_bf16()).activations ==
        Bytes(2.0 * 2048 * (32'768 + 4096)));
}

TEST_CASE("The need is the sum of its parts", "[roofline]") {
  const MemoryNeed need =
      need_of(Catalog().model("llama-3.1-8b"), decode_step(32, 2048), all_bf16());
  CHECK(need.weights == Bytes(16'060'522'496));
  CHECK(need.total() == Bytes(16'060'522'496.0 + 8'589'934'592.0 + 8'732'672.0));
}

TEST_CASE("Nine tenths of what the driver reports are usable", "[roofline]") {
  const auto [name, mebibytes] = GENERATE(table<std::string, double>({
      {"H100", 81'559},
      {"T4", 15'360},
      {"A10G", 23'028},
      {"Apple-M1", 16'384},  // the stated capacity, as no driver's figure is known
  }));
  INFO(name);
  const Device device = Catalog().device(name);
  const std::optional<Bytes> usable = usable_memory(device);
  REQUIRE(usable);
  CHECK(usable->value() == Approx(mebibytes * 1'048'576 * 0.9).epsilon(1e-12));
  CHECK(usable_memory(device, 0.5)->value() == Approx(mebibytes * 524'288).epsilon(1e-12));
}

TEST_CASE("A device of unknown capacity has no usable memory to speak of", "[roofline]") {
  Device device;
  CHECK_FALSE(usable_memory(device));
  device.capacity = Bytes(100);
  CHECK(usable_memory(device, 1) == Bytes(100));
  device.usable = Bytes(90);
  CHECK(usable_memory(device, 1) == Bytes(90));
}

}  // namespace
}  // namespace roofline
