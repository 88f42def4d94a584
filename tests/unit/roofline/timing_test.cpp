// Times of a step: hand-made operators, one and two peaks, reference times of Llama 3 70B, the
// batch from which on it is compute-bound, and the floor that no serial time is below.
#include "roofline/timing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {
namespace {

constexpr BytesPerSecond ten_per_second(10);

/// Of all matrices but lm_head, of lm_head, of attention.
Rates rates(double weights, double lm_head, double cache) {
  Rates result;
  for (const Part part : all_parts) result.weights[part].peak = FlopsPerSecond(weights);
  result.weights[Part::lm_head].peak = FlopsPerSecond(lm_head);
  result.cache.peak = FlopsPerSecond(cache);
  return result;
}

Rates one_rate(double peak) {
  return rates(peak, peak, peak);
}

Operator linear(double flops, double weights, double activations) {
  Operator op;
  op.operands = Operands::weights;
  op.flops = Flops(flops);
  op.weights = Bytes(weights);
  op.activations = Bytes(activations);
  return op;
}

Operator attention(double flops, double kv, double activations) {
  Operator op;
  op.operands = Operands::cache;
  op.flops = Flops(flops);
  op.kv = Bytes(kv);
  op.activations = Bytes(activations);
  return op;
}

Operator embedding(double activations) {
  Operator op;
  op.activations = Bytes(activations);
  return op;
}

TEST_CASE("An operator takes the longer of its arithmetic and all its bytes", "[roofline]") {
  // 100 FLOP at 20 FLOP/s are 5 s; 30 + 10 bytes at 10 B/s are 4 s, 30 + 40 are 7 s.
  const OperatorTime compute = time_operator(linear(100, 30, 10), one_rate(20), ten_per_second);
  CHECK(compute.compute == Seconds(5));
  CHECK(compute.memory == Seconds(4));
  CHECK(compute.serial() == Seconds(5));
  CHECK(compute.bound() == Verdict::compute_bound);
  const OperatorTime memory = time_operator(linear(100, 30, 40), one_rate(20), ten_per_second);
  CHECK(memory.serial() == Seconds(7));
  CHECK(memory.bound() == Verdict::memory_bound);
  const OperatorTime equal = time_operator(linear(100, 30, 20), one_rate(20), ten_per_second);
  CHECK(equal.bound() == Verdict::compute_bound);
}

TEST_CASE("An operator without a product has no compute time", "[roofline]") {
  const OperatorTime time = time_operator(embedding(50), one_rate(20), ten_per_second);
  CHECK(time.compute == Seconds(0));
  CHECK(time.memory == Seconds(5));
}

TEST_CASE("A step's bytes and times leave activations to the serial time", "[roofline]") {
  // Compute 5 + 2 = 7 s; compulsory 30 + 60 = 90 bytes, 9 s.
  // Serial: embedding 0.8, linear max(5, 3.4), attention max(2, 6.6).
  const std::vector<Operator> operators{embedding(8), linear(100, 30, 4), attention(40, 60, 6)};
  const StepTime step = time_step(operators, one_rate(20), ten_per_second);
  CHECK(step.flops == Flops(140));
  CHECK(step.weights == Bytes(30));
  CHECK(step.kv == Bytes(60));
  CHECK(step.state == Bytes(0));
  CHECK(step.activations == Bytes(18));
  CHECK(step.compulsory() == Bytes(90));
  CHECK(step.intensity().value() == Approx(140.0 / 90).epsilon(1e-12));
  CHECK(step.compute == Seconds(7));
  CHECK(step.memory == Seconds(9));
  CHECK(step.network == Seconds(0));
  CHECK(step.roofline == Seconds(9));
  CHECK(step.serial.value() == Approx(0.8 + 5 + 6.6).epsilon(1e-12));
  CHECK(step.roof.peak == FlopsPerSecond(20));
  CHECK(step.roof.bandwidth == ten_per_second);
}

TEST_CASE("State counts among the compulsory bytes", "[roofline]") {
  Operator recurrent;
  recurrent.operands = Operands::state;
  recurrent.flops = Flops(10);
  recurrent.state = Bytes(50);
  recurrent.activations = Bytes(10);
  Rates found = one_rate(1000);
  found.state.peak = FlopsPerSecond(2);
  const StepTime step = time_step(std::vector{recurrent}, found, ten_per_second);
  CHECK(step.state == Bytes(50));
  CHECK(step.compulsory() == Bytes(50));
  CHECK(step.memory == Seconds(5));
  CHECK(step.compute == Seconds(5));
  CHECK(step.serial == Seconds(6));
  CHECK(step.roof.peak == FlopsPerSecond(2));
}

TEST_CASE("Each part's products take the time of its own rate", "[roofline]") {
  // 120 FLOP of experts at 30, 100 of the mixer at 20: 4 + 5 s, 220 FLOP in 9 s.
  Rates found;
  found.weights[Part::experts].peak = FlopsPerSecond(30);
  found.weights[Part::mixer].peak = FlopsPerSecond(20);
  Operator experts = linear(120, 10, 0);
  experts.part = Part::experts;
  const StepTime step = time_step(std::vector{experts, linear(100, 10, 0)}, found, ten_per_second);
  CHECK(step.compute == Seconds(9));
  CHECK(step.roof.peak.value() == Approx(220.0 / 9).epsilon(1e-12));
}

TEST_CASE("A step at two peaks has the rate of its mix", "[roofline]") {
  // 300 FLOP at 100 FLOP/s are 3 s, 50 at 10 are 5 s: 350 in 8 s, a ridge of 4.375 on 10 B/s.
  const std::vector<Operator> operators{linear(300, 20, 0), attention(50, 5, 0)};
  const StepTime step = time_step(operators, rates(100, 100, 10), ten_per_second);
  CHECK(step.compute == Seconds(8));
  CHECK(step.roof.peak == FlopsPerSecond(43.75));
  CHECK(step.roof.ridge() == FlopsPerByte(4.375));
  // 350 / 25 = 14 FLOP/byte is above it, and 8 s of arithmetic are above 2.5 s of memory.
  CHECK(step.roof.verdict(step.intensity()) == Verdict::compute_bound);
  CHECK(step.roofline == step.compute);
}

TEST_CASE("lm_head has its own rate", "[roofline]") {
  Operator lm_head = linear(60, 1, 0);
  lm_head.part = Part::lm_head;
  const StepTime step =
      time_step(std::vector{linear(300, 20, 0), lm_head}, rates(100, 20, 1), ten_per_second);
  CHECK(step.compute == Seconds(3 + 3));
  CHECK(step.roof.peak == FlopsPerSecond(60));
}

TEST_CASE("A step at one peak has exactly that peak", "[roofline]") {
  // 0.1 / (0.1 / 0.3) is not 0.3 in doubles.
  const double peak = GENERATE(0.3, 989.4e12, 121e12);
  const std::vector<Operator> operators{embedding(1), linear(0.1, 1, 0), attention(0.7, 1, 0)};
  CHECK(time_step(operators, one_rate(peak), ten_per_second).roof.peak == FlopsPerSecond(peak));
}

StepTime time_of(const Model& model, const Step& step, double peak, double bandwidth) {
  std::vector<Operator> operators;
  list_operators(model, step, all_in(plain_format(MatrixType::fp16)), {}, operators);
  return time_step(operators, one_rate(peak), BytesPerSecond(bandwidth));
}

TEST_CASE("Decode of Llama 3 70B has its reference times at 3350 GB/s", "[roofline]") {
  const auto [batch, bytes, milliseconds, intensity] =
      GENERATE(table<std::int64_t, double, double, double>({
          {1, 139'674'517'504, 41.694, 1.0336326236449356},
          {8, 144'372'137'984, 43.096, 8},
          {32, 160'478'265'344, 47.904, 28.788374585086643},
          {128, 224'902'774'784, 67.135, 82.16721060778427},
          {1024, 826'198'196'224, 246.626, 178.93656748620424},
      }));
  CAPTURE(batch);
  const Model model = Catalog().model("llama-3-70b");
  const StepTime step = time_of(model, decode_step(batch, 2048), 989e12, 3350e9);
  CHECK(step.memory.value() == Approx(bytes / 3350e9).epsilon(1e-12));
  CHECK(step.memory.value() * 1e3 == Approx(milliseconds).margin(0.0005));
  CHECK(step.intensity().value() == Approx(intensity).epsilon(1e-12));
  CHECK(step.roofline == step.memory);
}

TEST_CASE("Decode of Llama 3 70B reaches the ridge at its sweet spot", "[roofline]") {
  const auto [context, batch] =
      GENERATE(table<std::int64_t, std::int64_t>({{512, 452}, {1024, 963}, {1476, 477'356}}));
  CAPTURE(context, batch);
  const Model model = Catalog().model("llama-3-70b");
  const auto verdict = [&, tokens = context](std::int64_t b) {
    const StepTime step = time_of(model, decode_step(b, tokens), 989e12, 3350e9);
    return step.roof.verdict(step.intensity());
  };
  CHECK(verdict(batch) == Verdict::compute_bound);
  CHECK(verdict(batch - 1) == Verdict::memory_bound);
}

TEST_CASE("Decode of Llama 3 70B never reaches the ridge from context 1477 on", "[roofline]") {
  const Model model = Catalog().model("llama-3-70b");
  const StepTime step = time_of(model, decode_step(1'000'000'000, 1477), 989e12, 3350e9);
  CHECK(step.intensity().value() == Approx(295.207).margin(0.0005));
  CHECK(step.roof.verdict(step.intensity()) == Verdict::memory_bound);
}

TEST_CASE("The roofline time is a floor of the serial time", "[roofline]") {
  const Catalog catalog;
  // Dense, windows, tied, quantised; latent attention, experts in mxfp4, three kinds of states.
  const std::string model_name = GENERATE(
      "llama-3-70b", "gemma-2-2b", "gpt2", "qwen2.5-7b-instruct-awq", "deepseek-v2-lite",
      "gpt-oss-20b", "qwen3-next-80b-a3b", "mamba-2.8b", "granite-4.0-h-small", "gemma-3n-e4b");
  const std::string device_name =
      GENERATE("T4", "A100", "H100", "L4", "V100-SXM2-32GB", "RTX-4090", "TPU-v5e", "EPYC-9654");
  const Model model = catalog.model(model_name);
  const Device device = catalog.device(device_name);
  std::vector<Operator> operators;
  for (const char* weights : {"", "bf16", "awq", "fp8", "q4-k"}) {
    // GGUF keeps routers in fp32, which that device has no rate for.
    const bool has_router = count_parameters(model).parts[Part::router] > 0;
    if (has_router && device_name == "TPU-v5e" && weights == std::string("q4-k")) continue;
    PrecisionRequest request;
    if (*weights != 0) request.weights = catalog.format(weights);
    const Precision precision = resolve_precision(model, request).precision;
    const Rates found = choose_rates(device, model, precision, Accumulate::fp32);
    for (const std::int64_t batch : {1, 32, 1024}) {
      for (const std::int64_t context : {1, 512, 20'000}) {
        for (const Step& step : {decode_step(batch, context), prefill_step(batch, context)}) {
          list_operators(model, step, precision, {}, operators);
          const StepTime time = time_step(operators, found, device.bandwidth);
          CAPTURE(model_name, device_name, weights, batch, context);
          // The two sum the same numbers in another order, so they may differ in the last digits.
          const double serial = time.serial.value() * (1 + 1e-12);
          CHECK(time.roofline.value() <= serial);
          CHECK(time.compute.value() <= serial);
          CHECK(time.memory.value() <= serial);
          CHECK(time.roofline == std::max(time.compute, time.memory));
          const bool compute_bound = time.roof.verdict(time.intensity()) == Verdict::compute_bound;
          const double excess = time.compute.value() / time.memory.value() - 1;
          CHECK((std::abs(excess) < 1e-12 || compute_bound == (excess > 0)));
          CHECK(time.roof.achievable(time.intensity()).value() ==
                Approx((time.flops / time.roofline).value()).epsilon(1e-12));
        }
      }
    }
  }
}

}  // namespace
}  // namespace roofline
