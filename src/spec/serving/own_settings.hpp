// The keys of a deployment in this project's own file that say how the engine is started. They are
// named as this program's flags and, where it has none, as vLLM's.
#pragma once

#include <array>
#include <string_view>

#include "roofline/serving_config.hpp"

namespace roofline {

/// True where the settings of a launch have this project's names: a surrounding says it.
[[nodiscard]] inline bool has_own_names(const Launch& launch) {
  return launch.find_surrounding("own-names") != nullptr;
}

/// Those that become surroundings.
inline constexpr std::array<std::string_view, 6> own_surrounding_names{
    "concurrency", "gpu", "gpus", "input-len", "output-len", "price"};
/// Those that are read beside them.
inline constexpr std::array<std::string_view, 6> own_other_names{
    "args", "command", "engine", "engine-version", "name", "require"};

/// Those that become settings, by name.
inline constexpr std::array<std::string_view, 22> own_setting_names{"attention-dp",
                                                                    "block-size",
                                                                    "chunked-prefill",
                                                                    "cpu-offload",
                                                                    "cuda-graphs",
                                                                    "dp",
                                                                    "draft-model",
                                                                    "dtype",
                                                                    "ep",
                                                                    "gpu-layers",
                                                                    "gpu-memory-utilization",
                                                                    "kv-cache-memory",
                                                                    "kv-cache-tokens",
                                                                    "kv-dtype",
                                                                    "max-model-len",
                                                                    "max-num-batched-tokens",
                                                                    "max-num-seqs",
                                                                    "model",
                                                                    "pp",
                                                                    "quantization",
                                                                    "tp",
                                                                    "weight-dtype"};

}  // namespace roofline
