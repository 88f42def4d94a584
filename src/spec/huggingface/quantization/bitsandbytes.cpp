// bitsandbytes: a table of 16 floats for 64 weights with one scale, or integers with one an output.
#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

bool is_set(const JsonNode& quantization, std::string_view key, std::string_view private_key) {
  const auto found = quantization.find_any({key, private_key});
  return found && found->boolean();
}

Scheme int8() {
  Scheme scheme;
  scheme.name = "bnb-int8";
  scheme.element = MatrixType::int8;
  scheme.rounds_activations = true;
  scheme.element_bits = 8;
  scheme.shared_bits = 32;
  scheme.source = "quantization_config, method bitsandbytes: an fp32 scale an output";
  return scheme;
}

/// Multiplied in 16 bits. Double: the scale has 8 bits, and 256 of those share an fp32 one.
Scheme four_bits(const JsonNode& quantization) {
  constexpr std::int64_t weights_a_scale = 64;
  const auto twice = quantization.find("bnb_4bit_use_double_quant");
  const bool double_quantized = twice && twice->boolean();
  const JsonNode type = quantization.at("bnb_4bit_quant_type");
  const std::string name = type.text();
  if (name != "nf4" && name != "fp4") {
    type.fail("unknown type '" + name + "'", {}, "nf4 or fp4");
  }
  Scheme scheme;
  scheme.name = (name == "fp4" ? "bnb-fp4" : name) + (double_quantized ? "-double" : "");
  scheme.element = MatrixType::bf16;
  scheme.element_bits = 4;
  scheme.shared_bits = double_quantized ? 8 + 32.0 / 256 : 32;
  scheme.block_inputs = weights_a_scale;
  scheme.flattened = true;
  scheme.source = double_quantized
                      ? "quantization_config, method bitsandbytes: an 8-bit scale for 64 weights, "
                        "an fp32 one for 256 of those"
                      : "quantization_config, method bitsandbytes: an fp32 scale for 64 weights";
  return scheme;
}

}  // namespace

void read_bitsandbytes(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  const bool eight = is_set(quantization, "load_in_8bit", "_load_in_8bit");
  const bool four = is_set(quantization, "load_in_4bit", "_load_in_4bit");
  if (eight == four) quantization.fail("needs one of load_in_4bit and load_in_8bit");
  weights.set_layers(weights.add(eight ? int8() : four_bits(quantization)));
  weights.keep_wide("llm_int8_skip_modules");
}

}  // namespace roofline::huggingface
