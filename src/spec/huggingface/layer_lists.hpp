// Keys that say something of each layer: lists with one entry a layer, and lists of layer numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/huggingface/config.hpp"

namespace roofline::huggingface {

/// A word for each layer, as a list with one entry a layer; none where absent.
[[nodiscard]] std::optional<std::vector<std::string>> read_layer_names(Config& config, Keys keys,
                                                                       std::int64_t layers);

/// A whole number for each layer, as a list with one entry a layer or as one for all of them; none
/// where absent.
[[nodiscard]] std::optional<std::vector<std::int64_t>> read_layer_counts(Config& config, Keys keys,
                                                                         std::int64_t layers,
                                                                         std::int64_t most,
                                                                         std::int64_t least = 1);

/// For each layer whether the list at `key` has its number; none where absent.
[[nodiscard]] std::optional<std::vector<bool>> read_layer_set(Config& config, std::string_view key,
                                                              std::int64_t layers);

/// Throws at `key` for a word that is none of `known`.
[[noreturn]] void fail_layer_type(Config& config, Keys keys, const std::string& name, Keys known);

}  // namespace roofline::huggingface
