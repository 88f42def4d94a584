// quantization_config: the bits, element, name and coverage of every method, and what is refused.
#include <catch2/catch.hpp>

#include "roofline/error.hpp"
#include "roofline/model.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

/// A small Llama with that quantization_config, which begins on line 2.
Model quantized(const std::string& quantization) {
  return read_model(R"({"model_type": "llama", "hidden_size": 64, "vocab_size": 100,
"quantization_config": )" +
                        quantization + R"(,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
"intermediate_size": 96, "torch_dtype": "float16"})",
                    "m.json");
}

NumberFormat format_of(const std::string& quantization) {
  return quantized(quantization).quantization.value();
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

const std::string partial = "quantised in part";

}  // namespace

TEST_CASE("A model without quantization_config has no format of its own", "[spec]") {
  CHECK_FALSE(quantized("null").quantization);
  CHECK_FALSE(quantized("null").kv_format);
}

TEST_CASE("The rest of a quantised checkpoint keeps its number format", "[spec]") {
  const Model model = quantized(R"({"quant_method": "awq", "bits": 4, "group_size": 128})");
  CHECK(model.published_format == plain_format(MatrixType::fp16));
  CHECK_FALSE(model.kv_format);
}

// b bits, a 16-bit scale and a zero point of b bits for g weights: b + (16 + b) / g.
TEST_CASE("GPTQ and AWQ count a scale and a zero point a group", "[spec]") {
  const auto [quantization, bits, element, name] =
      GENERATE(table<std::string, double, MatrixType, std::string>({
          {R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true})", 4.15625,
           MatrixType::int4, "awq-int4-g128"},
          {R"({"quant_method": "awq", "w_bit": 4, "q_group_size": 128})", 4.15625, MatrixType::int4,
           "awq-int4-g128"},
          {R"({"quant_method": "awq", "bits": 4, "group_size": 64})", 4.3125, MatrixType::int4,
           "awq-int4-g64"},
          {R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": true})", 4.15625,
           MatrixType::int4, "gptq-int4-g128"},
          {R"({"quant_method": "gptq", "bits": 4, "group_size": 32})", 4.625, MatrixType::int4,
           "gptq-int4-g32"},
          {R"({"quant_method": "gptq", "bits": 8, "group_size": 128})", 8.1875, MatrixType::int8,
           "gptq-int8-g128"},
          {R"({"quant_method": "gptq", "bits": 8, "group_size": 32})", 8.75, MatrixType::int8,
           "gptq-int8-g32"},
          // One group a column: what it shares is spread over thousands of rows.
          {R"({"quant_method": "gptq", "bits": 4, "group_size": -1})", 4, MatrixType::int4,
           "gptq-int4"},
          {R"({"quant_method": "gptq", "bits": 8, "group_size": -1})", 8, MatrixType::int8,
           "gptq-int8"},
      }));
  CAPTURE(quantization);
  const NumberFormat format = format_of(quantization);
  CHECK(format.bits == bits);
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK(format.coverage == Coverage::layers);
  CHECK_FALSE(format.rounds_activations);
}

TEST_CASE("GPTQ may quantise the lm_head too", "[spec]") {
  const auto [lm_head, coverage] =
      GENERATE(table<std::string, Coverage>({{"true", Coverage::layers_and_lm_head},
                                             {"false", Coverage::layers},
                                             {"null", Coverage::layers}}));
  CHECK(format_of(R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "lm_head": )" +
                  lm_head + "}")
            .coverage == coverage);
}

TEST_CASE("Groups of integers are refused where their size is not known", "[spec]") {
  const auto [quantization, what] = GENERATE(table<std::string, std::string>({
      {R"({"quant_method": "gptq", "group_size": 128})", "needs 'bits' or 'w_bit'"},
      {R"({"quant_method": "gptq", "bits": 4})", "needs 'group_size'"},
      {R"({"quant_method": "gptq", "bits": 4, "group_size": 0})",
       "'group_size': 0 is out of range"},
      {R"({"quant_method": "gptq", "bits": 4, "group_size": -2})", "'group_size': -2 is out of"},
      {R"({"quant_method": "awq", "bits": 1, "group_size": 128})", "'bits': 1 is out of range"},
      {R"({"quant_method": "awq", "bits": 16, "group_size": 128})", "'bits': 16 is out of range"},
      {R"({"quant_method": "awq", "bits": 4.5, "group_size": 128})", "4.5 is not a whole number"},
      {R"({"quant_method": "awq", "bits": "4", "group_size": 128})", "'bits': expected a whole"},
  }));
  CAPTURE(quantization);
  CHECK_THAT(refusal(quantization).what, Contains(what));
  CHECK_THAT(refusal(quantization).where, Catch::Matchers::StartsWith("m.json:2:"));
}

TEST_CASE("FP8 with a scale a tensor is 8 bits", "[spec]") {
  const NumberFormat format =
      format_of(R"({"quant_method": "fp8", "activation_scheme": "static"})");
  CHECK(format.bits == 8);
  CHECK(format.element == MatrixType::fp8);
  CHECK(format.name == "fp8");
  CHECK(format.coverage == Coverage::layers);
  CHECK(format.rounds_activations);
}

TEST_CASE("FP8 with blocks counts an fp32 scale for each", "[spec]") {
  const NumberFormat format =
      format_of(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})");
  CHECK(format.bits == 8.001953125);  // 8 + 32 / 16384
  CHECK(format.element == MatrixType::fp8);
  CHECK(format.rounds_activations);
  CHECK(format_of(R"({"quant_method": "fp8", "weight_block_size": [1, 128]})").bits == 8.25);
}

TEST_CASE("A block of FP8 has two sides", "[spec]") {
  const std::string size = GENERATE("[0, 128]", "[128, -1]", "128", "[128, \"128\"]", "[1.5, 2]",
                                    "[]", "[128]", "[128, 128, 128]");
  CAPTURE(size);
  CHECK_FALSE(
      refusal(R"({"quant_method": "fp8", "weight_block_size": )" + size + "}").what.empty());
}

// nf4 and fp4: an fp32 scale for 64 weights. Double: the scale is 8 bits, and 256 of those share an
// fp32 one.
TEST_CASE("bitsandbytes counts its scales", "[spec]") {
  const auto [quantization, bits, element, name] =
      GENERATE(table<std::string, double, MatrixType, std::string>({
          {R"("load_in_4bit": true, "bnb_4bit_quant_type": "nf4")", 4.5, MatrixType::bf16, "nf4"},
          {R"("load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
              "bnb_4bit_use_double_quant": false)",
           4.5, MatrixType::bf16, "nf4"},
          {R"("load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
              "bnb_4bit_use_double_quant": true)",
           4.126953125, MatrixType::bf16, "nf4-double"},
          {R"("load_in_4bit": true, "bnb_4bit_quant_type": "fp4")", 4.5, MatrixType::bf16, "fp4"},
          {R"("load_in_4bit": true, "load_in_8bit": false, "bnb_4bit_quant_type": "nf4")", 4.5,
           MatrixType::bf16, "nf4"},
          {R"("load_in_8bit": true)", 8, MatrixType::int8, "bnb-int8"},
      }));
  CAPTURE(quantization);
  const NumberFormat format =
      format_of(R"({"quant_method": "bitsandbytes", )" + quantization + "}");
  CHECK(format.bits == bits);
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK(format.coverage == Coverage::layers);
  CHECK(format.rounds_activations == (element == MatrixType::int8));
}

TEST_CASE("bitsandbytes is refused where nothing is quantised or the type is unknown", "[spec]") {
  const auto [quantization, what] = GENERATE(table<std::string, std::string>({
      {R"({"quant_method": "bitsandbytes"})", "needs one of load_in_4bit and load_in_8bit"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": false, "load_in_8bit": false})",
       "needs one of load_in_4bit and load_in_8bit"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "load_in_8bit": true})",
       "needs one of load_in_4bit and load_in_8bit"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true})", "needs 'bnb_4bit_quant_type'"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf8"})",
       "unknown type 'nf8'"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": 1})", "expected true or false"},
  }));
  CAPTURE(quantization);
  CHECK_THAT(refusal(quantization).what, Contains(what));
}

TEST_CASE("compressed-tensors counts the scales of its strategy", "[spec]") {
  const auto [weights, bits, element,
              name] = GENERATE(table<std::string, double, MatrixType, std::string>({
      {R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
              "symmetric": true)",
       4.125, MatrixType::int4, "int4-a16"},
      {R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128)", 4.125,
       MatrixType::int4, "int4-a16"},
      {R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
              "symmetric": false)",
       4.15625, MatrixType::int4, "int4-a16"},
      {R"("num_bits": 8, "type": "int", "strategy": "group", "group_size": 128,
              "symmetric": false)",
       8.1875, MatrixType::int8, "int8-a16"},
      {R"("num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true)", 8,
       MatrixType::int8, "int8-a16"},
      {R"("num_bits": 8, "type": "float", "strategy": "tensor")", 8, MatrixType::fp8, "fp8-a16"},
      {R"("num_bits": 8, "type": "float", "strategy": "channel")", 8, MatrixType::fp8, "fp8-a16"},
      {R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)", 4.5,
       MatrixType::fp4, "fp4-a16"},
  }));
  CAPTURE(weights);
  const NumberFormat format = format_of(compressed(weights));
  CHECK(format.bits == bits);
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK_FALSE(format.rounds_activations);
}

TEST_CASE("compressed-tensors with input_activations rounds them", "[spec]") {
  const std::string fp8 = R"("num_bits": 8, "type": "float", "strategy": "tensor")";
  const NumberFormat format = format_of(compressed(
      fp8, R"(, "input_activations": {"num_bits": 8, "type": "float", "dynamic": false})"));
  CHECK(format.rounds_activations);
  CHECK(format.name == "fp8-a-fp8");
  CHECK(format.element == MatrixType::fp8);
  CHECK_FALSE(format_of(compressed(fp8, R"(, "input_activations": null)")).rounds_activations);
}

// 4-bit weights with 8-bit activations are multiplied in 8 bits.
TEST_CASE("Weights narrower than the activations do not narrow the product", "[spec]") {
  const auto [type, element] = GENERATE(
      table<std::string, MatrixType>({{"int", MatrixType::int8}, {"float", MatrixType::fp8}}));
  CAPTURE(type);
  const NumberFormat format = format_of(
      compressed(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128)",
                 R"(, "input_activations": {"num_bits": 8, "type": ")" + type + "\"}"));
  CHECK(format.bits == 4.125);
  CHECK(format.rounds_activations);
  CHECK(format.element == element);
  CHECK(format.name == "int4-a-" + std::string(to_string(element)));
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
  const std::string weights = R"("num_bits": 8, "type": "float", "strategy": "tensor")";
  const auto [ignore, coverage] = GENERATE(table<std::string, Coverage>({
      {R"(, "ignore": ["lm_head"])", Coverage::layers},
      {R"(, "ignore": ["re:.*lm_head"])", Coverage::layers},
      {R"(, "ignore": ["model.embed_tokens", "lm_head"])", Coverage::layers},
      {R"(, "ignore": [])", Coverage::layers_and_lm_head},
      {R"(, "ignore": null)", Coverage::layers_and_lm_head},
      {R"(, "ignore": ["model.embed_tokens"])", Coverage::layers_and_lm_head},
      {"", Coverage::layers_and_lm_head},
  }));
  CAPTURE(ignore);
  CHECK(format_of(compressed(weights, "", ignore)).coverage == coverage);
}

TEST_CASE("A method may give the format of the cache", "[spec]") {
  const std::string weights = R"("num_bits": 8, "type": "float", "strategy": "tensor")";
  const Model model = quantized(compressed(
      weights, "", R"(, "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": false})"));
  REQUIRE(model.kv_format);
  CHECK(model.kv_format->name == "fp8");
  CHECK(model.kv_format->bits == 8);
  CHECK(model.kv_format->element == MatrixType::fp8);
  CHECK_FALSE(quantized(compressed(weights, "", R"(, "kv_cache_scheme": null)")).kv_format);
  CHECK(quantized(R"({"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8,
                      "type": "float"}})")
            .kv_format == model.kv_format);
  const std::string scheme =
      GENERATE(R"({"num_bits": 8, "type": "int"})", R"({"num_bits": 4, "type": "float"})");
  CHECK(refusal(compressed(weights, "", R"(, "kv_cache_scheme": )" + scheme)).what ==
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
      {R"({"quant_method": "compressed-tensors"})", "needs 'config_groups'"},
  }));
  CAPTURE(quantization);
  CHECK_THAT(refusal(quantization).what, Contains(what));
}

TEST_CASE("A checkpoint that is quantised in part is refused", "[spec]") {
  const std::string weights = R"("num_bits": 8, "type": "float", "strategy": "tensor")";
  const std::string group = R"({"targets": ["Linear"], "weights": {)" + weights + "}}";
  const std::string quantization = GENERATE_COPY(
      std::string(R"({"quant_method": "awq", "bits": 4, "group_size": 128,
                      "modules_to_not_convert": ["self_attn"]})"),
      std::string(R"({"quant_method": "awq", "bits": 4, "group_size": 128,
                      "modules_to_not_convert": ["lm_head", "model.layers.0.mlp.down_proj"]})"),
      std::string(R"({"quant_method": "gptq", "bits": 4, "group_size": 128,
                      "modules_to_not_convert": ["q_proj"]})"),
      std::string(R"({"quant_method": "gptq", "bits": 4, "group_size": 128,
                      "modules_in_block_to_quantize": [["self_attn.q_proj"]]})"),
      std::string(R"({"quant_method": "gptq", "bits": 4, "group_size": 128,
                      "dynamic": {"-:.*down": {}}})"),
      compressed(weights, "", R"(, "sparsity_config": {"format": "sparse-24-bitmask"})"),
      std::string(R"({"quant_method": "fp8", "modules_to_not_convert": ["q_proj"]})"),
      std::string(R"({"quant_method": "fp8", "ignored_layers": ["model.layers.3.mlp.up_proj"]})"),
      std::string(R"({"quant_method": "bitsandbytes", "load_in_8bit": true,
                      "llm_int8_skip_modules": ["o_proj"]})"),
      compressed(weights, "", R"(, "ignore": ["lm_head", "re:.*self_attn.*"])"),
      R"({"quant_method": "compressed-tensors", "config_groups": {"a": )" + group + R"(, "b": )" +
          group + "}}",
      std::string(R"({"quant_method": "compressed-tensors", "config_groups": {"a": {"targets":
                      ["re:.*mlp.*"], "weights": {)") +
          weights + "}}}}");
  CAPTURE(quantization);
  CHECK_THAT(refusal(quantization).why, Contains(partial));
}

TEST_CASE("Modules that stay wide anyway may be named", "[spec]") {
  const std::string quantization =
      GENERATE(R"({"quant_method": "awq", "bits": 4, "group_size": 128,
                   "modules_to_not_convert": null})",
               R"({"quant_method": "awq", "bits": 4, "group_size": 128,
                   "modules_to_not_convert": []})",
               R"({"quant_method": "awq", "bits": 4, "group_size": 128,
                   "modules_to_not_convert": ["lm_head", "model.embed_tokens", "model.norm"]})",
               R"({"quant_method": "fp8", "ignored_layers": ["lm_head"]})",
               R"({"quant_method": "bitsandbytes", "load_in_8bit": true,
                   "llm_int8_skip_modules": ["lm_head"]})");
  CAPTURE(quantization);
  CHECK(format_of(quantization).coverage == Coverage::layers);
}

TEST_CASE("An unknown method is refused with those that are read", "[spec]") {
  const Diagnostic diagnostic = refusal(R"({"quant_method": "gtpq", "bits": 4})");
  CHECK(diagnostic.what == "'quant_method': unknown quantisation method 'gtpq'");
  CHECK(diagnostic.where == "m.json:2:41");
  CHECK_THAT(diagnostic.why, Contains("awq, bitsandbytes, compressed-tensors, fp8, gptq"));
  CHECK(diagnostic.suggestions == std::vector<std::string>{"gptq"});
  CHECK(refusal(R"({"quant_method": "mxfp4"})").what ==
        "'quant_method': unknown quantisation method 'mxfp4'");
  CHECK(refusal("{}").what == "'quantization_config': needs 'quant_method'");
  CHECK(refusal("4").what == "'quantization_config': expected an object, found a number");
}
