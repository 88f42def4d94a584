// What is alive at once in an engine's largest step, and what an engine's process takes besides.
#pragma once

#include "roofline/engine_memory.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// T a (3 h + w): the residual stream, a layer's normed input and its output beside the widest
/// tensor of any layer and what it is turned into, w elements a token: of an MLP 3 m / tp (gate and
/// up, and their product), of attention (2 H + 2 H_kv) d / tp, of routed experts
/// k (max(2 m, h) + m) + h. T: tokens of a step; of experts spread over replicas those of all.
[[nodiscard]] Bytes forward_activations(const ResolvedServing& serving);

/// Elements of a step's logits: the rows that are sampled times V.
[[nodiscard]] double logit_elements(const ResolvedServing& serving);

/// Memory of an NVIDIA GPU that the driver reports and no program sees: 430 to 770 MiB.
[[nodiscard]] BytesEstimate driver_reserve(const Device& device);

/// True for GPUs that engines capture graphs on.
[[nodiscard]] bool has_context(const Device& device);

[[nodiscard]] BytesEstimate operator*(const BytesEstimate& estimate, double factor);
[[nodiscard]] BytesEstimate operator+(const BytesEstimate& a, const BytesEstimate& b);
[[nodiscard]] BytesEstimate larger(const BytesEstimate& a, const BytesEstimate& b);
/// `bytes` less or more by the factors.
[[nodiscard]] BytesEstimate spread(Bytes bytes, double low, double high);

inline constexpr double mib = 1024.0 * 1024;
inline constexpr double gib = 1024.0 * mib;

}  // namespace roofline
