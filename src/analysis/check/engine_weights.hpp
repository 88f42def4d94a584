// Weights on the fullest device, as an engine spreads them.
#pragma once

#include "roofline/engine_memory.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// Stored bytes of a device without what is offloaded. Beside weight_bytes: what goes down to a
/// latent, routers, and K/V heads that several ranks have are whole on each; attention is whole on
/// each rank of attention DP; vLLM slices experts over its replicas too; llama.cpp keeps the
/// embedding table in host memory, and layers that -ngl leaves there.
[[nodiscard]] Bytes engine_weights(const ResolvedServing& serving);

}  // namespace roofline
