// compressed-tensors: groups of modules, each with a number format for weights and activations.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

MatrixType element_of(const JsonNode& values, std::int64_t bits) {
  const std::string type = values.at("type").text();
  if (type == "float" && bits == 8) return MatrixType::fp8;
  if (type == "float" && bits == 4) return MatrixType::fp4;
  if (type == "int" && bits == 8) return MatrixType::int8;
  if (type == "int" && bits == 4) return MatrixType::int4;
  values.fail(fmt::format("unknown type '{}' of {} bits", type, bits), {},
              "float or int of 4 or 8 bits");
}

/// The strategy, or what the size of the groups says where it is absent.
std::string strategy_of(const JsonNode& weights) {
  if (const auto strategy = weights.find("strategy")) return strategy->text();
  const auto group = weights.find("group_size");
  if (!group) return "tensor";
  if (group->count(most_group_size, -1) < 0) return "channel";
  return weights.at("type").text() == "float" ? "tensor_group" : "group";
}

/// Bits of a scale: as it says, else 8 for 4-bit floats (nvfp4, mxfp4), else 16.
double scale_bits(const JsonNode& weights, bool small) {
  const auto type = weights.find("scale_dtype");
  if (!type) return small ? 8 : 16;
  const std::string text = type->text();
  constexpr std::array<std::string_view, 3> eight{"float8_e4m3fn", "float8_e8m0fnu", "uint8"};
  const auto is = [&](std::string_view name) { return text.find(name) != std::string::npos; };
  if (std::any_of(eight.begin(), eight.end(), is)) return 8;
  if (is("float32")) return 32;
  if (is("float16")) return 16;
  type->fail("unknown type of scales '" + text + "'", {}, std::string(use_headers));
}

/// "block_structure": [128, 128] or "128x128".
void read_block(const JsonNode& weights, Scheme& scheme) {
  const JsonNode block = weights.at("block_structure");
  if (block.is_string()) {
    if (block.text() != "128x128") block.fail("unknown block '" + block.text() + "'");
    scheme.block_outputs = 128;
    scheme.block_inputs = 128;
    return;
  }
  const std::vector<JsonNode> sides = block.elements();
  if (sides.size() != 2) block.fail("is not a height and a width");
  scheme.block_outputs = sides[0].count(most_group_size);
  scheme.block_inputs = sides[1].count(most_group_size);
}

void read_strategy(const JsonNode& weights, Scheme& scheme) {
  const std::string strategy = strategy_of(weights);
  const auto symmetric = weights.find("symmetric");
  const double zero_point = symmetric && !symmetric->boolean() ? scheme.element_bits : 0;
  const bool small = scheme.element == MatrixType::fp4;
  if (strategy == "tensor") return;
  if (strategy == "channel") {
    scheme.shared_bits = scale_bits(weights, false) + zero_point;
  } else if (strategy == "group" || strategy == "tensor_group") {
    scheme.block_inputs = weights.at("group_size").count(most_group_size);
    scheme.shared_bits = scale_bits(weights, small) + zero_point;
  } else if (strategy == "block") {
    read_block(weights, scheme);
    scheme.shared_bits = scale_bits(weights, false);
  } else {
    weights.at("strategy")
        .fail("unknown strategy '" + strategy + "'", {},
              "tensor, channel, group, block or tensor_group");
  }
}

/// Activations that are quantised too: the product runs in their type.
void read_activations(const JsonNode& group, Scheme& scheme) {
  const auto activations = group.find("input_activations");
  if (!activations) return;
  const std::int64_t bits = activations->at("num_bits").count(16);
  if (bits == 16) return;
  const MatrixType type = element_of(*activations, bits);
  if (!holds(type, scheme.element)) {
    activations->fail(fmt::format("{} activations cannot multiply {} weights", to_string(type),
                                  to_string(scheme.element)));
  }
  scheme.element = type;
  scheme.rounds_activations = true;
}

std::string name_of(const Scheme& scheme) {
  constexpr std::int64_t nvfp4_group = 16;
  constexpr std::int64_t mxfp4_group = 32;
  if (scheme.element == MatrixType::fp4 && scheme.block_inputs == nvfp4_group) return "nvfp4";
  if (scheme.element == MatrixType::fp4 && scheme.block_inputs == mxfp4_group) return "mxfp4";
  return std::string(to_string(scheme.element));
}

/// Layouts that keep each element in a byte of its own, however few bits it has.
bool in_whole_bytes(const JsonNode& quantization, const JsonNode& group) {
  const auto own = group.find("format");
  const auto format = own ? own : quantization.find("format");
  if (!format) return false;
  const std::string text = format->text();
  constexpr std::array<std::string_view, 4> bytes{"float-quantized", "int-quantized",
                                                  "mxfp8-quantized", "naive-quantized"};
  constexpr std::array<std::string_view, 5> packed{
      "dense", "mixed-precision", "mxfp4-pack-quantized", "nvfp4-pack-quantized", "pack-quantized"};
  if (std::find(bytes.begin(), bytes.end(), text) != bytes.end()) return true;
  if (std::find(packed.begin(), packed.end(), text) == packed.end()) {
    format->fail("unknown layout '" + text + "'",
                 fmt::format("read are: {}, {}", fmt::join(bytes, ", "), fmt::join(packed, ", ")),
                 std::string(use_headers));
  }
  return false;
}

Scheme read_scheme(const JsonNode& quantization, const JsonNode& group, const JsonNode& weights) {
  const std::int64_t bits = weights.at("num_bits").count(8);
  Scheme scheme;
  scheme.element = element_of(weights, bits);
  scheme.element_bits = in_whole_bytes(quantization, group) ? 8 : static_cast<double>(bits);
  read_strategy(weights, scheme);
  const std::string stored = name_of(scheme);
  read_activations(group, scheme);
  scheme.name = scheme.rounds_activations
                    ? fmt::format("{}-a-{}", stored, to_string(scheme.element))
                    : fmt::format("{}-a16", stored);
  scheme.source = "quantization_config, method compressed-tensors: scales by " +
                  strategy_of(weights) + (scheme.shared_bits == 0 ? ", which are not counted" : "");
  return scheme;
}

/// Refuses sparse files: how many of their elements are stored is not known.
void refuse_sparsity(const JsonNode& quantization) {
  const auto sparsity = quantization.find("sparsity_config");
  if (!sparsity) return;
  const auto format = sparsity->find("format");
  if (!format || format->text() == "dense") return;
  sparsity->fail("sparse tensors are not read", {}, std::string(use_headers));
}

/// The targets of all groups. A name goes before an expression, and that before "Linear".
struct Targets {
  std::vector<NameRule> names;
  std::vector<NameRule> expressions;
  std::vector<SchemeId> linear;
};

void read_targets(const JsonNode& group, SchemeId scheme, Targets& targets) {
  for (const JsonNode& target : group.at("targets").elements()) {
    const std::string text = target.text();
    if (text == "Linear") {
      targets.linear.push_back(scheme);
    } else if (text.substr(0, 3) == "re:") {
      targets.expressions.push_back({target, text, scheme, NameSyntax::entry});
    } else {
      targets.names.push_back({target, text, scheme, NameSyntax::entry});
    }
  }
}

void apply_names(Assignment& weights, const std::vector<NameRule>& names) {
  for (const NameRule& rule : names) {
    if (weights.set_name(rule.where, rule.text, rule.scheme)) continue;
    if (weights.modules().stays_wide(rule.text)) continue;
    rule.where.fail(fmt::format("unknown target '{}'", rule.text),
                    "it is neither Linear nor the name of a matrix", std::string(use_headers));
  }
}

}  // namespace

void read_compressed_tensors(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  refuse_sparsity(quantization);
  const JsonNode groups = quantization.at("config_groups");
  Targets targets;
  for (const JsonNode& group : groups.members()) {
    const auto values = group.find("weights");
    if (!values) continue;
    read_targets(group, weights.add(read_scheme(quantization, group, *values)), targets);
  }
  if (targets.linear.size() > 1) groups.fail("has several groups for Linear");
  for (const SchemeId scheme : targets.linear) {
    weights.set_layers(scheme);
    weights.set({Part::lm_head}, scheme);
  }
  weights.set_rules(groups, targets.expressions);
  apply_names(weights, targets.names);
  weights.keep_wide("ignore");
}

}  // namespace roofline::huggingface
