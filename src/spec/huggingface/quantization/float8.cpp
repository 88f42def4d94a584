// fp8 and fbgemm_fp8: 8-bit floats with scales by tensor, block or output.
#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

constexpr double scale_bits = 32;

Scheme float8() {
  Scheme scheme;
  scheme.name = "fp8";
  scheme.element = MatrixType::fp8;
  scheme.rounds_activations = true;
  scheme.element_bits = 8;
  scheme.source = "quantization_config, method fp8: a scale a tensor, not counted";
  return scheme;
}

void read_blocks(const JsonNode& block, Scheme& scheme) {
  const std::vector<JsonNode> sides = block.elements();
  if (sides.size() != 2) block.fail("is not a height and a width");
  scheme.name = "fp8-block";
  scheme.shared_bits = scale_bits;
  scheme.block_outputs = sides[0].count(most_group_size);
  scheme.block_inputs = sides[1].count(most_group_size);
  scheme.source = "quantization_config, method fp8: an fp32 scale a block";
}

}  // namespace

void read_fp8(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  if (const auto activations = quantization.find("activation_scheme")) {
    const std::string text = activations->text();
    if (text != "dynamic" && text != "static") {
      activations->fail("unknown scheme '" + text + "'", {}, "dynamic or static");
    }
  }
  Scheme scheme = float8();
  if (const auto block = quantization.find("weight_block_size")) read_blocks(*block, scheme);
  weights.set_layers(weights.add(scheme));
  weights.keep_wide("modules_to_not_convert");
  weights.keep_wide("ignored_layers");
}

void read_fbgemm_fp8(Assignment& weights) {
  Scheme scheme = float8();
  scheme.name = "fp8-channel";
  scheme.shared_bits = scale_bits;
  scheme.source = "quantization_config, method fbgemm_fp8: an fp32 scale an output";
  weights.set_layers(weights.add(scheme));
  weights.keep_wide("modules_to_not_convert");
}

}  // namespace roofline::huggingface
