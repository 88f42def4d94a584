// quantization_config: the bits, element, name and parts of every method, and what is refused.
// Matrices of the small model: q and o 64 x 64, k and v 32 x 64, gate and up 96 x 64, down 64 x 96,
// two layers; lm_head 128 x 64. A group of 32 or 64 divides all inputs but the down matrix's.
#include <catch2/catch.hpp>

#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/quantization.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

/// A small Llama with that quantization_config, which begins on line 2.
Model quantized(const std::string& quantization, const std::string& tied = "false") {
  return read_model(R"({"model_type": "llama", "hidden_size": 64, "vocab_size": 128,
"quantization_config": )" +
                        quantization +
                        R"(,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
"max_position_embeddings": 512, "intermediate_size": 96, "torch_dtype": "float16",
"tie_word_embeddings": )" +
                        tied + "}",
                    "m.json");
}

/// The same with 4 experts, of which 2 a token, instead of the MLP.
Model quantized_experts(const std::string& quantization) {
  return read_model(R"({"model_type": "mixtral", "hidden_size": 64, "vocab_size": 128,
"quantization_config": )" +
                        quantization + R"(,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
"max_position_embeddings": 512, "intermediate_size": 96, "torch_dtype": "float16",
"num_local_experts": 4, "num_experts_per_tok": 2, "tie_word_embeddings": false})",
                    "m.json");
}

NumberFormat mixer_format(const std::string& quantization) {
  return quantized(quantization).stored.value().parts[Part::mixer].value();
}

template <class Read>
Diagnostic refusal_of(const Read& read) {
  try {
    (void)read();
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

Diagnostic refusal(const std::string& quantization) {
  return refusal_of([&] { return quantized(quantization); });
}

}  // namespace

TEST_CASE("A model without quantization_config has no stored formats", "[spec]") {
  CHECK_FALSE(quantized("null").stored);
  CHECK_FALSE(quantized("null").kv_format);
}

TEST_CASE("The rest of a quantised checkpoint keeps its number format", "[spec]") {
  const Model model = quantized(R"({"quant_method": "awq", "bits": 4, "group_size": 32})");
  CHECK(model.published_format == plain_format(MatrixType::fp16));
  CHECK_FALSE(model.kv_format);
  REQUIRE(model.stored);
  CHECK(model.stored->name == "awq-int4-g32");
  CHECK(model.stored->origin == "quantization_config");
  for (const Part part : all_parts) {
    CAPTURE(to_string(part));
    const bool quantised = part == Part::mixer || part == Part::mlp;
    CHECK(model.stored->parts[part].has_value() == quantised);
  }
  CHECK(model.warnings.empty());
}

// b bits, a 16-bit scale and a zero point of b bits for g weights: b + (16 + b) / g. -1: for all 64
// inputs. desc_act: 32 bits an input more. In the mixer that is 2 (64 + 64 + 64 + 64) x 32 bits for
// 2 x 12288 weights: 2/3 bit.
TEST_CASE("GPTQ and AWQ count a scale and a zero point a group", "[spec]") {
  const auto [quantization, bits, element, name] =
      GENERATE(table<std::string, double, MatrixType, std::string>({
          {R"("awq", "bits": 4, "group_size": 32, "zero_point": true)", 4.625, MatrixType::int4,
           "awq-int4-g32"},
          {R"("awq", "w_bit": 4, "q_group_size": 64, "version": "GEMM")", 4.3125, MatrixType::int4,
           "awq-int4-g64"},
          {R"("gptq", "bits": 4, "group_size": 32, "sym": true)", 4.625, MatrixType::int4,
           "gptq-int4-g32"},
          {R"("gptq", "bits": 8, "group_size": 32)", 8.75, MatrixType::int8, "gptq-int8-g32"},
          {R"("gptq", "bits": 4, "group_size": -1)", 4.3125, MatrixType::int4, "gptq-int4"},
          // One group of 128 is cut off at 64 inputs.
          {R"("gptq", "bits": 4, "group_size": 128)", 4.3125, MatrixType::int4, "gptq-int4-g128"},
          {R"("gptq", "bits": 4, "group_size": 32, "desc_act": true)", 4.625 + 2.0 / 3,
           MatrixType::int4, "gptq-int4-g32"},
          {R"("gptq", "bits": 4, "group_size": 32, "checkpoint_format": "marlin")", 4.5,
           MatrixType::int4, "gptq-int4-g32"},
          {R"("auto-round", "bits": 4, "group_size": 32, "packing_format": "auto_round:auto_gptq")",
           4.625, MatrixType::int4, "auto-round-int4-g32"},
          {R"("intel/auto-round", "bits": 2, "group_size": 64, "data_type": "int")", 2.28125,
           MatrixType::int4, "auto-round-int2-g64"},
      }));
  CAPTURE(quantization);
  const NumberFormat format = mixer_format(R"({"quant_method": )" + quantization + "}");
  CHECK(format.bits == Approx(bits).epsilon(1e-12));
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK(format.coverage == Coverage::layers);
  CHECK_FALSE(format.rounds_activations);
}

// The down matrix has 96 inputs: two groups of 64. Of 3 x 6144 weights a third has 2 x 64 groups,
// two thirds have 96: (96 + 96 + 128) x 20 bits for 18432 weights.
TEST_CASE("A group that is not full takes a whole scale", "[spec]") {
  const Model model = quantized(R"({"quant_method": "awq", "bits": 4, "group_size": 64})");
  CHECK(model.stored->parts[Part::mlp]->bits == Approx(4 + 320 * 20 / 18432.0).epsilon(1e-12));
}

TEST_CASE("GPTQ may quantise the lm_head too", "[spec]") {
  const auto [lm_head, quantised] =
      GENERATE(table<std::string, bool>({{"true", true}, {"false", false}, {"null", false}}));
  const std::string quantization =
      R"({"quant_method": "gptq", "bits": 4, "group_size": 32, "lm_head": )" + lm_head + "}";
  CHECK(quantized(quantization).stored->parts[Part::lm_head].has_value() == quantised);
  const Diagnostic tied = refusal_of([&] { return quantized(quantization, "true"); });
  CHECK(tied.what == (quantised ? "'lm_head': the lm_head is quantised, but it is tied to the "
                                  "embedding"
                                : ""));
}

TEST_CASE("Groups of integers are refused where their size is not known", "[spec]") {
  const auto [quantization, what] = GENERATE(table<std::string, std::string>({
      {R"("gptq", "group_size": 128)", "needs 'bits' or 'w_bit'"},
      {R"("gptq", "bits": 4)", "needs 'group_size'"},
      {R"("gptq", "bits": 4, "group_size": 0)", "'group_size': 0 is out of range"},
      {R"("gptq", "bits": 4, "group_size": -2)", "'group_size': -2 is out of"},
      {R"("gptq", "bits": 4, "group_size": 32, "checkpoint_format": "qqq")",
       "'checkpoint_format': unknown layout 'qqq'"},
      {R"("awq", "bits": 1, "group_size": 128)", "'bits': 1 is out of range"},
      {R"("awq", "bits": 16, "group_size": 128)", "'bits': 16 is out of range"},
      {R"("awq", "bits": 4.5, "group_size": 128)", "4.5 is not a whole number"},
      {R"("awq", "bits": "4", "group_size": 128)", "'bits': expected a whole"},
      {R"("awq", "bits": 4, "group_size": 128, "version": "x")", "'version': unknown layout 'x'"},
      {R"("auto-round", "bits": 4, "group_size": 32, "packing_format": "q")", "unknown layout 'q'"},
      {R"("auto-round", "bits": 4, "group_size": 32, "data_type": "mx_fp")", "unknown layout"},
      {R"("auto-round", "bits": 4, "group_size": 32, "act_bits": 8)", "quantised activations"},
      {R"("auto-round", "bits": 4, "group_size": 32, "super_bits": 6)", "scales of scales"},
      {R"("auto-round", "bits": 4, "group_size": 32, "block_name_to_quantize": "visual.blocks")",
       "names no layers of the decoder"},
  }));
  CAPTURE(quantization);
  const Diagnostic diagnostic = refusal(R"({"quant_method": )" + quantization + "}");
  CHECK_THAT(diagnostic.what, Contains(what));
  CHECK_THAT(diagnostic.where, Catch::Matchers::StartsWith("m.json:2:"));
}

// Blocks of 128 x 128: q, o and k, v have one each, gate, up and down too: 4 scales a layer's mixer
// of 12288 weights. Of 32 x 32: q and o 4, k and v 2 each: 12. An output: 64 + 32 + 32 + 64.
TEST_CASE("FP8 counts the scales of blocks and of outputs", "[spec]") {
  const auto [quantization, name, scales] = GENERATE(table<std::string, std::string, double>({
      {R"("fp8", "activation_scheme": "static")", "fp8", 0},
      {R"("fp8", "weight_block_size": [128, 128])", "fp8-block", 4},
      {R"("fp8", "weight_block_size": [32, 32], "activation_scheme": "dynamic")", "fp8-block", 12},
      {R"("fp8", "weight_block_size": [1, 32])", "fp8-block", 384},
      {R"("fbgemm_fp8", "activation_scale_ub": 1200.0)", "fp8-channel", 192},
  }));
  CAPTURE(quantization);
  const NumberFormat format = mixer_format(R"({"quant_method": )" + quantization + "}");
  CHECK(format.bits == Approx(8 + 32 * scales / 12288).epsilon(1e-12));
  CHECK(format.element == MatrixType::fp8);
  CHECK(format.name == name);
  CHECK(format.rounds_activations);
}

// A scale of a whole side can be split, as can bitsandbytes' blocks of the flattened matrix.
TEST_CASE("Stored formats know the blocks that devices cannot split", "[spec]") {
  const auto [quantization, outputs, inputs] =
      GENERATE(table<std::string, std::int64_t, std::int64_t>({
          {R"("fp8")", 1, 1},
          {R"("fp8", "weight_block_size": [128, 64])", 128, 64},
          {R"("fbgemm_fp8")", 1, 1},
          {R"("gptq", "bits": 4, "group_size": 32)", 1, 32},
          {R"("gptq", "bits": 4, "group_size": -1)", 1, 1},
          {R"("gptq", "bits": 4, "group_size": 32, "dynamic": {".*q_proj": {"group_size": 64}})", 1,
           64},
          {R"("gptq", "bits": 4, "group_size": 32, "dynamic": {"-:.*q_proj": {}})", 1, 32},
          {R"("awq", "bits": 4, "group_size": 64)", 1, 64},
          {R"("auto-round", "bits": 4, "group_size": 16)", 1, 16},
          {R"("modelopt", "quant_algo": "NVFP4")", 1, 16},
          {R"("modelopt", "quant_algo": "W4A16_AWQ", "group_size": 64)", 1, 64},
          {R"("modelopt", "quant_algo": "FP8_PB_WO")", 128, 128},
          {R"("modelopt", "quant_algo": "FP8_PER_CHANNEL_PER_TOKEN")", 1, 1},
          {R"("bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4")", 1, 1},
          {R"("bitsandbytes", "load_in_8bit": true)", 1, 1},
      }));
  CAPTURE(quantization);
  const NumberFormat format = mixer_format(R"({"quant_method": )" + quantization + "}");
  CHECK(format.block_outputs == outputs);
  CHECK(format.block_inputs == inputs);
}

TEST_CASE("A block of FP8 has two sides", "[spec]") {
  const std::string size = GENERATE("[0, 128]", "[128, -1]", "128", "[128, \"128\"]", "[1.5, 2]",
                                    "[]", "[128]", "[128, 128, 128]");
  CAPTURE(size);
  const std::string head = R"({"quant_method": "fp8", "weight_block_size": )";
  CHECK_FALSE(refusal(head + size + "}").what.empty());
  CHECK(refusal(R"({"quant_method": "fp8", "activation_scheme": "x"})").what ==
        "'activation_scheme': unknown scheme 'x'");
}

// nf4 and fp4: an fp32 scale for 64 weights. Double: the scale is 8 bits, and 256 of those share an
// fp32 one. int8: an fp32 scale an output, 192 of them in a mixer of 12288 weights.
TEST_CASE("bitsandbytes counts its scales", "[spec]") {
  const auto [quantization, bits, element,
              name] = GENERATE(table<std::string, double, MatrixType, std::string>({
      {R"("load_in_4bit": true, "bnb_4bit_quant_type": "nf4")", 4.5, MatrixType::bf16, "nf4"},
      {R"("_load_in_4bit": true, "_load_in_8bit": false, "bnb_4bit_quant_type": "nf4",
              "bnb_4bit_use_double_quant": true)",
       4.126953125, MatrixType::bf16, "nf4-double"},
      {R"("load_in_4bit": true, "bnb_4bit_quant_type": "fp4")", 4.5, MatrixType::bf16, "bnb-fp4"},
      {R"("load_in_8bit": true)", 8.5, MatrixType::int8, "bnb-int8"},
  }));
  CAPTURE(quantization);
  const std::string method = GENERATE(R"("quant_method": "bitsandbytes", )", "");
  const NumberFormat format = mixer_format("{" + method + quantization + "}");
  CHECK(format.bits == bits);
  CHECK(format.element == element);
  CHECK(format.name == name);
  CHECK(format.rounds_activations == (element == MatrixType::int8));
}

TEST_CASE("bitsandbytes is refused where nothing is quantised or the type is unknown", "[spec]") {
  const auto [quantization, what] = GENERATE(table<std::string, std::string>({
      {"", "needs one of load_in_4bit and load_in_8bit"},
      {R"(, "load_in_4bit": false, "load_in_8bit": false)", "needs one of load_in_4bit and"},
      {R"(, "load_in_4bit": true, "load_in_8bit": true)", "needs one of load_in_4bit and"},
      {R"(, "load_in_4bit": true)", "needs 'bnb_4bit_quant_type'"},
      {R"(, "load_in_4bit": true, "bnb_4bit_quant_type": "nf8")", "unknown type 'nf8'"},
      {R"(, "load_in_4bit": 1)", "expected true or false"},
  }));
  CAPTURE(quantization);
  const std::string head = R"({"quant_method": "bitsandbytes")";
  CHECK_THAT(refusal(head + quantization + "}").what, Contains(what));
}

TEST_CASE("mxfp4 quantises the experts alone", "[spec]") {
  const std::string mxfp4 = R"({"quant_method": "mxfp4", "modules_to_not_convert":
    ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]})";
  const Model model = quantized_experts(mxfp4);
  REQUIRE(model.stored);
  CHECK(model.stored->name == "mxfp4");
  for (const Part part : all_parts) {
    CHECK(model.stored->parts[part].has_value() == (part == Part::experts));
  }
  CHECK(model.stored->parts[Part::experts]->bits == 4.25);
  CHECK(model.stored->parts[Part::experts]->element == MatrixType::fp4);
  CHECK_FALSE(model.stored->parts[Part::experts]->rounds_activations);
  CHECK(model.warnings.empty());
  CHECK_THAT(refusal(mxfp4).what, Contains("quantises experts, and the model has none"));
}

TEST_CASE("An unknown method is refused with those that are read", "[spec]") {
  const Diagnostic diagnostic = refusal(R"({"quant_method": "gtpq", "bits": 4})");
  CHECK(diagnostic.what == "'quant_method': unknown quantisation method 'gtpq'");
  CHECK(diagnostic.where == "m.json:2:41");
  CHECK_THAT(diagnostic.why, Contains("awq, bitsandbytes, compressed-tensors"));
  CHECK(diagnostic.suggestions == std::vector<std::string>{"gptq"});
  const std::string other = GENERATE("aqlm", "eetq", "hqq", "quark", "torchao", "vptq");
  CHECK(refusal(R"({"quant_method": ")" + other + "\"}").what ==
        "'quant_method': unknown quantisation method '" + other + "'");
  CHECK(refusal("{}").what == "'quantization_config': needs 'quant_method'");
  CHECK(refusal("4").what == "'quantization_config': expected an object, found a number");
}
