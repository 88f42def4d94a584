// The analysis of points: reference figures, the order of the full product, notes, prices, errors.
#include "roofline/analyze.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Catch::Matchers::VectorContains;
using Strings = std::vector<std::string>;

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// With round figures: 989 TFLOP/s in 16 bits.
Device h100_of_the_textbook() {
  DeviceOverrides overrides;
  overrides.peaks[{.type = MatrixType::bf16}] = FlopsPerSecond(989e12);
  overrides.peaks[{.type = MatrixType::fp16}] = FlopsPerSecond(989e12);
  return with_overrides(Catalog().device("H100"), overrides);
}

AnalyzePoint only_point(const AnalyzeRequest& request) {
  const AnalyzeResult result = analyze(request);
  REQUIRE(result.points.size() == 1);
  return result.points.front();
}

AnalyzePoint step_point(const std::string& model, const Device& device, const Workload& workload) {
  return only_point({.models = {Catalog().model(model)},
                     .devices = {device},
                     .workloads = {{"step", workload}},
                     .precision = {},
                     .price = {}});
}

const StepAnalysis& step_of_point(const AnalyzePoint& point) {
  return std::get<StepAnalysis>(point.detail);
}

TEST_CASE("Decode and prefill need a model and kernels need none", "[analysis]") {
  CHECK(needs_model(Decode{}));
  CHECK(needs_model(Prefill{}));
  CHECK_FALSE(needs_model(MatmulShape{}));
  CHECK_FALSE(needs_model(AttentionShape{}));
  CHECK_FALSE(needs_model(TextbookDecode{}));
}

TEST_CASE("Workloads of a model are steps", "[analysis]") {
  CHECK(step_of(Decode{.batch = 3, .context = 100}) == decode_step(3, 100));
  CHECK(step_of(Prefill{.batch = 2, .context = 50}) == prefill_step(2, 50));
  Step whole = prefill_step(2, 50);
  whole.causal = false;
  CHECK(step_of(Prefill{.batch = 2, .context = 50, .causal = false}) == whole);
}

TEST_CASE("Decode of Llama 3.1 8B on an H100 has its reference figures", "[analysis]") {
  const AnalyzePoint point =
      step_point("llama-3.1-8b", h100_of_the_textbook(), Decode{.batch = 32, .context = 2048});
  const StepAnalysis& step = step_of_point(point);
  CHECK(point.gpu == "H100-SXM5-80GB");
  CHECK(step.model == "llama-3.1-8b");
  CHECK(point.flops == Flops(514'657'878'016));
  CHECK(point.bytes == Bytes(23'599'251'456));
  CHECK(point.intensity().value() == near(21.808228916733317));
  CHECK(point.roof.ridge().value() == near(989e12 / 3350e9));
  CHECK(point.verdict() == Verdict::memory_bound);
  CHECK(point.compute_time.value() == near(514'657'878'016 / 989e12));
  CHECK(point.memory_time.value() == near(0.0070445526734328355));
  CHECK(point.roofline_time == point.memory_time);
  CHECK(point.achievable().value() == near(514'657'878'016 / 0.0070445526734328355));
  CHECK(step.time.serial.value() == near(0.007094814872835821));
  CHECK(step.tokens_per_second == near(4542.51696075491));
  CHECK(step.memory.weights == Bytes(16'060'522'496));
  CHECK(step.memory.kv == Bytes(8'589'934'592));
  REQUIRE(step.usable_memory);
  CHECK(step.usable_memory->value() == near(81'559 * 1'048'576.0 * 0.9));
  CHECK(step.fits() == true);
  CHECK_FALSE(step.dollars_per_million_tokens);
  CHECK(point.notes.empty());
  REQUIRE(step.operators.size() == 7);
  CHECK(step.operators.front().name == "embedding");
  CHECK(step.operators.back().name == "lm_head");
}

TEST_CASE("Prefill of Llama 3.1 8B on an A100 is compute-bound", "[analysis]") {
  const AnalyzePoint point =
      step_point("llama-3.1-8b", Catalog().device("A100"), Prefill{.batch = 4, .context = 1024});
  const StepAnalysis& step = step_of_point(point);
  CHECK(point.flops == Flops(58'279'392'706'560));
  CHECK(point.bytes == Bytes(15'009'316'864.0 + 536'870'912.0));
  CHECK(point.verdict() == Verdict::compute_bound);
  CHECK(point.roofline_time.value() == near(58'279'392'706'560 / 312e12));
  CHECK(point.achievable() == FlopsPerSecond(312e12));
  CHECK(step.time.serial.value() == near(0.1873281755417313));
  CHECK(step.tokens_per_second == near(4096 / (58'279'392'706'560 / 312e12)));
}

TEST_CASE("A step at two peaks has an effective peak and a ridge from it", "[analysis]") {
  // Layers in fp8 at 1979 TFLOP/s, attention and lm_head in bf16 at 989.4.
  const AnalyzePoint point =
      step_point("llama-3.1-8b-fp8-compressed-tensors", Catalog().device("H100"),
                 Decode{.batch = 256, .context = 512});
  CHECK(point.flops == Flops(3'911'104'593'920));
  CHECK(point.bytes == Bytes(8'029'995'008.0 + 17'179'869'184.0));
  CHECK(point.compute_time.value() == near(0.0021469755732719882));
  CHECK(point.roof.peak.value() == near(1'821'680'992'839'374.2));
  CHECK(point.roof.ridge().value() == near(543.7853709968281));
  CHECK(point.intensity().value() == near(155.14183512187006));
  CHECK(point.verdict() == Verdict::memory_bound);
  CHECK(step_of_point(point).time.serial.value() == near(0.007927430189850745));
}

TEST_CASE("A price an hour becomes a price of a million tokens", "[analysis]") {
  const AnalyzePoint point = only_point({.models = {Catalog().model("llama-3.1-8b")},
                                         .devices = {h100_of_the_textbook()},
                                         .workloads = {{"decode", Decode{.batch = 32}}},
                                         .precision = {},
                                         .price = DollarsPerHour(2.49)});
  // 2.49 / 3600 $/s over 4542.5 tok/s.
  CHECK(step_of_point(point).dollars_per_million_tokens.value() == near(0.15226507080597018));
}

TEST_CASE("Points are models then devices then workloads and last the kernels", "[analysis]") {
  const Catalog catalog;
  const AnalyzeRequest request{
      .models = {catalog.model("gpt2"), catalog.model("llama-3.1-8b")},
      .devices = {catalog.device("T4"), catalog.device("A100")},
      .workloads = {{"first", Decode{.batch = 1, .context = 100}},
                    {"kernel", MatmulShape{.m = 1, .k = 2, .n = 3}},
                    {"second", Prefill{.batch = 1, .context = 100}},
                    {"textbook",
                     TextbookDecode{.parameters = 10, .kv_heads = 1, .head_dim = 1, .context = 1}}},
      .precision = {},
      .price = {}};
  Strings order;
  for (const AnalyzePoint& point : analyze(request).points) {
    const auto* step = std::get_if<StepAnalysis>(&point.detail);
    CHECK((step != nullptr) == needs_model(point.workload.workload));
    order.push_back((step == nullptr ? "-" : step->model) + " " + point.gpu + " " +
                    point.workload.name);
  }
  CHECK(order == Strings{"gpt2 T4 first", "gpt2 T4 second", "gpt2 A100-SXM-80GB first",
                         "gpt2 A100-SXM-80GB second", "llama-3.1-8b T4 first",
                         "llama-3.1-8b T4 second", "llama-3.1-8b A100-SXM-80GB first",
                         "llama-3.1-8b A100-SXM-80GB second", "- T4 kernel", "- T4 textbook",
                         "- A100-SXM-80GB kernel", "- A100-SXM-80GB textbook"});
}

TEST_CASE("Kernels need no model and steps without one make no point", "[analysis]") {
  AnalyzeRequest request{
      .models = {},
      .devices = {Catalog().device("T4")},
      .workloads = {{"matmul", MatmulShape{.m = 1, .k = 2, .n = 3}}, {"decode", Decode{}}},
      .precision = {},
      .price = {}};
  CHECK(analyze(request).points.size() == 1);
  request.devices.clear();
  CHECK(analyze(request).points.empty());
}

TEST_CASE("A kernel's bytes all count and its formats are its own", "[analysis]") {
  // 64 x 128 by 128 x 256: 2^22 FLOP; A and C (8192 + 16384) x 2 bytes, B 32768 x 1.
  const Catalog catalog;
  AnalyzeRequest request{.models = {},
                         .devices = {catalog.device("H100")},
                         .workloads = {{"matmul", MatmulShape{.m = 64, .k = 128, .n = 256}}},
                         .precision = {},
                         .price = {}};
  request.precision.weights = catalog.format("fp8");
  const AnalyzePoint point = only_point(request);
  const auto& kernel = std::get<KernelAnalysis>(point.detail);
  CHECK(point.flops == Flops(4'194'304));
  CHECK(point.bytes == Bytes(49'152 + 32'768));
  CHECK(kernel.cost == KernelCost{.flops = point.flops, .bytes = point.bytes});
  CHECK(kernel.precision.weights_name == "fp8");
  CHECK(kernel.precision.activations.name == "fp16");
  CHECK(to_string(kernel.rate.key) == "fp16");
  CHECK(point.roof.peak == kernel.rate.peak);
  CHECK(point.compute_time.value() == near(4'194'304 / 989.4e12));
  CHECK(point.memory_time.value() == near(81'920 / 3350e9));
  CHECK(point.roofline_time == point.memory_time);
  CHECK(point.notes == Strings{"fp8 weights with fp16 activations: products run at the fp16 peak"});
}

TEST_CASE("An attention kernel runs at the rate of cache and activations", "[analysis]") {
  const Catalog catalog;
  const AttentionShape shape{
      .heads = 32, .kv_heads = 8, .head_dim = 128, .seq_q = 512, .seq_k = 512};
  AnalyzeRequest request{.models = {},
                         .devices = {catalog.device("H100")},
                         .workloads = {{"attention", shape}},
                         .precision = {},
                         .price = {}};
  request.precision.kv = catalog.format("fp8");
  const AnalyzePoint wide = only_point(request);
  CHECK(to_string(std::get<KernelAnalysis>(wide.detail).rate.key) == "fp16");
  CHECK(wide.notes == Strings{"fp8 K/V with fp16 activations: products run at the fp16 peak"});
  // Q and output 2 x 32 x 128 x 512 elements at 2 bytes, K and V 2 x 8 x 128 x 512 at 1.
  CHECK(wide.bytes == Bytes(2.0 * 4'194'304 + 1'048'576));
  request.precision.activations = catalog.format("fp8");
  const AnalyzePoint narrow = only_point(request);
  CHECK(to_string(std::get<KernelAnalysis>(narrow.detail).rate.key) == "fp8");
  CHECK(narrow.bytes == Bytes(4'194'304 + 1'048'576));
}

TEST_CASE("Textbook decode notes that one layer's cache is counted", "[analysis]") {
  const auto layers = GENERATE(as<std::int64_t>(), 1, 32);
  const TextbookDecode decode{.parameters = 7'000'000'000,
                              .kv_heads = 8,
                              .head_dim = 128,
                              .context = 2048,
                              .layers = layers};
  const AnalyzePoint point = only_point({.models = {},
                                         .devices = {Catalog().device("A100")},
                                         .workloads = {{"textbook", decode}},
                                         .precision = {},
                                         .price = {}});
  const std::string note = "bare numbers: K/V of one layer counted, as the textbook does";
  CHECK(point.notes == (layers == 1 ? Strings{note} : Strings{}));
}

TEST_CASE("A context that the model is not made for is noted", "[analysis]") {
  const Device a100 = Catalog().device("A100");
  const std::string note = "context 8193 is beyond the 8192 tokens that llama-3-70b is made for";
  CHECK(step_point("llama-3-70b", a100, Decode{.batch = 1, .context = 8192}).notes.empty());
  CHECK(step_point("llama-3-70b", a100, Decode{.batch = 1, .context = 8193}).notes ==
        Strings{note});
  CHECK(step_point("llama-3-70b", a100, Prefill{.batch = 1, .context = 8193}).notes ==
        Strings{note});
}

TEST_CASE("Notes tell of formats first and of rates then", "[analysis]") {
  const AnalyzePoint point = step_point("gemma-2-2b", Catalog().device("T4"), Decode{});
  CHECK(point.notes ==
        Strings{"gemma-2-2b is published in fp32: bf16 assumed, as engines load it "
                "(--weight-dtype fp32 for 4 bytes)",
                "bf16 arithmetic runs at the fp16 peak: the device's peaks have no such type"});
}

TEST_CASE("What does not fit is an answer and an unknown capacity is none", "[analysis]") {
  const Catalog catalog;
  const AnalyzePoint large = step_point("llama-3-70b", catalog.device("H100"), Decode{});
  CHECK(step_of_point(large).fits() == false);
  const AnalyzePoint small = step_point("gpt2", catalog.device("H100"), Decode{.context = 1024});
  CHECK(step_of_point(small).fits() == true);
  Device unknown = catalog.device("H100");
  unknown.capacity.reset();
  unknown.usable.reset();
  const AnalyzePoint point = step_point("gpt2", unknown, Decode{.context = 1024});
  CHECK_FALSE(step_of_point(point).fits().has_value());
  CHECK_FALSE(step_of_point(point).usable_memory.has_value());
}

TEST_CASE("A step that fills the usable memory to the last byte fits", "[analysis]") {
  StepAnalysis step;
  step.memory = {
      .weights = Bytes(60), .kv = Bytes(20), .state = Bytes(10), .activations = Bytes(10)};
  step.usable_memory = Bytes(100);
  CHECK(step.fits() == true);
  step.usable_memory = Bytes(99);
  CHECK(step.fits() == false);
}

TEST_CASE("Requested formats reach the step", "[analysis]") {
  const Catalog catalog;
  AnalyzeRequest request{.models = {catalog.model("llama-2-7b")},
                         .devices = {catalog.device("RTX-4090")},
                         .workloads = {{"decode", Decode{.batch = 1, .context = 2048}}},
                         .precision = {},
                         .price = {}};
  request.precision.kv = catalog.format("fp8");
  request.precision.accumulate = Accumulate::fp16;
  const AnalyzePoint point = only_point(request);
  CHECK(point.bytes == Bytes(13'214'154'752.0 + 536'870'912.0));
  CHECK(to_string(step_of_point(point).rates.weights[Part::mlp].key) == "fp16_accumulate_fp16");
  CHECK(step_of_point(point).precision.kv.name == "fp8");
}

TEST_CASE("All devices that cannot run a workload are refused at once", "[analysis]") {
  const auto integer_only = [](const std::string& name) {
    Device device;
    device.name = name;
    device.bandwidth = BytesPerSecond(1e9);
    device.peaks[{.type = MatrixType::int8}] = FlopsPerSecond(1e12);
    return device;
  };
  const Catalog catalog;
  const AnalyzeRequest request{
      .models = {catalog.model("gpt2")},
      .devices = {integer_only("first"), catalog.device("T4"), integer_only("second")},
      .workloads = {{"decode", Decode{}}, {"prefill", Prefill{}}},
      .precision = {},
      .price = {}};
  try {
    (void)analyze(request);
    FAIL("no error");
  } catch (const Error& error) {
    Strings what;
    for (const Diagnostic& diagnostic : error.diagnostics()) what.push_back(diagnostic.what);
    CHECK(what == Strings{"first has no rate for bf16", "second has no rate for bf16"});
  }
}

TEST_CASE("More points than one answer holds are refused", "[analysis]") {
  const Catalog catalog;
  AnalyzeRequest request{.models = {},
                         .devices = {catalog.device("T4"), catalog.device("L4")},
                         .workloads = {5000, {"matmul", MatmulShape{.m = 1, .k = 1, .n = 1}}},
                         .precision = {},
                         .price = {}};
  CHECK(analyze(request).points.size() == 10'000);
  request.workloads.push_back(request.workloads.back());
  try {
    (void)analyze(request);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().what == "10002 points are too many for one answer");
  }
}

TEST_CASE("Memory of the largest configuration is noted", "[analysis]") {
  const std::string note = "memory is that of the largest configuration (--memory to set it)";
  Device device = Catalog().device("Apple-M2-Ultra");
  CHECK_THAT(step_point("llama-3.1-8b", device, Decode{}).notes, VectorContains(note));
  device.usable = Bytes(1e11);
  CHECK_THAT(step_point("llama-3.1-8b", device, Decode{}).notes, !VectorContains(note));
}

TEST_CASE("The same request gives the same result", "[analysis]") {
  const Catalog catalog;
  const AnalyzeRequest request{
      .models = {catalog.model("gemma-2-27b")},
      .devices = {catalog.device("MI300X")},
      .workloads = {{"decode", Decode{.batch = 7, .context = 5000}}},
      .precision = {.weights = catalog.format("awq"), .kv = {}, .activations = {}},
      .price = {}};
  const AnalyzePoint first = only_point(request);
  const AnalyzePoint second = only_point(request);
  CHECK(step_of_point(first).time == step_of_point(second).time);
  CHECK(step_of_point(first).operators == step_of_point(second).operators);
  CHECK(first.notes == second.notes);
}

TEST_CASE("The roofline time is a floor for every built-in model and device", "[analysis]") {
  const Workload workload = GENERATE(Workload(Decode{.batch = 16, .context = 3000}),
                                     Workload(Prefill{.batch = 1, .context = 3000}));
  const Catalog catalog;
  std::vector<Diagnostic> warnings;
  AnalyzeRequest request{
      .models = {}, .devices = {}, .workloads = {{"step", workload}}, .precision = {}, .price = {}};
  for (const CatalogEntry& entry : catalog.list(EntryKind::device, warnings)) {
    request.devices.push_back(catalog.device(entry.name));
  }
  for (const CatalogEntry& entry : catalog.list(EntryKind::model, warnings)) {
    request.models = {catalog.model(entry.name)};
    const AnalyzeResult result = analyze(request);
    CHECK(result.points.size() == request.devices.size());
    for (const AnalyzePoint& point : result.points) {
      const StepTime& time = step_of_point(point).time;
      const bool floor = time.roofline.value() <= time.serial.value() * (1 + 1e-12);
      const bool alike = std::max(time.compute, time.memory) == point.roofline_time;
      const bool positive = point.flops > Flops(0) && point.bytes > Bytes(0);
      if (floor && alike && positive) continue;
      FAIL_CHECK(step_of_point(point).model << " on " << point.gpu);
    }
  }
}

}  // namespace
}  // namespace roofline
