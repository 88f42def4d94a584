#include "spec/huggingface/quantization.hpp"

#include <fmt/format.h>

#include <utility>

#include <algorithm>
#include <array>
#include <string>

#include "base/closest.hpp"
#include "spec/huggingface/quantization/methods.hpp"

namespace roofline::huggingface {
namespace {

struct Method {
  std::string_view name;
  void (*read)(Assignment& weights);
};

constexpr std::array methods{Method{"auto-round", read_auto_round},
                             Method{"awq", read_awq},
                             Method{"bitsandbytes", read_bitsandbytes},
                             Method{"compressed-tensors", read_compressed_tensors},
                             Method{"fbgemm_fp8", read_fbgemm_fp8},
                             Method{"fp8", read_fp8},
                             Method{"gptq", read_gptq},
                             Method{"intel/auto-round", read_auto_round},
                             Method{"modelopt", read_modelopt},
                             Method{"modelopt_fp4", read_modelopt},
                             Method{"modelopt_mixed", read_modelopt},
                             Method{"mxfp4", read_mxfp4}};

const Method& find_method(const JsonNode& node) {
  const std::string name = node.text();
  std::vector<std::string> known;
  for (const Method& method : methods) {
    if (method.name == name) return method;
    known.emplace_back(method.name);
  }
  node.fail(fmt::format("unknown quantisation method '{}'", name),
            fmt::format("read are: {}", fmt::join(known, ", ")),
            "remove quantization_config and use --weight-dtype", closest(name, known));
}

NumberFormat cache_format(std::string name, MatrixType element, double bits) {
  NumberFormat format;
  format.name = std::move(name);
  format.bits = bits;
  format.element = element;
  format.coverage = Coverage::layers;
  return format;
}

NumberFormat fp8_cache() {
  return cache_format("fp8", MatrixType::fp8, 8);
}

NumberFormat nvfp4_cache() {
  return cache_format("nvfp4", MatrixType::fp4, 4 + 8.0 / 16);
}

/// The K/V cache's scheme, which several methods write alike.
void read_cache_scheme(const JsonNode& quantization, Model& model) {
  const auto scheme = quantization.find("kv_cache_scheme");
  if (!scheme) return;
  if (scheme->is_string()) {
    const std::string kind = scheme->text();
    if (kind != "static" && kind != "dynamic") {
      scheme->fail(fmt::format("unknown K/V cache scheme '{}'", kind), {}, "static or dynamic");
    }
    model.kv_format = fp8_cache();
    return;
  }
  const std::int64_t bits = scheme->at("num_bits").count(16);
  const bool floats = scheme->at("type").text() == "float";
  const auto group = scheme->find("group_size");
  if (floats && bits == 8) {
    model.kv_format = fp8_cache();
  } else if (floats && bits == 4 && group && group->count(most_group_size) == 16) {
    model.kv_format = nvfp4_cache();
  } else {
    scheme->fail("unknown K/V cache scheme", {},
                 "8 bits of type float, or 4 with a group_size of 16");
  }
}

/// The K/V cache's algorithm as modelopt writes it.
void read_cache_algorithm(const JsonNode& quantization, Model& model) {
  const auto algorithm = quantization.find("kv_cache_quant_algo");
  if (!algorithm) return;
  const std::string name = algorithm->text();
  if (name == "FP8") {
    model.kv_format = fp8_cache();
  } else if (name == "NVFP4") {
    model.kv_format = nvfp4_cache();
  } else if (name != "NONE" && name != "none") {
    algorithm->fail("unknown K/V cache algorithm '" + name + "'", {}, "FP8 or NVFP4");
  }
}

bool is_mlx(const JsonNode& quantization) {
  return quantization.is_object() && !quantization.find("quant_method") &&
         quantization.find("bits") && quantization.find("group_size");
}

/// Old files name no method where it is bitsandbytes.
bool is_unnamed_bitsandbytes(const JsonNode& quantization) {
  return !quantization.find("quant_method") &&
         quantization.find_any({"load_in_4bit", "load_in_8bit", "_load_in_4bit", "_load_in_8bit"});
}

void read_with(void (*read)(Assignment&), const JsonNode& quantization, std::string_view origin,
               Model& model) {
  Assignment weights(model, quantization);
  read(weights);
  weights.finish(model, origin);
}

}  // namespace

void read_quantization(Config& config, Model& model) {
  const auto quantization = config.find({"quantization_config", "compression_config"});
  const auto mlx = config.find("quantization");
  if (mlx && is_mlx(*mlx)) return read_with(read_mlx, *mlx, "quantization", model);
  if (mlx) mlx->fail("is not known", "MLX's has bits and group_size", std::string(use_headers));
  if (!quantization) return;
  if (is_mlx(*quantization)) {
    return read_with(read_mlx, *quantization, "quantization_config", model);
  }
  read_cache_scheme(*quantization, model);
  read_cache_algorithm(*quantization, model);
  if (is_unnamed_bitsandbytes(*quantization)) {
    return read_with(read_bitsandbytes, *quantization, "quantization_config", model);
  }
  const Method& method = find_method(quantization->at("quant_method"));
  read_with(method.read, *quantization, "quantization_config", model);
}

void read_quantization_file(const JsonNode& root, Model& model) {
  const JsonNode quantization = root.at("quantization");
  Model read = model;
  read.stored.reset();
  if (!model.kv_format) read_cache_algorithm(quantization, read);
  read_with(read_modelopt, quantization, "hf_quant_config.json", read);
  if (model.stored && (!read.stored || model.stored->name == read.stored->name)) {
    read.stored = model.stored;
  } else if (model.stored) {
    read.warnings.push_back(
        fmt::format("hf_quant_config.json says {}, config.json says {}: the first is taken",
                    read.stored->name, model.stored->name));
  }
  model = std::move(read);
}

}  // namespace roofline::huggingface
