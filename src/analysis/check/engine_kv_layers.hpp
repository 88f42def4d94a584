// The layers of a model by what they keep of a sequence, and vLLM's way of paging them together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/check/engine_kv.hpp"

namespace roofline {

/// Layers that keep the same of a sequence, on one device.
struct KvLayerKind {
  std::int64_t layers = 0;             ///< of the whole model
  Bytes of_token;                      ///< of one layer: K and V
  std::optional<std::int64_t> span{};  ///< tokens that are kept: a window or a chunk
  bool is_chunk = false;
  Bytes state{};  ///< of one layer and sequence

  [[nodiscard]] bool is_state() const { return state.value() > 0; }
};

/// Without layers that keep nothing. Heads: max(1, H_kv / ways); a latent is whole on each device.
[[nodiscard]] std::vector<KvLayerKind> kv_layer_kinds(const ResolvedServing& serving);

/// All groups have blocks of one size. Layers of one kind are one group; of several kinds, each is
/// cut into groups of g layers, the number of the rarest kind (of the commonest where that is less
/// than 1.5 times as many), padded. With states, an attention page is as large as a state.
[[nodiscard]] KvPool vllm_kv_pool(const ResolvedServing& serving);

/// Since 0.21 the sequences of max_model_len that it holds, times max_model_len; before, the blocks
/// of a group times their tokens.
[[nodiscard]] std::int64_t vllm_reported_tokens(const ResolvedServing& serving,
                                                const KvLayout& layout, Bytes kv);

}  // namespace roofline
