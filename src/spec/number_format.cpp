#include "roofline/number_format.hpp"

#include <algorithm>

#include "roofline/error.hpp"
#include "spec/json_node.hpp"

namespace roofline {

std::string_view to_string(MatrixType type) {
  switch (type) {
    case MatrixType::fp64:
      return "fp64";
    case MatrixType::fp32:
      return "fp32";
    case MatrixType::tf32:
      return "tf32";
    case MatrixType::bf16:
      return "bf16";
    case MatrixType::fp16:
      return "fp16";
    case MatrixType::fp8:
      return "fp8";
    case MatrixType::fp6:
      return "fp6";
    case MatrixType::fp4:
      return "fp4";
    case MatrixType::int8:
      return "int8";
    case MatrixType::int4:
      return "int4";
  }
  ensure(false, "unknown matrix type");
  return {};
}

// By mantissa and exponent bits: fp32 8+23, tf32 8+10, bf16 8+7, fp16 5+10, fp8 4+3 or 5+2,
// fp6 2+3 or 3+2, fp4 2+1. int8 needs 8 significant bits, int4 needs 4.
bool holds(MatrixType wider, MatrixType type) {
  using enum MatrixType;
  if (wider == type || wider == fp64) return true;
  switch (type) {
    case fp64:
    case fp32:
      return false;
    case tf32:
      return wider == fp32;
    case bf16:
    case fp16:
      return wider == fp32 || wider == tf32;
    case fp8:
      return holds(wider, bf16) || holds(wider, fp16);
    case fp6:
      return holds(wider, fp8);
    case fp4:
      return holds(wider, fp6);
    case int8:
      return holds(wider, bf16) || holds(wider, fp16);
    case int4:
      return wider == int8 || holds(wider, fp8);
  }
  return false;
}

std::string_view to_string(Part part) {
  switch (part) {
    case Part::embedding:
      return "embedding";
    case Part::lm_head:
      return "lm_head";
    case Part::mixer:
      return "mixer";
    case Part::mlp:
      return "mlp";
    case Part::shared_experts:
      return "shared experts";
    case Part::experts:
      return "experts";
    case Part::router:
      return "router";
    case Part::vectors:
      return "vectors";
  }
  ensure(false, "unknown part");
  return {};
}

std::string_view to_string(Coverage coverage) {
  switch (coverage) {
    case Coverage::layers:
      return "layers";
    case Coverage::matrices:
      return "matrices";
    case Coverage::everything:
      return "everything";
  }
  ensure(false, "unknown coverage");
  return {};
}

NumberFormat plain_format(MatrixType type) {
  const bool wide = type == MatrixType::fp32 || type == MatrixType::tf32;
  ensure(wide || type == MatrixType::bf16 || type == MatrixType::fp16, "no plain format");
  NumberFormat format;
  format.name = to_string(type);
  format.bits = wide ? 32 : 16;
  format.element = type;
  return format;
}

namespace {

/// [outputs, inputs].
void read_block(const JsonNode& block, NumberFormat& format) {
  constexpr std::int64_t most = 1'000'000;
  const std::vector<JsonNode> sides = block.elements();
  if (sides.size() != 2) block.fail("is not a number of outputs and one of inputs");
  format.block_outputs = sides[0].count(most);
  format.block_inputs = sides[1].count(most);
}

}  // namespace

NumberFormat read_number_format(std::string_view text, const std::string& file) {
  const JsonNode root = JsonNode::parse(text, file);
  root.only({"name", "aliases", "bits", "element", "rounds_activations", "activations", "kv",
             "covers", "block", "description", "source"});
  NumberFormat format;
  format.name = root.at("name").text();
  if (const auto aliases = root.find("aliases")) format.aliases = aliases->texts();
  format.bits = root.at("bits").positive();
  if (format.bits > 64) root.at("bits").fail("an element has at most 64 bits");
  const JsonNode element = root.at("element");
  const auto type = std::find_if(all_matrix_types.begin(), all_matrix_types.end(),
                                 [&](MatrixType t) { return to_string(t) == element.text(); });
  if (type == all_matrix_types.end()) element.fail("unknown matrix type '" + element.text() + "'");
  format.element = *type;
  if (const auto rounds = root.find("rounds_activations")) {
    format.rounds_activations = rounds->boolean();
  }
  if (const auto use = root.find("activations")) format.for_activations = use->boolean();
  if (const auto use = root.find("kv")) format.for_kv = use->boolean();
  const JsonNode covers = root.at("covers");
  if (covers.text() == "everything") {
    format.coverage = Coverage::everything;
  } else if (covers.text() == "matrices") {
    format.coverage = Coverage::matrices;
  } else if (covers.text() == "layers") {
    format.coverage = Coverage::layers;
  } else {
    covers.fail("unknown coverage '" + covers.text() + "'", {}, "layers, matrices or everything");
  }
  if (const auto block = root.find("block")) read_block(*block, format);
  if (const auto description = root.find("description")) format.description = description->text();
  if (const auto source = root.find("source")) format.source = source->text();
  return format;
}

}  // namespace roofline
