// The keys of a deployment in this project's own file that say how the engine is started. They are
// named as this program's flags and, where it has none, as vLLM's.
#pragma once

#include <array>
#include <string_view>

namespace roofline {

/// Settings of Launch::settings where Launch::surroundings has "own-names", by name. The others are
/// surroundings: gpu, gpus, input-len, output-len, concurrency, price, require.
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
