// From the formats that were asked for, and what a model's file says, to those of a step.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Strings = std::vector<std::string>;

struct Names {
  std::string layers;  ///< of all matrices in the layers but the router
  std::string vectors;
  std::string kv;
  std::string activations;

  friend bool operator==(const Names&, const Names&) = default;
};

Names names_of(const Precision& precision) {
  const std::string layers = precision.weights[Part::mixer].name;
  for (const Part part : {Part::mlp, Part::shared_experts, Part::experts}) {
    CHECK(precision.weights[part].name == layers);
  }
  CHECK(precision.weights_name == layers);
  return {layers, precision.weights[Part::vectors].name, precision.kv.name,
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
  REQUIRE(model.stored);
  const ResolvedPrecision resolved = resolve_precision(model, {});
  const Precision& precision = resolved.precision;
  CHECK(precision.weights_name == model.stored->name);
  for (const Part part : {Part::mixer, Part::mlp}) {
    CHECK(precision.weights[part] == model.stored->parts[part]);
  }
  for (const Part part : {Part::embedding, Part::lm_head, Part::router, Part::vectors}) {
    CHECK(precision.weights[part].name == "bf16");
  }
  CHECK(precision.kv.name == "bf16");
  CHECK(precision.activations.name == "bf16");
  CHECK(resolved.notes.empty());
}

/// `base`, its parts stored as given.
Model stored_as(Model base, const std::vector<std::pair<Part, NumberFormat>>& formats) {
  StoredWeights stored{.name = "mixed", .origin = "tensors", .parts = {}};
  for (const auto& [part, format] : formats) stored.parts[part] = format;
  base.stored = stored;
  return base;
}

TEST_CASE("Each part that a file stores in a format of its own has it", "[analysis]") {
  const Catalog catalog;
  const NumberFormat fp32 = plain_format(MatrixType::fp32);
  const Model model =
      stored_as(catalog.model("mixtral-8x7b"), {{Part::experts, catalog.format("q4-k")},
                                                {Part::lm_head, catalog.format("q6-k")},
                                                {Part::router, fp32},
                                                {Part::vectors, fp32}});
  const ResolvedPrecision resolved = resolve_precision(model, {});
  const auto& weights = resolved.precision.weights;
  CHECK(resolved.precision.weights_name == "mixed");
  CHECK(weights[Part::experts].name == "q4-k");
  CHECK(weights[Part::lm_head].name == "q6-k");
  CHECK(weights[Part::router].name == "fp32");
  CHECK(weights[Part::vectors].name == "fp32");
  CHECK(weights[Part::mixer].name == "bf16");
  CHECK(weights[Part::embedding].name == "bf16");
  CHECK(resolved.precision.kv.name == "bf16");
  CHECK(resolved.precision.activations.name == "bf16");
  CHECK(resolved.notes.empty());
}

TEST_CASE("Parts stored in fp32 of a model published in fp32 are loaded in bf16", "[analysis]") {
  const Catalog catalog;
  Model model =
      stored_as(catalog.model("gemma-2-27b"), {{Part::mlp, catalog.format("awq")},
                                               {Part::lm_head, plain_format(MatrixType::fp16)},
                                               {Part::mixer, plain_format(MatrixType::fp32)}});
  const ResolvedPrecision resolved = resolve_precision(model, {});
  CHECK(resolved.precision.weights[Part::mlp].name == "awq");
  CHECK(resolved.precision.weights[Part::lm_head].name == "fp16");
  CHECK(resolved.precision.weights[Part::mixer].name == "bf16");
  CHECK(resolved.precision.weights[Part::vectors].name == "bf16");
  CHECK(resolved.notes.size() == 1);
}

TEST_CASE("A format that is asked for takes the place of all that is stored", "[analysis]") {
  const Catalog catalog;
  const Model model =
      stored_as(catalog.model("mixtral-8x7b"),
                {{Part::experts, catalog.format("q4-k")}, {Part::lm_head, catalog.format("q6-k")}});
  PrecisionRequest request;
  request.weights = catalog.format("fp8");
  const Precision precision = resolve_precision(model, request).precision;
  CHECK(names_of(precision) == Names{"fp8", "bf16", "bf16", "bf16"});
  CHECK(precision.weights[Part::lm_head].name == "bf16");
  CHECK(precision.weights[Part::router].name == "bf16");
}

TEST_CASE("A format covers the parts of a model with experts that it says", "[analysis]") {
  const auto [weights, tables, router, vectors, note] =
      GENERATE(table<std::string, std::string, std::string, std::string, std::string>({
          {"awq", "bf16", "bf16", "bf16",
           "awq covers the layers' matrices: embeddings, lm_head, router and norms stay bf16"},
          {"q4-k", "q4-k", "fp32", "fp32",
           "all matrices counted in q4-k: real GGUF files mix in wider types"},
          {"fp16", "fp16", "fp16", "fp16", ""},
      }));
  INFO(weights);
  const ResolvedPrecision resolved = resolve("mixtral-8x7b", weights);
  const auto& parts = resolved.precision.weights;
  CHECK(names_of(resolved.precision).layers == weights);
  CHECK(parts[Part::embedding].name == tables);
  CHECK(parts[Part::lm_head].name == tables);
  CHECK(parts[Part::router].name == router);
  CHECK(parts[Part::vectors].name == vectors);
  CHECK(resolved.notes == (note.empty() ? Strings{} : Strings{note}));
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
  CHECK(names_of(resolved.precision) == Names{"q4-k", "fp32", "bf16", "bf16"});
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
  CHECK(names_of(kernel_precision(request)) == Names{"awq", "awq", "fp16", "fp16"});
  request.kv = catalog.format("fp8");
  request.activations = catalog.format("bf16");
  CHECK(names_of(kernel_precision(request)) == Names{"awq", "awq", "fp8", "bf16"});
}

}  // namespace
}  // namespace roofline
