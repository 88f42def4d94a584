// Multi-head latent attention: the keys that DeepSeek's families share.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// q_lora_rank (none where null), kv_lora_rank and the three parts of a head.
[[nodiscard]] LatentAttention read_latent_attention(Config& config);

}  // namespace roofline::huggingface
