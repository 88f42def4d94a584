// mxfp4 (gpt-oss: experts alone) and MLX's groups, whose modules may differ by name.
#include <fmt/format.h>

#include <algorithm>

#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

constexpr double small_scale_bits = 8;

Scheme blocks(std::string name, MatrixType element, double bits, std::int64_t group) {
  Scheme scheme;
  scheme.name = std::move(name);
  scheme.element = element;
  scheme.element_bits = bits;
  scheme.shared_bits = small_scale_bits;
  scheme.block_inputs = group;
  return scheme;
}

/// A whole number of `settings`, else of `defaults`.
std::int64_t setting(const JsonNode& settings, const JsonNode& defaults, std::string_view key,
                     std::int64_t most) {
  const auto own = settings.find(key);
  return own ? own->count(most) : defaults.at(key).count(most);
}

Scheme read_mlx_scheme(const JsonNode& settings, const JsonNode& defaults) {
  const std::int64_t bits = setting(settings, defaults, "bits", 8);
  const std::int64_t group = setting(settings, defaults, "group_size", most_group_size);
  // A module that has settings of its own and no mode among them is affine.
  const auto own_mode = settings.find("mode");
  const std::string mode = own_mode ? own_mode->text() : "affine";
  if (mode == "affine") {
    constexpr double scale_and_bias = 32;
    const MatrixType element = bits <= 4 ? MatrixType::int4 : MatrixType::int8;
    Scheme scheme = blocks(fmt::format("mlx-int{}-g{}", bits, group), element,
                           static_cast<double>(bits), group);
    scheme.shared_bits = scale_and_bias;
    scheme.source = "quantization (MLX): a 16-bit scale and a 16-bit bias a group";
    return scheme;
  }
  const bool four = mode == "mxfp4" || mode == "nvfp4";
  if (!four && mode != "mxfp8") {
    own_mode->fail("unknown mode '" + mode + "'", {}, "affine, mxfp4, mxfp8 or nvfp4");
  }
  Scheme scheme =
      blocks("mlx-" + mode, four ? MatrixType::fp4 : MatrixType::fp8, four ? 4 : 8, group);
  scheme.source = "quantization (MLX): an 8-bit scale a group";
  return scheme;
}

}  // namespace

void read_mxfp4(Assignment& weights) {
  constexpr std::int64_t group = 32;
  const auto& kinds = weights.modules().kinds();
  const bool experts = std::any_of(kinds.begin(), kinds.end(), [](const MatrixKind& kind) {
    return kind.part == Part::experts;
  });
  if (!experts) {
    weights.quantization().fail("method mxfp4 quantises experts, and the model has none", {},
                                std::string(use_headers));
  }
  Scheme scheme = blocks("mxfp4", MatrixType::fp4, 4, group);
  scheme.source = "quantization_config, method mxfp4: an 8-bit scale for 32 weights of the experts";
  weights.set({Part::experts}, weights.add(scheme));
  weights.keep_wide("modules_to_not_convert");
}

void read_mlx(Assignment& weights) {
  const JsonNode& quantization = weights.quantization();
  const SchemeId scheme = weights.add(read_mlx_scheme(quantization, quantization));
  weights.set_layers(scheme);
  weights.set({Part::embedding, Part::lm_head, Part::router}, scheme);
  std::vector<std::string> unknown;
  for (const JsonNode& module : quantization.members()) {
    if (!module.is_object() && !module.is_boolean()) continue;
    const bool quantised = module.is_object() || module.boolean();
    const SchemeId own = module.is_object() ? weights.add(read_mlx_scheme(module, quantization))
                                            : (quantised ? scheme : wide);
    const bool found = weights.set_name(module, module.key(), own, NameSyntax::entry, true);
    if (!found && !weights.modules().stays_wide(module.key())) unknown.push_back(module.key());
  }
  weights.warn_of_unknown(quantization, unknown);
}

}  // namespace roofline::huggingface
