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

void refuse_partial(const JsonNode& quantization, std::string_view key) {
  const auto modules = quantization.find(key);
  if (modules && !only_wide_modules(*modules)) {
    modules->fail("names matrices inside the layers",
                  "a checkpoint that is quantised in part cannot be sized from its config");
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

NumberFormat read_gptq(const JsonNode& quantization) {
  NumberFormat format = read_grouped_integers(quantization, "gptq");
  const auto lm_head = quantization.find("lm_head");
  if (lm_head && lm_head->boolean()) format.coverage = Coverage::layers_and_lm_head;
  return format;
}

NumberFormat read_awq(const JsonNode& quantization) {
  refuse_partial(quantization, "modules_to_not_convert");
  return read_grouped_integers(quantization, "awq");
}

NumberFormat read_fp8(const JsonNode& quantization) {
  refuse_partial(quantization, "modules_to_not_convert");
  refuse_partial(quantization, "ignored_layers");
  NumberFormat format;
  format.name = "fp8";
  format.bits = 8;
  format.element = MatrixType::fp8;
  format.coverage = Coverage::layers;
  format.rounds_activations = true;
  format.source = "quantization_config, method fp8: one scale a tensor, not counted";
  if (const auto block = quantization.find("weight_block_size")) {
    double elements = 1;
    for (const JsonNode& side : block->children()) {
      elements *= static_cast<double>(side.count(1'000'000));
    }
    format.bits += 32 / elements;
    format.name = "fp8-block";
    format.source = "quantization_config, method fp8: an fp32 scale a block";
  }
  return format;
}

NumberFormat read_bitsandbytes(const JsonNode& quantization) {
  refuse_partial(quantization, "llm_int8_skip_modules");
  NumberFormat format;
  format.coverage = Coverage::layers;
  format.source = "quantization_config, method bitsandbytes";
  if (quantization.find("load_in_8bit") && quantization.at("load_in_8bit").boolean()) {
    format.name = "bnb-int8";
    format.bits = 8;
    format.element = MatrixType::int8;
    format.rounds_activations = true;
    return format;
  }
  const auto four_bits = quantization.find("load_in_4bit");
  if (!four_bits || !four_bits->boolean()) {
    quantization.fail("neither load_in_4bit nor load_in_8bit is true");
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

NumberFormat read_compressed_tensors(const JsonNode& quantization, Model& model) {
  const std::vector<JsonNode> groups = quantization.at("config_groups").children();
  if (groups.size() != 1) {
    quantization.at("config_groups")
        .fail("has more than one group",
              "a checkpoint that is quantised in part cannot be sized from its config");
  }
  const JsonNode& group = groups.front();
  if (group.at("targets").texts() != std::vector<std::string>{"Linear"}) {
    group.at("targets").fail("has targets other than Linear",
                             "a checkpoint that is quantised in part cannot be sized from its "
                             "config");
  }
  refuse_partial(quantization, "ignore");
  const JsonNode weights = group.at("weights");
  const std::int64_t bits = weights.at("num_bits").count(8);
  NumberFormat format;
  format.element = compressed_element(weights, bits);
  format.bits =
      static_cast<double>(bits) + compressed_scale_bits(weights, static_cast<double>(bits));
  format.rounds_activations = group.find("input_activations").has_value();
  format.name = fmt::format("w{}a{}-{}", bits, format.rounds_activations ? bits : 16,
                            to_string(format.element));
  bool keeps_lm_head = false;
  if (const auto ignore = quantization.find("ignore")) {
    for (const std::string& name : ignore->texts()) {
      keeps_lm_head = keeps_lm_head || name.find("lm_head") != std::string::npos;
    }
  }
  format.coverage = keeps_lm_head ? Coverage::layers : Coverage::layers_and_lm_head;
  format.source = "quantization_config, method compressed-tensors";
  if (const auto scheme = quantization.find("kv_cache_scheme")) {
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
  return format;
}

}  // namespace

void read_quantization(const JsonNode& config, Model& model) {
  const auto quantization = config.find("quantization_config");
  if (!quantization) return;
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
    model.quantization = read_compressed_tensors(*quantization, model);
  } else {
    const std::vector<std::string> known{"awq", "bitsandbytes", "compressed-tensors", "fp8",
                                         "gptq"};
    method_node.fail(fmt::format("unknown quantisation method '{}'", method),
                     fmt::format("read are: {}", fmt::join(known, ", ")),
                     "remove quantization_config and use --weight-dtype", closest(method, known));
  }
}

}  // namespace roofline::huggingface
