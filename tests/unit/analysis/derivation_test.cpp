// Derivations: every step's numbers, worked out by a small calculator, give the step's value; and
// they lead to the figures of the analysis.
#include "roofline/derivation.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "analysis/derivation_steps.hpp"
#include "roofline/catalog.hpp"

namespace roofline {
namespace {

TEST_CASE("The calculator of these tests knows its arithmetic", "[analysis]") {
  const auto [text, value] = GENERATE(table<std::string, double>({
      {"2 + 3 * 4", 14},
      {"(2 + 3) * 4", 20},
      {"10 - 4 - 3", 3},
      {"16 / 4 / 2", 2},
      {"1.5e+3 * 2e-3", 3},
      {"max(1, 2 * 3, 4) - min(5, 7)", 1},
      {"17 // 4 * 4 + 17 % 4", 17},
      {"2 * 3 ** 2", 18},
      {"8 * (1 - (1 - 2 / 8) ** 3)", 4.625},
  }));
  CHECK(Calculator::evaluate(text) == value);
  const std::string wrong = GENERATE("", "2 +", "2 3", "2 x 3", "min(1)", "(1", "1,000");
  CHECK_THROWS_AS(Calculator::evaluate(wrong), std::invalid_argument);
}

PrecisionRequest precision_of(const Catalog& catalog, const std::string& weights,
                              const std::string& kv, const std::string& activations) {
  PrecisionRequest request;
  if (!weights.empty()) request.weights = catalog.format(weights);
  if (!kv.empty()) request.kv = catalog.format(kv);
  if (!activations.empty()) request.activations = catalog.format(activations);
  return request;
}

TEST_CASE("The numbers of a step's derivation give its values", "[analysis]") {
  const Catalog catalog;
  // Grouped heads, windows on all layers or on every other, plain MLPs, biases, quantised files;
  // experts with and without shared ones, latents, chunks, states of four kinds, shared K/V.
  const std::string model_name = GENERATE(
      "llama-3-70b", "mistral-7b-v0.1", "gemma-2-2b", "gpt2", "qwen2.5-7b-instruct-awq",
      "llama-3.1-8b-fp8-compressed-tensors", "mixtral-8x7b", "gpt-oss-20b", "deepseek-v3",
      "deepseek-v2-lite", "llama-4-scout", "mamba-2.8b", "jamba-1.5-large", "granite-4.0-h-small",
      "nemotron-h-56b", "qwen3-next-80b-a3b", "minimax-m1", "gemma-3n-e4b");
  const auto [weights, kv, activations] = GENERATE(table<std::string, std::string, std::string>({
      {"", "", ""},
      {"fp32", "", ""},
      {"awq", "fp8", ""},
      {"fp8-block128", "fp8", "fp8"},
      {"q4-k", "", "fp16"},
  }));
  const PrecisionRequest precision = precision_of(catalog, weights, kv, activations);
  const Model model = catalog.model(model_name);
  for (const char* device : {"H100", "T4", "V100-SXM2-32GB", "Core-i9-13900K"}) {
    for (const Workload& workload : std::vector<Workload>{
             Decode{.batch = 1, .context = 1}, Decode{.batch = 32, .context = 2048},
             Decode{.batch = 7, .context = 9001}, Prefill{.batch = 1, .context = 1},
             Prefill{.batch = 3, .context = 777}, Prefill{.batch = 1, .context = 6000},
             Prefill{.batch = 1, .context = 20'000},
             Prefill{.batch = 2, .context = 5001, .causal = false},
             Prefill{.batch = 2, .context = 9001, .cached = 4000, .others = {{1, 4100}}},
             Decode{.batch = 8, .context = 512, .others = {{2, 4096}, {1, 1}}},
             Mixed{.batch = 7, .context = 5000, .chunk = 512, .position = 4000},
             Verify{.batch = 3, .context = 4097, .drafts = 4}}) {
      CAPTURE(model_name, weights, kv, activations, device, workload.index());
      const AnalyzePoint point = analyze_one({model}, catalog.device(device), workload, precision);
      check_numbers(derive(model, point));
    }
  }
}

TEST_CASE("The numbers of a kernel's derivation give its values", "[analysis]") {
  const Catalog catalog;
  const auto [weights, kv, activations] = GENERATE(table<std::string, std::string, std::string>(
      {{"", "", ""}, {"awq", "fp8", "fp16"}, {"fp8", "fp8", "fp8"}, {"q4-k", "", "bf16"}}));
  const PrecisionRequest precision = precision_of(catalog, weights, kv, activations);
  const AttentionShape attention{
      .batch = 3, .heads = 32, .kv_heads = 8, .head_dim = 96, .seq_q = 50, .seq_k = 1001};
  AttentionShape causal = attention;
  causal.causal = true;
  const TextbookDecode one_layer{
      .batch = 32, .parameters = 7'000'000'000, .kv_heads = 8, .head_dim = 128, .context = 2048};
  TextbookDecode all_layers = one_layer;
  all_layers.layers = 32;
  for (const char* device : {"H100", "T4", "Raspberry-Pi-5"}) {
    for (const Workload& workload :
         std::vector<Workload>{MatmulShape{.m = 7, .k = 4096, .n = 11008}, attention, causal,
                               one_layer, all_layers}) {
      CAPTURE(weights, kv, activations, device, workload.index());
      check_numbers(derive(analyze_one({}, catalog.device(device), workload, precision)));
    }
  }
}

TEST_CASE("A derivation ends in the figures of the analysis", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("gemma-2-2b");
  const Workload workload =
      GENERATE(Workload(Decode{.batch = 32, .context = 5000}), Workload(Prefill{.context = 5000}));
  const AnalyzePoint point = analyze_one({model}, catalog.device("L4"), workload, {});
  const auto& analysis = std::get<StepAnalysis>(point.detail);
  const std::vector<DerivationStep> steps = derive(model, point);
  const auto value = [&](const char* quantity) { return step_named(steps, quantity).value; };
  CHECK(value("FLOP of the step") == point.flops.value());
  CHECK(value("weights of the step") == analysis.time.weights.value());
  CHECK(value("K/V of the step") == analysis.time.kv.value());
  CHECK(value("bytes") == point.bytes.value());
  CHECK(value("compute time") == point.compute_time.value());
  CHECK(value("memory time") == point.memory_time.value());
  CHECK(value("effective peak") == point.roof.peak.value());
  CHECK(value("intensity") == point.intensity().value());
  CHECK(value("ridge") == point.roof.ridge().value());
  CHECK(value("achievable") == point.achievable().value());
  CHECK(value("roofline time") == point.roofline_time.value());
  CHECK(value("serial time") == analysis.time.serial.value());
  CHECK(value("throughput") == analysis.tokens_per_second);
  CHECK(value("memory: weights") == analysis.memory.weights.value());
  CHECK(value("memory: K/V") == analysis.memory.kv.value());
  CHECK(value("memory: activations") == analysis.memory.activations.value());
}

TEST_CASE("The operators' steps add up to the step", "[analysis]") {
  const std::string name =
      GENERATE("gemma-2-2b", "gemma-3n-e4b", "deepseek-v3", "qwen3-next-80b-a3b", "jamba-1.5-large",
               "nemotron-h-56b", "llama-4-scout");
  INFO(name);
  const Model model = Catalog().model(name);
  const AnalyzePoint point =
      analyze_one({model}, Catalog().device("H100"), Decode{.batch = 32, .context = 5000}, {});
  double flops = 0;
  double bytes = 0;
  for (const DerivationStep& step : derive(model, point)) {
    if (step.quantity.starts_with("memory: ")) continue;
    if (step.quantity.ends_with(": FLOP")) flops += step.value;
    for (const char* kind : {": weights", ": K/V", ": state"}) {
      if (step.quantity.ends_with(kind)) bytes += step.value;
    }
  }
  CHECK(flops == Approx(point.flops.value()).epsilon(1e-12));
  CHECK(bytes == Approx(point.bytes.value()).epsilon(1e-12));
}

TEST_CASE("Steps show the formula and its numbers", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3-70b");
  const std::vector<DerivationStep> steps = derive(
      model,
      analyze_one({model}, catalog.device("H100"), Decode{.batch = 32, .context = 2048}, {}));
  CHECK(steps.front() == DerivationStep{.quantity = "new tokens, T",
                                        .formula = "n q",
                                        .numbers = "32 * 1",
                                        .value = 32,
                                        .unit = "tokens"});
  CHECK(step_named(steps, "qkv: FLOP") == DerivationStep{.quantity = "qkv: FLOP",
                                                         .formula = "2 T K N L",
                                                         .numbers = "2 * 32 * 8192 * 10240 * 80",
                                                         .value = 429'496'729'600,
                                                         .unit = "FLOP"});
  CHECK(step_named(steps, "attention: K/V") ==
        DerivationStep{.quantity = "attention: K/V",
                       .formula = "c n s 2 H_kv d L",
                       .numbers = "2 * 32 * 2048 * 2 * 8 * 128 * 80",
                       .value = 21'474'836'480,
                       .unit = "bytes"});
}

TEST_CASE("Groups of a step show one after another", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3-70b");
  const auto steps_of = [&](const Workload& workload) {
    return derive(model, analyze_one({model}, catalog.device("H100"), workload, {}));
  };
  const auto mixed = steps_of(Mixed{.batch = 8, .context = 2048, .chunk = 512, .position = 1024});
  CHECK(step_named(mixed, "new tokens, T").numbers == "8 * 1 + 1 * 512");
  CHECK(step_named(mixed, "attention: pairs, A of group 1").value == 2048);
  CHECK(step_named(mixed, "attention: pairs, A of group 2").value == 512 * 1024 + 512 * 513 / 2);
  CHECK(step_named(mixed, "attention: tokens of K/V, s of group 2").value == 1536);
  CHECK(step_named(mixed, "attention: K/V").value == 327'680.0 * (8 * 2048 + 1536));
  CHECK(step_named(mixed, "lm_head: FLOP").value == 2.0 * 9 * 8192 * 128'256);
  CHECK(step_named(mixed, "memory: K/V").value == 327'680.0 * (8 * 2048 + 1536));
  const auto lengths = steps_of(Decode{.batch = 8, .context = 512, .others = {{2, 4096}}});
  CHECK(step_named(lengths, "attention: K/V").value == 327'680.0 * (8 * 512 + 2 * 4096));
}

TEST_CASE("Verified drafts show their pairs and logit rows", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3-70b");
  const Workload workload = Verify{.batch = 32, .context = 2048, .drafts = 4};
  const auto steps = derive(model, analyze_one({model}, catalog.device("H100"), workload, {}));
  CHECK(step_named(steps, "logit rows, R") == DerivationStep{.quantity = "logit rows, R",
                                                             .formula = "n rows of each",
                                                             .numbers = "32 * 5",
                                                             .value = 160,
                                                             .unit = "rows"});
  // 2048 to 2052 tokens are attended.
  CHECK(step_named(steps, "attention: pairs, A").value == 10'250);
  CHECK(step_named(steps, "attention: tokens of K/V, s").value == 2052);
  CHECK(step_named(steps, "lm_head: FLOP").value == 2.0 * 160 * 8192 * 128'256);
}

TEST_CASE("A window shows in the derivation of pairs and span", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("mistral-7b-v0.1");
  const std::vector<DerivationStep> steps =
      derive(model, analyze_one({model}, catalog.device("H100"), Prefill{.context = 6000}, {}));
  CHECK(step_named(steps, "attention (window 4096): pairs, A").value == 16'189'440);
  CHECK(step_named(steps, "attention (window 4096): tokens of K/V, s").value == 6000);
  CHECK(step_named(steps, "memory: K/V").value == 131'072.0 * 4096);
}

}  // namespace
}  // namespace roofline
