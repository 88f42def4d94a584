// compressed-tensors: scales by strategy, layouts, activations, lm_head, K/V cache, and what is
// refused. The small model is that of quantization_test.cpp.
#include <catch2/catch.hpp>

#include "roofline/error.hpp"
#include "roofline/model.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

/// Mixer of a layer: q and o 64 x 64, k and v 32 x 64.
Model quantized(const std::string& quantization, const std::string& tied = "false",
                const std::string& key = "quantization_config") {
  return read_model(R"({"model_type": "llama", "hidden_size": 64, "vocab_size": 128,
")" + key + "\": " + quantization +
                        R"(,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
"max_position_embeddings": 512, "intermediate_size": 96, "torch_dtype": "float16",
"tie_word_embeddings": )" +
                        tied + "}",
                    "m.json");
}

NumberFormat mixer_format(const std::string& quantization) {
  return quantized(quantization).stored.value().parts[Part::mixer].value();
}

Diagnostic refusal(const std::string& quantization) {
  try {
    (void)quantized(quantization);
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

/// compressed-tensors with one group; `weights` are the members of its "weights".
std::string compressed(const std::string& weights, const std::string& group = "",
                       const std::string& rest = "") {
  return R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": )"
         R"(["Linear"], "weights": {)" +
         weights + "}" + group + "}}" + rest + "}";
}

const std::string tensor8 = R"("num_bits": 8, "type": "float", "strategy": "tensor")";

}  // namespace

// Channel: 192 scales of 16 bits for 12288 weights.
TEST_CASE("compressed-tensors counts the scales of its strategy", "[spec]") {
  const auto [weights, bits, element, name] =
      GENERATE(table<std::string, double, MatrixType, std::string>({
          {R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 32,
              "symmetric": true)",
           4.5, MatrixType::int4, "int4-a16"},
          {R"("num_bits": 4, "type": "int", "group_size": 32)", 4.5, MatrixType::int4, "int4-a16"},
          {R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 32,
              "symmetric": false)",
           4.625, MatrixType::int4, "int4-a16"},
          {R"("num_bits": 8, "type": "int", "strategy": "group", "group_size": 32,
              "symmetric": false)",
           8.75, MatrixType::int8, "int8-a16"},
          {R"("num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true)", 8.25,
           MatrixType::int8, "int8-a16"},
          {tensor8, 8, MatrixType::fp8, "fp8-a16"},
          {R"("num_bits": 8, "type": "float")", 8, MatrixType::fp8, "fp8-a16"},
          {R"("num_bits": 8, "type": "float", "group_size": -1)", 8.25, MatrixType::fp8, "fp8-a16"},
          {R"("num_bits": 8, "type": "float", "strategy": "block", "block_structure": [32, 32])",
           8 + 16 / 1024.0, MatrixType::fp8, "fp8-a16"},
          {R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)", 4.5,
           MatrixType::fp4, "nvfp4-a16"},
          {R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 32,
              "scale_dtype": "torch.uint8")",
           4.25, MatrixType::fp4, "mxfp4-a16"},
          {R"("num_bits": 8, "type": "float", "strategy": "group", "group_size": 32,
              "scale_dtype": "torch.uint8")",
           8.25, MatrixType::fp8, "fp8-a16"},
      }));
  CAPTURE(weights);
  const NumberFormat format = mixer_format(compressed(weights));
  CHECK(format.bits == Approx(bits).epsilon(1e-12));
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK_FALSE(format.rounds_activations);
}

TEST_CASE("compressed-tensors knows the blocks that devices cannot split", "[spec]") {
  const auto [weights, outputs, inputs] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      {tensor8, 1, 1},
      {R"("num_bits": 8, "type": "int", "strategy": "channel")", 1, 1},
      {R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 32)", 1, 32},
      {R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)", 1, 16},
      {R"("num_bits": 8, "type": "float", "strategy": "block", "block_structure": [32, 16])", 32,
       16},
  }));
  CAPTURE(weights);
  const NumberFormat format = mixer_format(compressed(weights));
  CHECK(format.block_outputs == outputs);
  CHECK(format.block_inputs == inputs);
}

TEST_CASE("Layouts without packing keep four bits in a byte", "[spec]") {
  const auto [layout, bits] =
      GENERATE(table<std::string, double>({{"pack-quantized", 4.5}, {"int-quantized", 8.5}}));
  const std::string weights = R"("num_bits": 4, "type": "int", "strategy": "group",
                                 "group_size": 32)";
  CHECK(mixer_format(compressed(weights, "", R"(, "format": ")" + layout + "\"")).bits == bits);
}

// Weights narrower than the activations do not narrow the product.
TEST_CASE("compressed-tensors with input_activations rounds them", "[spec]") {
  const std::string int4 = R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 32)";
  const std::string nvfp4 =
      R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)";
  const auto [weights, activations, element, name] =
      GENERATE_COPY(table<std::string, std::string, MatrixType, std::string>(
          {{tensor8, R"({"num_bits": 8, "type": "float"})", MatrixType::fp8, "fp8-a-fp8"},
           {nvfp4, R"({"num_bits": 4, "type": "float"})", MatrixType::fp4, "nvfp4-a-fp4"},
           {int4, R"({"num_bits": 8, "type": "int"})", MatrixType::int8, "int4-a-int8"},
           {int4, R"({"num_bits": 8, "type": "float"})", MatrixType::fp8, "int4-a-fp8"},
           {tensor8, "null", MatrixType::fp8, "fp8-a16"},
           {tensor8, R"({"num_bits": 16, "type": "float"})", MatrixType::fp8, "fp8-a16"}}));
  CAPTURE(weights, activations);
  const NumberFormat format =
      mixer_format(compressed(weights, ", \"input_activations\": " + activations));
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK(format.rounds_activations == (name.substr(name.size() - 3) != "a16"));
}

TEST_CASE("Activations that cannot hold the weights are refused", "[spec]") {
  const std::string activations =
      GENERATE(R"("num_bits": 4, "type": "int")", R"("num_bits": 8, "type": "float")");
  CHECK_THAT(refusal(compressed(R"("num_bits": 8, "type": "int", "strategy": "channel")",
                                R"(, "input_activations": {)" + activations + "}"))
                 .what,
             Contains("activations cannot multiply int8 weights"));
}

TEST_CASE("compressed-tensors covers the lm_head unless it is ignored", "[spec]") {
  const auto [ignore, quantised] = GENERATE(table<std::string, bool>({
      {R"(, "ignore": ["lm_head"])", false},
      {R"(, "ignore": ["re:.*lm_head"])", false},
      {R"(, "ignore": ["model.embed_tokens", "lm_head"])", false},
      {R"(, "ignore": [])", true},
      {R"(, "ignore": null)", true},
      {R"(, "ignore": ["model.embed_tokens"])", true},
      {"", true},
  }));
  CAPTURE(ignore);
  const Model model = quantized(compressed(tensor8, "", ignore));
  CHECK(model.stored->parts[Part::lm_head].has_value() == quantised);
  CHECK_FALSE(model.stored->parts[Part::embedding]);
  const Model tied = quantized(compressed(tensor8, "", ignore), "true");
  CHECK_FALSE(tied.stored->parts[Part::lm_head]);
  CHECK(quantized(compressed(tensor8, "", ignore), "false", "compression_config").stored ==
        model.stored);
}

TEST_CASE("A method may give the format of the cache", "[spec]") {
  const Model model = quantized(compressed(
      tensor8, "", R"(, "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": false})"));
  REQUIRE(model.kv_format);
  CHECK(model.kv_format->name == "fp8");
  CHECK(model.kv_format->bits == 8);
  CHECK(model.kv_format->element == MatrixType::fp8);
  CHECK_FALSE(quantized(compressed(tensor8, "", R"(, "kv_cache_scheme": null)")).kv_format);
  CHECK(quantized(R"({"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8,
                      "type": "float"}})")
            .kv_format == model.kv_format);
  const Model narrow = quantized(compressed(
      tensor8, "", R"(, "kv_cache_scheme": {"num_bits": 4, "type": "float", "group_size": 16})"));
  CHECK(narrow.kv_format->bits == 4.5);
  const std::string scheme =
      GENERATE(R"({"num_bits": 8, "type": "int"})", R"({"num_bits": 4, "type": "float"})");
  CHECK(refusal(compressed(tensor8, "", R"(, "kv_cache_scheme": )" + scheme)).what ==
        "'kv_cache_scheme': unknown K/V cache scheme");
}

TEST_CASE("compressed-tensors is refused where the shape is not known", "[spec]") {
  const auto [quantization, what] = GENERATE(table<std::string, std::string>({
      {compressed(R"("num_bits": 4, "type": "int", "strategy": "group")"), "needs 'group_size'"},
      {compressed(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 0)"),
       "'group_size': 0 is out of range"},
      {compressed(R"("num_bits": 8, "type": "int", "strategy": "token")"),
       "unknown strategy 'token'"},
      {compressed(R"("num_bits": 6, "type": "float", "strategy": "tensor")"),
       "unknown type 'float' of 6 bits"},
      {compressed(R"("num_bits": 8, "type": "fixed", "strategy": "tensor")"),
       "unknown type 'fixed' of 8 bits"},
      {compressed(R"("type": "int", "strategy": "tensor")"), "needs 'num_bits'"},
      {compressed(R"("num_bits": 8, "type": "int", "strategy": "channel", "scale_dtype": "x")"),
       "unknown type of scales 'x'"},
      {compressed(R"("num_bits": 4, "type": "int", "group_size": 8)", "",
                  R"(, "format": "marlin-24")"),
       "'format': unknown layout 'marlin-24'"},
      {compressed(R"("num_bits": 8, "type": "int")", "",
                  R"(, "sparsity_config": {"format": "sparse-24-bitmask"})"),
       "'sparsity_config': sparse tensors are not read"},
      {R"({"quant_method": "compressed-tensors"})", "needs 'config_groups'"},
  }));
  CAPTURE(quantization);
  CHECK_THAT(refusal(quantization).what, Contains(what));
}

TEST_CASE("A dense sparsity_config changes nothing", "[spec]") {
  const std::string sparsity = GENERATE("{}", "null", R"({"format": "dense"})");
  CHECK(quantized(compressed(tensor8, "", R"(, "sparsity_config": )" + sparsity)).stored);
}
