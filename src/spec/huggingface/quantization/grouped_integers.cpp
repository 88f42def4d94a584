// GPTQ, AWQ and AutoRound: integers in groups along the inputs, each with a 16-bit scale and a
// packed zero point (stored even where the values are symmetric).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

constexpr double scale_bits = 16;

/// Elements that share a scale; 0: all inputs of an output (-1 in the file).
std::int64_t group_size(const JsonNode& group) {
  constexpr std::int64_t all_inputs = -1;
  const std::int64_t size = group.count(most_group_size, all_inputs);
  if (size == 0) group.fail("0 is out of range", "it is -1 or a number of weights");
  return size == all_inputs ? 0 : size;
}

Scheme integers(std::string_view method, std::int64_t bits, std::int64_t group) {
  const auto width = static_cast<double>(bits);
  Scheme scheme;
  scheme.name = group == 0 ? fmt::format("{}-int{}", method, bits)
                           : fmt::format("{}-int{}-g{}", method, bits, group);
  scheme.element = bits <= 4 ? MatrixType::int4 : MatrixType::int8;
  scheme.element_bits = width;
  scheme.shared_bits = scale_bits + width;
  scheme.block_inputs = group;
  scheme.source =
      fmt::format("quantization_config, method {}: a 16-bit scale and a {}-bit zero point a group",
                  method, bits);
  return scheme;
}

/// `settings` override what `defaults` say.
Scheme read_integers(std::string_view method, const JsonNode& settings, const JsonNode& defaults) {
  const auto own_bits = settings.find_any({"bits", "w_bit"});
  const JsonNode bits = own_bits ? *own_bits : defaults.at_any({"bits", "w_bit"});
  const auto own_group = settings.find_any({"q_group_size", "group_size"});
  const JsonNode group = own_group ? *own_group : defaults.at_any({"group_size", "q_group_size"});
  return integers(method, bits.count(8, 2), group_size(group));
}

bool is_true(const JsonNode& settings, std::string_view key) {
  const auto found = settings.find(key);
  return found && found->boolean();
}

void require_one_of(const JsonNode& node, std::initializer_list<std::string_view> known) {
  std::string text = node.text();
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (std::find(known.begin(), known.end(), text) != known.end()) return;
  node.fail(fmt::format("unknown layout '{}'", text),
            fmt::format("read are: {}", fmt::join(known, ", ")), std::string(use_headers));
}

Scheme read_gptq_scheme(const JsonNode& settings, const JsonNode& defaults) {
  Scheme scheme = read_integers("gptq", settings, defaults);
  const auto format = defaults.find("checkpoint_format");
  if (format) require_one_of(*format, {"gptq", "gptq_v2", "marlin"});
  if (is_true(defaults, "is_marlin_format") || (format && format->text() == "marlin")) {
    scheme.shared_bits = scale_bits;
    scheme.source = "quantization_config, method gptq in Marlin's layout: a 16-bit scale a group";
    return scheme;
  }
  const bool ordered =
      settings.find("desc_act") ? is_true(settings, "desc_act") : is_true(defaults, "desc_act");
  constexpr double index_bits = 32;
  if (ordered) scheme.input_bits = index_bits;
  scheme.source += ordered ? ", a 32-bit group number (g_idx) an input"
                           : "; g_idx, which is not read without desc_act, is not counted";
  return scheme;
}

/// GPTQModel's rules by module: "-:" leaves out, "+:" or nothing overrides.
void read_dynamic(Assignment& weights, const JsonNode& dynamic) {
  std::vector<NameRule> rules;
  for (const JsonNode& rule : dynamic.members()) {
    const std::string& key = rule.key();
    const std::string mark = key.substr(0, 2);
    const bool marked = mark == "-:" || mark == "+:";
    const SchemeId scheme =
        mark == "-:" ? wide : weights.add(read_gptq_scheme(rule, weights.quantization()));
    rules.push_back({rule, marked ? key.substr(2) : key, scheme, NameSyntax::expression});
  }
  weights.set_rules(dynamic, rules);
}

/// Lists of lists of modules: what is in none of them stays wide.
void read_block_modules(Assignment& weights, const JsonNode& blocks, SchemeId scheme) {
  weights.set_layers(wide);
  for (const JsonNode& block : blocks.elements()) {
    if (block.is_array()) {
      weights.set_named(block, scheme);
    } else {
      weights.set_named(blocks, scheme);
      return;
    }
  }
}

/// A module of extra_config: its own bits, 16 or more of which are none.
SchemeId read_exception(Assignment& weights, const JsonNode& settings) {
  constexpr std::int64_t most_bits = 32;
  const auto bits = settings.find("bits");
  if (bits && bits->count(most_bits, 2) >= 16) return wide;
  return weights.add(read_integers("auto-round", settings, weights.quantization()));
}

bool is_expression(std::string_view key) {
  return key.find_first_of("*+?^$[]()|\\") != std::string_view::npos;
}

void read_exceptions(Assignment& weights) {
  const auto exceptions = weights.quantization().find("extra_config");
  if (!exceptions) return;
  std::vector<std::string> unknown;
  for (const JsonNode& exception : exceptions->members()) {
    const std::string& key = exception.key();
    const NameSyntax syntax = is_expression(key) ? NameSyntax::expression : NameSyntax::entry;
    const SchemeId scheme = read_exception(weights, exception);
    const bool found = weights.set_name(exception, key, scheme, syntax);
    if (!found && !weights.modules().stays_wide(key)) unknown.push_back(key);
  }
  weights.warn_of_unknown(*exceptions, unknown);
}

/// Blocks that are quantised: the decoder's layers, perhaps a tower's too.
void require_decoder_blocks(const JsonNode& quantization) {
  const auto blocks = quantization.find("block_name_to_quantize");
  if (!blocks) return;
  const std::string text =
      blocks->is_string() ? blocks->text() : fmt::format("{}", fmt::join(blocks->texts(), ","));
  for (const std::string_view name :
       {"model.layers", "language_model.layers", "transformer.h", "transformer.blocks",
        "encoder.layers", "gpt_neox.layers", "backbone.layers", "decoder.layers"}) {
    if (text.find(name) != std::string::npos) return;
  }
  blocks->fail("names no layers of the decoder", {}, std::string(use_headers));
}

}  // namespace

void read_gptq(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  const SchemeId scheme = weights.add(read_gptq_scheme(quantization, quantization));
  weights.set_layers(scheme);
  const auto lm_head = quantization.find("lm_head");
  if (lm_head && lm_head->boolean()) weights.set_lm_head(*lm_head, scheme);
  if (const auto blocks = quantization.find("modules_in_block_to_quantize")) {
    read_block_modules(weights, *blocks, scheme);
  }
  if (const auto dynamic = quantization.find("dynamic")) read_dynamic(weights, *dynamic);
  weights.keep_wide("modules_to_not_convert");
}

void read_awq(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  if (const auto version = quantization.find("version")) {
    require_one_of(*version, {"exllama", "gemm", "gemv", "gemv_fast", "ipex", "llm-awq", "marlin"});
  }
  weights.set_layers(weights.add(read_integers("awq", quantization, quantization)));
  weights.keep_wide("modules_to_not_convert");
}

void read_auto_round(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  if (const auto packing = quantization.find_any({"packing_format", "backend"})) {
    const std::string text = packing->text();
    const bool known = text == "auto_round" || text == "auto" ||
                       text.find("gptq") != std::string::npos ||
                       text.find("awq") != std::string::npos;
    if (!known) packing->fail("unknown layout '" + text + "'", {}, std::string(use_headers));
  }
  if (const auto type = quantization.find("data_type")) require_one_of(*type, {"int"});
  for (const std::string_view key : {"super_bits", "super_group_size"}) {
    const auto found = quantization.find(key);
    if (found) found->fail("scales of scales are not read", {}, std::string(use_headers));
  }
  const auto activations = quantization.find("act_bits");
  if (activations && activations->count(32) < 16) {
    activations->fail("quantised activations are not read with method auto-round");
  }
  require_decoder_blocks(quantization);
  weights.set_layers(weights.add(read_integers("auto-round", quantization, quantization)));
  read_exceptions(weights);
  weights.keep_wide("modules_to_not_convert");
}

}  // namespace roofline::huggingface
