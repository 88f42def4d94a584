// What has to fit into memory: stored weights, K/V, activations; and what a device offers.
#include "roofline/memory.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {
namespace {

Precision all_bf16() {
  return all_in(plain_format(MatrixType::bf16));
}

/// As the model's file stores it, bf16 elsewhere.
Precision as_stored(const Model& model) {
  return resolve_precision(model, {}).precision;
}

MemoryNeed need_of(const Model& model, const Step& step, const Precision& precision) {
  std::vector<Operator> operators;
  list_operators(model, step, precision, {}, operators);
  return memory_need(model, step, precision, {}, operators);
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
      {"gpt-oss-20b", 13'761'264'768},  // 19,110,297,600 experts' weights at 17/32 bytes
      // 6,979,321,856 layer parameters at one byte, 1,050,939,392 others at two.
      {"llama-3.1-8b-fp8-compressed-tensors", 9'081'200'640},
      // The same at 4.125 bits: 4 and a 16-bit scale for 128 weights.
      {"llama-3.1-8b-w4a16-compressed-tensors", 5'700'591'616},
  }));
  INFO(name);
  const Model model = Catalog().model(name);
  REQUIRE(model.stored);
  CHECK(weight_bytes(model, as_stored(model)).value() == Approx(bytes).epsilon(1e-12));
}

TEST_CASE("GGUF formats cover all matrices and leave norms in fp32", "[roofline]") {
  // 8,030,261,248 parameters, 65 x 4096 of them norms.
  PrecisionRequest request;
  request.weights = Catalog().format("q4-k");
  const Model model = Catalog().model("llama-3.1-8b");
  const Bytes bytes = weight_bytes(model, resolve_precision(model, request).precision);
  CHECK(bytes.value() == Approx(8'029'995'008 * 4.5 / 8 + 266'240 * 4).epsilon(1e-12));
}

TEST_CASE("Each part is stored in its own format", "[roofline]") {
  // h 10, V 20 untied, one layer: attention 10 x (12 + 12 + 12), 8 experts of 3 x 10 x 5 beside a
  // shared 3 x 10 x 7, router 10 x 9, an added 10 x 6, norms 40; 8 expert biases of 2 x 5 + 10.
  Model model;
  model.hidden_size = 10;
  model.vocabulary = 20;
  LayerGroup layer;
  layer.count = 1;
  layer.mixer =
      Attention{.query_heads = 4, .kv_heads = 2, .head_dim = 3, .window = {}, .chunk = {}};
  layer.feed_forward = Experts{
      .count = 8, .per_token = 2, .width = 5, .bias = true, .shared_width = 7, .shared_gate = true};
  layer.norm_parameters = 40;
  layer.extra_maps = {{"added", 10, 6}};
  model.layers = {layer};
  const auto [part, parameters] = GENERATE(table<Part, double>({
      {Part::embedding, 200},
      {Part::lm_head, 200},
      {Part::mixer, 360},
      {Part::mlp, 60},
      {Part::shared_experts, 210},
      {Part::experts, 1200},
      {Part::router, 90},
      {Part::vectors, 40 + 8 * 20},
  }));
  INFO(to_string(part));
  constexpr double all = 200 + 200 + 360 + 60 + 210 + 1200 + 90 + 200;
  CHECK(weight_bytes(model, all_bf16()) == Bytes(2 * all));
  Precision precision = all_bf16();
  precision.weights[part].bits = 4;
  CHECK(weight_bytes(model, precision) == Bytes(2 * all - 1.5 * parameters));
}

TEST_CASE("All experts are stored whatever a step reads", "[roofline]") {
  // Mixtral 8x7B has 46,702,792,704 parameters.
  const Model model = Catalog().model("mixtral-8x7b");
  CHECK(need_of(model, decode_step(1, 100), all_bf16()).weights == Bytes(2.0 * 46'702'792'704));
}

TEST_CASE("K/V of Llama 3.1 8B takes 128 KiB a token in 16 bits", "[roofline]") {
  const Model model = Catalog().model("llama-3.1-8b");
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  CHECK(kv_bytes(model, bf16, 1) == Bytes(131'072));
  CHECK(kv_bytes(model, bf16, 2048) == Bytes(268'435'456));
  CHECK(kv_bytes(model, Catalog().format("fp8"), 2048) == Bytes(134'217'728));
}

TEST_CASE("A token's K/V has its published size in 16 bits", "[roofline]") {
  const auto [name, bytes] = GENERATE(table<std::string, double>({
      {"qwen3-32b", 262'144},
      {"deepseek-v3", 70'272},
      {"llama-2-7b", 524'288},
      {"llama-3-70b", 327'680},
      {"llama-3.1-405b", 516'096},
      {"falcon-40b", 122'880},
      {"gemma-3-27b", 507'904},
      {"gpt-oss-20b", 49'152},
      {"llama-4-scout", 196'608},
      {"gemma-3n-e4b", 40'960},  // 20 of 35 layers have a cache of their own
      {"qwen3-next-80b-a3b", 24'576},
      {"minimax-m1", 40'960},
      {"granite-4.0-h-small", 16'384},
      {"nemotron-h-56b", 40'960},
      {"mamba-2.8b", 0},
  }));
  INFO(name);
  CHECK(kv_bytes(Catalog().model(name), plain_format(MatrixType::bf16), 1) == Bytes(bytes));
}

TEST_CASE("A model shaped as gpt-oss-120b keeps 73728 bytes of K/V a token", "[roofline]") {
  // 36 layers with 8 K/V heads of 64, every other with a window of 128.
  Model model;
  for (const bool windowed : {true, false}) {
    Attention attention{
        .query_heads = 64, .kv_heads = 8, .head_dim = 64, .window = {}, .chunk = {}};
    if (windowed) attention.window = 128;
    LayerGroup group;
    group.count = 18;
    group.mixer = attention;
    model.layers.push_back(group);
  }
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  CHECK(kv_bytes(model, bf16, 1) == Bytes(73'728));
  CHECK(kv_bytes(model, bf16, 128) == Bytes(73'728.0 * 128));
  CHECK(kv_bytes(model, bf16, 129) == Bytes(73'728.0 * 128 + 36'864));
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
      // 36 layers with chunks of 8192 and 12 without: 2 x 8 x 128 elements.
      {"llama-4-scout", 8192, 196'608.0 * 8192},
      {"llama-4-scout", 20'000, 2.0 * 2048 * (36.0 * 8192 + 12.0 * 20'000)},
      // 10 of 62 layers see more than 1024 tokens, 4 of the 20 owning ones more than 512.
      {"gemma-3-27b", 5000, 81'920.0 * 5000 + (507'904.0 - 81'920) * 1024},
      {"gemma-3n-e4b", 5000, 8'192.0 * 5000 + (40'960.0 - 8'192) * 512},
      {"gpt-oss-20b", 5000, 24'576.0 * 5000 + 24'576.0 * 128},
      {"deepseek-v3", 5000, 70'272.0 * 5000},
      {"mamba-2.8b", 5000, 0},
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

TEST_CASE("A sequence's state has its published elements", "[roofline]") {
  // Those of the recurrence in fp32; channels x (taps - 1) of the convolutions in 16 bits.
  const auto [name, recurrent, convolution] = GENERATE(table<std::string, double, double>({
      {"mamba-2.8b", 5'242'880, 64.0 * 5120 * 3},
      {"qwen3-next-80b-a3b", 18'874'368, 884'736},
      {"minimax-m1", 73'400'320, 0},
      {"granite-4.0-h-small", 37'748'736, 36.0 * (8192 + 2 * 128) * 3},
      {"nemotron-h-56b", 226'492'416, 54.0 * (16'384 + 2 * 8 * 256) * 3},
      {"llama-3.1-8b", 0, 0},
      {"deepseek-v3", 0, 0},
  }));
  INFO(name);
  const Model model = Catalog().model(name);
  NumberFormat activations = plain_format(MatrixType::bf16);
  CHECK(state_bytes(model,
                    {.weights_name = "", .weights = {}, .kv = {}, .activations = activations}) ==
        Bytes(4 * recurrent + 2 * convolution));
  activations.bits = 8;
  CHECK(state_bytes(model,
                    {.weights_name = "", .weights = {}, .kv = {}, .activations = activations}) ==
        Bytes(4 * recurrent + convolution));
}

TEST_CASE("A step needs the state of all its sequences whatever their length", "[roofline]") {
  const Model model = Catalog().model("mamba-2.8b");
  constexpr double state = 4.0 * 5'242'880 + 2.0 * 983'040;
  const auto [step, sequences] = GENERATE(table<Step, double>({
      {decode_step(7, 10), 7},
      {decode_step(7, 100'000), 7},
      {prefill_step(3, 500), 3},
      {Step{.groups = {{.count = 2}, {.count = 5, .new_tokens = 9, .cached_tokens = 3}}}, 7},
  }));
  const MemoryNeed need = need_of(model, step, all_bf16());
  CHECK(need.state == Bytes(state * sequences));
  CHECK(need.kv == Bytes(0));
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

TEST_CASE("Activations of experts are those of all tokens they are routed to", "[roofline]") {
  // A prompt of 2048 of Mixtral: 2 x 2048 rows of (4096 + 28672) elements, residual 2048 x 4096.
  const MemoryNeed need =
      need_of(Catalog().model("mixtral-8x7b"), prefill_step(1, 2048), all_bf16());
  CHECK(need.activations == Bytes(2.0 * (4096 * 32'768.0 + 2048 * 4096.0)));
}

TEST_CASE("The need is the sum of its parts", "[roofline]") {
  const MemoryNeed need =
      need_of(Catalog().model("llama-3.1-8b"), decode_step(32, 2048), all_bf16());
  CHECK(need.weights == Bytes(16'060'522'496));
  CHECK(need.total() == Bytes(16'060'522'496.0 + 8'589'934'592.0 + 8'732'672.0));
  MemoryNeed all;
  all.weights = Bytes(1);
  all.kv = Bytes(20);
  all.state = Bytes(300);
  all.activations = Bytes(4000);
  CHECK(all.total() == Bytes(4321));
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
