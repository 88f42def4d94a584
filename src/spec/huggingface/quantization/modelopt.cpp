// NVIDIA Model Optimizer: one algorithm for all, or one by module.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/closest.hpp"
#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

/// What an algorithm stores, and the type that its products run in.
struct Algorithm {
  std::string_view name;
  std::string_view format;
  MatrixType element;
  bool rounds;
  double bits;
  double shared_bits;
  std::int64_t block_outputs;
  std::int64_t block_inputs;  ///< unless group_size says otherwise; 0: all
  double input_bits;          ///< a smoothing factor an input
};

constexpr std::array algorithms{
    Algorithm{"FP8", "fp8", MatrixType::fp8, true, 8, 0, 0, 0, 0},
    Algorithm{"FP8_PB_WO", "fp8-block", MatrixType::fp8, true, 8, 32, 128, 128, 0},
    Algorithm{"FP8_PER_CHANNEL_PER_TOKEN", "fp8-channel", MatrixType::fp8, true, 8, 32, 1, 0, 0},
    Algorithm{"MXFP8", "mxfp8", MatrixType::fp8, true, 8, 8, 1, 32, 0},
    Algorithm{"NVFP4", "nvfp4", MatrixType::fp4, true, 4, 8, 1, 16, 0},
    Algorithm{"NVFP4_AWQ", "nvfp4-awq", MatrixType::fp4, true, 4, 8, 1, 16, 16},
    Algorithm{"W4A16_AWQ", "int4-awq-a16", MatrixType::int4, false, 4, 16, 1, 128, 16},
    Algorithm{"W4A16_NVFP4", "nvfp4-a16", MatrixType::fp4, false, 4, 8, 1, 16, 0},
    Algorithm{"W4A8_AWQ", "int4-awq-a-fp8", MatrixType::fp8, true, 4, 16, 1, 128, 16},
    Algorithm{"W4A8_MXFP4_FP8", "mxfp4-a-fp8", MatrixType::fp8, true, 4, 8, 1, 32, 0},
    Algorithm{"W4A8_NVFP4_FP8", "nvfp4-a-fp8", MatrixType::fp8, true, 4, 8, 1, 32, 0},
    Algorithm{"W8A16", "int8-a16", MatrixType::int8, false, 8, 16, 1, 0, 0},
    Algorithm{"W8A8_SQ_PER_CHANNEL", "int8-a-int8", MatrixType::int8, true, 8, 32, 1, 0, 16}};

const Algorithm& find_algorithm(const JsonNode& node) {
  std::string name = node.text();
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::vector<std::string> known;
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.name == name) return algorithm;
    known.emplace_back(algorithm.name);
  }
  node.fail(fmt::format("unknown algorithm '{}'", name),
            fmt::format("read are: MIXED_PRECISION, {}", fmt::join(known, ", ")),
            std::string(use_headers), closest(name, known));
}

/// `settings` name the algorithm, and the size of its groups where it has groups.
Scheme read_scheme(const JsonNode& settings) {
  const JsonNode node = settings.at("quant_algo");
  const Algorithm& algorithm = find_algorithm(node);
  Scheme scheme;
  scheme.name = algorithm.format;
  scheme.element = algorithm.element;
  scheme.rounds_activations = algorithm.rounds;
  scheme.element_bits = algorithm.bits;
  scheme.shared_bits = algorithm.shared_bits;
  scheme.block_outputs = algorithm.block_outputs;
  scheme.block_inputs = algorithm.block_inputs;
  scheme.input_bits = algorithm.input_bits;
  scheme.source =
      fmt::format("modelopt, algorithm {}: scales of tensors are not counted", algorithm.name);
  const bool grouped = algorithm.block_outputs == 1 && algorithm.block_inputs > 0;
  const auto group = settings.find("group_size");
  if (grouped && group) scheme.block_inputs = group->count(most_group_size);
  return scheme;
}

bool is_mixed(const JsonNode& quantization) {
  const auto algorithm = quantization.find("quant_algo");
  return algorithm && algorithm->text() == "MIXED_PRECISION";
}

/// Modules that are not listed stay wide.
void read_modules(Assignment& weights) {
  const JsonNode modules = weights.quantization().at("quantized_layers");
  std::vector<std::string> unknown;
  for (const JsonNode& module : modules.members()) {
    const SchemeId scheme = weights.add(read_scheme(module));
    const bool found = weights.set_name(module, module.key(), scheme, NameSyntax::entry, true);
    if (!found && !weights.modules().stays_wide(module.key())) unknown.push_back(module.key());
  }
  weights.warn_of_unknown(modules, unknown);
  weights.collect_experts();
}

}  // namespace

void read_modelopt(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  if (is_mixed(quantization)) {
    read_modules(weights);
  } else if (quantization.find("quant_algo")) {
    weights.set_layers(weights.add(read_scheme(quantization)));
  } else if (quantization.find("config_groups")) {
    return read_compressed_tensors(weights);
  }
  weights.keep_wide("exclude_modules");
  weights.keep_wide("ignore");
}

}  // namespace roofline::huggingface
