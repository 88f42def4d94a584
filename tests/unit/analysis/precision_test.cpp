// From the formats that were asked for, and what a model's file says, to those of a step.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Strings = std::vector<std::string>;

struct Names {
  std::string weights;
  std::string unquantized;
  std::string kv;
  std::string activations;

  friend bool operator==(const Names&, const Names&) = default;
};

Names names_of(const Precision& precision) {
  return {precision.weights.name, precision.unquantized.name, precision.kv.name,
          precision.activations.name};
}

ResolvedPrecision resolve(const std::string& model, const std::string& weights = "",
                          const std::string& kv = "", const std::string& activations = "") {
  const Catalog catalog;
  PrecisionRequest request;
  if (!weights.empty()) request.weights = catalog.format(weights);
  if (!kv.empty()) request.kv = catalog.format(kv);
  if (!activations.empty()) request.activations = catalog.format(activations);
  return resolve_precision(catalog.model(model), request);
}

TEST_CASE("Without a request a model runs as it is published", "[analysis]") {
  const auto [model, format] = GENERATE(table<std::string, std::string>({
      {"llama-2-7b", "fp16"},
      {"llama-3.1-8b", "bf16"},
  }));
  INFO(model);
  const ResolvedPrecision resolved = resolve(model);
  CHECK(names_of(resolved.precision) == Names{format, format, format, format});
  CHECK(resolved.notes.empty());
}

TEST_CASE("Without a request a quantised model keeps its quantisation", "[analysis]") {
  const std::string name =
      GENERATE("qwen2.5-7b-instruct-awq", "llama-3.1-8b-fp8-compressed-tensors");
  INFO(name);
  const Model model = Catalog().model(name);
  const ResolvedPrecision resolved = resolve_precision(model, {});
  CHECK(resolved.precision.weights == model.quantization);
  CHECK(resolved.precision.unquantized.name == "bf16");
  CHECK(resolved.precision.kv.name == "bf16");
  CHECK(resolved.precision.activations.name == "bf16");
  CHECK(resolved.notes.empty());
}

TEST_CASE("A model published in fp32 runs in bf16 and says so", "[analysis]") {
  const ResolvedPrecision resolved = resolve("gemma-2-27b");
  CHECK(names_of(resolved.precision) == Names{"bf16", "bf16", "bf16", "bf16"});
  CHECK(resolved.notes ==
        Strings{"gemma-2-27b is published in fp32: bf16 assumed, as engines load it "
                "(--weight-dtype fp32 for 4 bytes)"});
}

TEST_CASE("A model that does not say its format runs in bf16 and says so", "[analysis]") {
  const ResolvedPrecision resolved = resolve("gpt2");
  CHECK(names_of(resolved.precision) == Names{"bf16", "bf16", "bf16", "bf16"});
  CHECK(resolved.notes == Strings{"gpt2 does not say its number format: bf16 assumed"});
}

TEST_CASE("A plain format is that of everything and assumes nothing", "[analysis]") {
  const std::string model =
      GENERATE("llama-3.1-8b", "gemma-2-27b", "gpt2", "qwen2.5-7b-instruct-awq");
  const std::string format = GENERATE("fp16", "bf16", "fp32");
  CAPTURE(model, format);
  const ResolvedPrecision resolved = resolve(model, format);
  CHECK(names_of(resolved.precision) == Names{format, format, format, format});
  CHECK(resolved.notes.empty());
}

TEST_CASE("A format of the layers leaves the rest as published", "[analysis]") {
  const auto [model, weights, rest] = GENERATE(table<std::string, std::string, std::string>({
      {"llama-3.1-8b", "awq", "bf16"},
      {"llama-2-7b", "fp8", "fp16"},
      {"qwen2.5-7b-instruct-awq", "fp8", "bf16"},
  }));
  CAPTURE(model, weights);
  const ResolvedPrecision resolved = resolve(model, weights);
  CHECK(names_of(resolved.precision) == Names{weights, rest, rest, rest});
  CHECK(resolved.notes == Strings{weights + " covers the layers' matrices: embeddings, lm_head " +
                                  "and norms stay " + rest});
}

TEST_CASE("A GGUF format is counted for all matrices and says so", "[analysis]") {
  const ResolvedPrecision resolved = resolve("llama-3.1-8b", "q4-k");
  CHECK(names_of(resolved.precision) == Names{"q4-k", "bf16", "bf16", "bf16"});
  CHECK(resolved.notes ==
        Strings{"all matrices counted in q4-k: real GGUF files mix in wider types"});
}

TEST_CASE("Cache and activations are as asked for", "[analysis]") {
  CHECK(names_of(resolve("llama-3.1-8b", "", "fp8").precision) ==
        Names{"bf16", "bf16", "fp8", "bf16"});
  CHECK(names_of(resolve("llama-3.1-8b", "", "", "fp8").precision) ==
        Names{"bf16", "bf16", "bf16", "fp8"});
  CHECK(names_of(resolve("llama-3.1-8b", "fp8", "fp8", "fp8").precision) ==
        Names{"fp8", "bf16", "fp8", "fp8"});
}

TEST_CASE("A cache format in the model's file holds until another is asked for", "[analysis]") {
  const Catalog catalog;
  Model model = catalog.model("llama-3.1-8b");
  model.kv_format = catalog.format("fp8");
  CHECK(resolve_precision(model, {}).precision.kv.name == "fp8");
  PrecisionRequest request;
  request.kv = catalog.format("fp16");
  CHECK(resolve_precision(model, request).precision.kv.name == "fp16");
}

TEST_CASE("Activations can be in types that products take", "[analysis]") {
  const std::string format = GENERATE("bf16", "fp16", "fp32", "fp8", "int8", "nvfp4");
  INFO(format);
  CHECK(resolve("llama-3.1-8b", "", "", format).precision.activations.name == format);
}

Diagnostic refusal(const PrecisionRequest& request) {
  try {
    (void)resolve_precision(Catalog().model("llama-3.1-8b"), request);
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 1);
    return error.diagnostics().front();
  }
  FAIL_CHECK("no error");
  return {};
}

TEST_CASE("Activations cannot be in formats of stored weights", "[analysis]") {
  const std::string format =
      GENERATE("q4-k", "q8-0", "awq", "gptq", "gptq-int8", "nf4", "nf4-double", "w4a16", "iq2-xxs");
  INFO(format);
  PrecisionRequest request;
  request.activations = Catalog().format(format);
  const Diagnostic diagnostic = refusal(request);
  CHECK(diagnostic.what == "activations cannot be in " + format);
  CHECK(diagnostic.why == "it is a format of stored weights");
  CHECK(diagnostic.fix == "--act-dtype bf16, fp16, fp8 or int8");
  CHECK_THROWS_AS(kernel_precision(request), Error);
}

TEST_CASE("The cache cannot be in formats of stored weights", "[analysis]") {
  const std::string format =
      GENERATE("q4-k", "awq", "gptq", "gptq-int8", "nf4", "nf4-double", "w4a16", "iq2-xxs");
  INFO(format);
  PrecisionRequest request;
  request.kv = Catalog().format(format);
  const Diagnostic diagnostic = refusal(request);
  CHECK(diagnostic.what == "the K/V cache cannot be in " + format);
  CHECK(diagnostic.why == "it is a format of stored weights");
  CHECK(diagnostic.fix == "--kv-dtype bf16, fp16, fp8 or q8-0");
  CHECK_THROWS_AS(kernel_precision(request), Error);
}

TEST_CASE("The cache can be in the block formats that engines keep it in", "[analysis]") {
  const std::string format = GENERATE("fp8", "fp8-e5m2", "int8", "q8-0", "q4-0", "fp16");
  INFO(format);
  CHECK(resolve("llama-3.1-8b", "", format).precision.kv.name == format);
}

TEST_CASE("Both wrong formats are named at once", "[analysis]") {
  PrecisionRequest request;
  request.kv = Catalog().format("awq");
  request.activations = Catalog().format("q4-k");
  try {
    (void)kernel_precision(request);
    FAIL("no error");
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 2);
    CHECK(error.diagnostics()[0].what == "activations cannot be in q4-k");
    CHECK(error.diagnostics()[1].what == "the K/V cache cannot be in awq");
  }
}

TEST_CASE("A kernel runs in fp16 unless told otherwise", "[analysis]") {
  const Catalog catalog;
  CHECK(names_of(kernel_precision({})) == Names{"fp16", "fp16", "fp16", "fp16"});
  PrecisionRequest request;
  request.weights = catalog.format("bf16");
  CHECK(names_of(kernel_precision(request)) == Names{"bf16", "bf16", "bf16", "bf16"});
  request.weights = catalog.format("awq");
  CHECK(names_of(kernel_precision(request)) == Names{"awq", "fp16", "fp16", "fp16"});
  request.kv = catalog.format("fp8");
  request.activations = catalog.format("bf16");
  CHECK(names_of(kernel_precision(request)) == Names{"awq", "fp16", "fp8", "bf16"});
}

}  // namespace
}  // namespace roofline
