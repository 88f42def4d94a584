// A small server whose figures can be reckoned by hand, for the tests of serving.
//
// Two layers, h 64, 4 heads and 2 K/V heads of 16, gated MLP of 128, vocabulary 100, 16 bits:
//   a layer's matrices have 64 x 128 + 64 x 64 + 3 x 64 x 128 = 36,864 elements
//   with lm_head 2 x 36,864 + 6,400 = 80,128 elements are read: 160,256 bytes
//   K/V 2 layers x 2 x 2 x 16 elements x 2 bytes = 256 bytes a token
//   attention 2 layers x 4 x 64 = 512 FLOP a pair
#pragma once

#include <cstdint>

#include "roofline/deployment.hpp"
#include "roofline/serve.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {

inline constexpr double small_bandwidth = 1e7;  ///< bytes a second
inline constexpr double small_peak = 1e9;       ///< FLOP a second

/// 100 prompt and 21 output tokens: decode steps are at context 110.
inline constexpr RequestShape small_shape{.prompt = 100, .output = 21};

/// A budget of 350 tokens holds 3 prompts in a prefill step.
inline Server small_server(const Deployment& deployment = {}) {
  Server server;
  server.model = some_model();
  server.model.name = "small";
  server.model.published_format = plain_format(MatrixType::bf16);
  server.device = device_with({{"bf16", small_peak}});
  server.device.bandwidth = BytesPerSecond(small_bandwidth);
  server.device.interconnect = Interconnect{.name = "fast",
                                            .per_direction = BytesPerSecond(1e15),
                                            .total = {},
                                            .joins = {},
                                            .hop_latency = {}};
  server.deployment = deployment;
  server.limits.batched_tokens = 350;
  return server;
}

/// Through memory: weights, and 110 tokens of each sequence.
inline double small_decode(std::int64_t sequences) {
  return (160'256 + 256.0 * 110 * static_cast<double>(sequences)) / small_bandwidth;
}

/// 3 prompts take 3 x (2 x 100 x 73,728 + 2 x 6,400 + 512 x 5,050) FLOP: compute-bound.
inline constexpr double small_prompt_share = 17'344'000 / small_peak;

/// One prompt is memory-bound: its compute time is 17.344 ms.
inline constexpr double small_ttft = (160'256 + 256.0 * 100) / small_bandwidth;

}  // namespace roofline
