#include "spec/huggingface/quantization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/closest.hpp"

namespace roofline::huggingface {
namespace {

constexpr double scale_bits = 16;  // fp16 or bf16 scales

/// True for a list that leaves out only what the format leaves out anyway.
bool only_wide_modules(const JsonNode& modules) {
  const std::vector<std::string> names = modules.texts();
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    constexpr std::array<std::string_view, 4> wide{"lm_head", "embed", "norm", "wte"};
    return std::any_of(wide.begin(), wide.end(),
                       [&](std::string_view part) { return name.find(part) != std::string::npos; });
  });
}

[[noreturn]] void refuse_partial(const JsonNode& node, const std::string& what) {
  node.fail(what, "a checkpoint that is quantised in part cannot be sized from its config");
}

/// Refuses a list of modules to leave out that names more than what is left out anyway.
void require_wide_modules(const JsonNode& quantization, std::string_view key) {
  const auto modules = quantization.find(key);
  if (modules && !only_wide_modules(*modules)) {
    refuse_partial(*modules, "names matrices inside the layers");
  }
}

double group_elements(const JsonNode& quantization, std::string_view key) {
  const JsonNode group = quantization.at(key);
  constexpr std::int64_t whole_column = -1;
  const std::int64_t size = group.count(1'000'000, whole_column);
  if (size == 0) group.fail("0 is out of range", "it is -1 or a number of weights");
  return static_cast<double>(size);
}

/// GPTQ and AWQ: integers in groups that share a scale and a packed zero point.
NumberFormat read_grouped_integers(const JsonNode& quantization, std::string_view method) {
  const auto bits = static_cast<double>(quantization.at_any({"bits", "w_bit"}).count(8, 2));
  const double group = group_elements(
      quantization, quantization.find("q_group_size") ? "q_group_size" : "group_size");
  NumberFormat format;
  format.element = bits <= 4 ? MatrixType::int4 : MatrixType::int8;
  format.bits = group < 0 ? bits : bits + (scale_bits + bits) / group;
  format.name = group < 0 ? fmt::format("{}-int{}", method, bits)
                          : fmt::format("{}-int{}-g{}", method, bits, group);
  format.coverage = Coverage::layers;
  format.source =
      fmt::format("quantization_config, method {}: a 16-bit scale and a {}-bit zero point a group",
                  method, bits);
  return format;
}

/// Keys that make a checkpoint's layers differ.
void refuse_keys(const JsonNode& quantization, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const auto found = quantization.find(key)) {
      refuse_partial(*found, "treats matrices differently");
    }
  }
}

NumberFormat read_gptq(const JsonNode& quantization) {
  refuse_keys(quantization, {"modules_in_block_to_quantize", "dynamic"});
  require_wide_modules(quantization, "modules_to_not_convert");
  NumberFormat format = read_grouped_integers(quantization, "gptq");
  const auto lm_head = quantization.find("lm_head");
  if (lm_head && lm_head->boolean()) format.coverage = Coverage::layers_and_lm_head;
  return format;
}

NumberFormat read_awq(const JsonNode& quantization) {
  require_wide_modules(quantization, "modules_to_not_convert");
  return read_grouped_integers(quantization, "awq");
}

NumberFormat read_fp8(const JsonNode& quantization) {
  require_wide_modules(quantization, "modules_to_not_convert");
  require_wide_modules(quantization, "ignored_layers");
  NumberFormat format;
  format.name = "fp8";
  format.bits = 8;
  format.element = MatrixType::fp8;
  format.coverage = Coverage::layers;
  format.rounds_activations = true;
  format.source = "quantization_config, method fp8: one scale a tensor, not counted";
  if (const auto block = quantization.find("weight_block_size")) {
    const std::vector<JsonNode> sides = block->elements();
    if (sides.size() != 2) block->fail("is not a height and a width");
    const double elements = static_cast<double>(sides[0].count(1'000'000)) *
                            static_cast<double>(sides[1].count(1'000'000));
    format.bits += 32 / elements;
    format.name = "fp8-block";
    format.source = "quantization_config, method fp8: an fp32 scale a block";
  }
  return format;
}

NumberFormat read_bitsandbytes(const JsonNode& quantization) {
  require_wide_modules(quantization, "llm_int8_skip_modules");
  NumberFormat format;
  format.coverage = Coverage::layers;
  format.source = "quantization_config, method bitsandbytes";
  const auto eight_bits = quantization.find("load_in_8bit");
  const auto four_bits = quantization.find("load_in_4bit");
  const bool is_eight = eight_bits && eight_bits->boolean();
  const bool is_four = four_bits && four_bits->boolean();
  if (is_eight == is_four) quantization.fail("needs one of load_in_4bit and load_in_8bit");
  if (is_eight) {
    format.name = "bnb-int8";
    format.bits = 8;
    format.element = MatrixType::int8;
    format.rounds_activations = true;
    return format;
  }
  const auto twice = quantization.find("bnb_4bit_use_double_quant");
  const bool double_quantized = twice && twice->boolean();
  const std::string type = quantization.at("bnb_4bit_quant_type").text();
  if (type != "nf4" && type != "fp4") {
    quantization.at("bnb_4bit_quant_type").fail("unknown type '" + type + "'", {}, "nf4 or fp4");
  }
  format.name = double_quantized ? type + "-double" : type;
  // 64 weights share an fp32 scale; double: an 8-bit one, and 256 of those an fp32 scale.
  format.bits = double_quantized ? 4 + 8.0 / 64 + 32.0 / (64 * 256) : 4 + 32.0 / 64;
  format.element = MatrixType::bf16;
  return format;
}

double compressed_scale_bits(const JsonNode& weights, double bits) {
  const std::string strategy = weights.at("strategy").text();
  if (strategy == "tensor" || strategy == "channel") return 0;
  if (strategy == "group") {
    const auto symmetric = weights.find("symmetric");
    const double zero_point = symmetric && !symmetric->boolean() ? bits : 0;
    return (scale_bits + zero_point) /
           static_cast<double>(weights.at("group_size").count(1'000'000));
  }
  if (strategy == "tensor_group") {
    return 8 / static_cast<double>(weights.at("group_size").count(1'000'000));
  }
  weights.at("strategy")
      .fail("unknown strategy '" + strategy + "'", {}, "tensor, channel, group or tensor_group");
}

MatrixType compressed_element(const JsonNode& weights, std::int64_t bits) {
  const std::string type = weights.at("type").text();
  if (type == "float" && bits == 8) return MatrixType::fp8;
  if (type == "float" && bits == 4) return MatrixType::fp4;
  if (type == "int" && bits == 8) return MatrixType::int8;
  if (type == "int" && bits == 4) return MatrixType::int4;
  weights.fail(fmt::format("unknown type '{}' of {} bits", type, bits), {},
               "float or int of 4 or 8 bits");
}

/// Activations that are quantised too: the product runs in their type.
void read_compressed_activations(const JsonNode& group, NumberFormat& format) {
  const auto activations = group.find("input_activations");
  if (!activations) return;
  const std::int64_t bits = activations->at("num_bits").count(16);
  const MatrixType type = compressed_element(*activations, bits);
  if (!holds(type, format.element)) {
    activations->fail(fmt::format("{} activations cannot multiply {} weights", to_string(type),
                                  to_string(format.element)));
  }
  format.element = type;
  format.rounds_activations = true;
}

NumberFormat read_compressed_tensors(const JsonNode& quantization) {
  refuse_keys(quantization, {"sparsity_config"});
  const std::vector<JsonNode> groups = quantization.at("config_groups").members();
  if (groups.size() != 1) {
    refuse_partial(quantization.at("config_groups"), "has more than one group");
  }
  const JsonNode& group = groups.front();
  if (group.at("targets").texts() != std::vector<std::string>{"Linear"}) {
    refuse_partial(group.at("targets"), "has targets other than Linear");
  }
  require_wide_modules(quantization, "ignore");
  const JsonNode weights = group.at("weights");
  const std::int64_t bits = weights.at("num_bits").count(8);
  NumberFormat format;
  format.element = compressed_element(weights, bits);
  format.bits =
      static_cast<double>(bits) + compressed_scale_bits(weights, static_cast<double>(bits));
  const std::string stored(to_string(format.element));
  read_compressed_activations(group, format);
  format.name = format.rounds_activations
                    ? fmt::format("{}-a-{}", stored, to_string(format.element))
                    : fmt::format("{}-a16", stored);
  bool keeps_lm_head = false;
  if (const auto ignore = quantization.find("ignore")) {
    for (const std::string& name : ignore->texts()) {
      keeps_lm_head = keeps_lm_head || name.find("lm_head") != std::string::npos;
    }
  }
  format.coverage = keeps_lm_head ? Coverage::layers : Coverage::layers_and_lm_head;
  format.source = "quantization_config, method compressed-tensors";
  return format;
}

/// The K/V cache's scheme, which several methods write alike.
void read_cache_scheme(const JsonNode& quantization, Model& model) {
  const auto scheme = quantization.find("kv_cache_scheme");
  if (!scheme) return;
  if (scheme->at("num_bits").count(16) != 8 || scheme->at("type").text() != "float") {
    scheme->fail("unknown K/V cache scheme", {}, "8 bits of type float");
  }
  NumberFormat kv;
  kv.name = "fp8";
  kv.bits = 8;
  kv.element = MatrixType::fp8;
  kv.coverage = Coverage::layers;
  model.kv_format = kv;
}

}  // namespace

void read_quantization(const JsonNode& config, Model& model) {
  const auto quantization = config.find("quantization_config");
  if (!quantization) return;
  read_cache_scheme(*quantization, model);
  const JsonNode method_node = quantization->at("quant_method");
  const std::string method = method_node.text();
  if (method == "gptq") {
    model.quantization = read_gptq(*quantization);
  } else if (method == "awq") {
    model.quantization = read_awq(*quantization);
  } else if (method == "fp8") {
    model.quantization = read_fp8(*quantization);
  } else if (method == "bitsandbytes") {
    model.quantization = read_bitsandbytes(*quantization);
  } else if (method == "compressed-tensors") {
    model.quantization = read_compressed_tensors(*quantization);
  } else {
    const std::vector<std::string> known{"awq", "bitsandbytes", "compressed-tensors", "fp8",
                                         "gptq"};
    method_node.fail(fmt::format("unknown quantisation method '{}'", method),
                     fmt::format("read are: {}", fmt::join(known, ", ")),
                     "remove quantization_config and use --weight-dtype", closest(method, known));
  }
}

}  // namespace roofline::huggingface
