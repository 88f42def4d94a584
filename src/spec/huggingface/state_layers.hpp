// Layers that keep a state instead of a cache: what families with Mamba layers read alike.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// A whole number, or `automatic` where it is "auto" or absent.
[[nodiscard]] std::int64_t read_auto_count(Config& config, Keys keys, std::int64_t most,
                                           std::int64_t automatic);

/// The rank of Mamba's time step where it is "auto": a sixteenth of hidden_size, rounded up.
[[nodiscard]] std::int64_t automatic_step_rank(const Model& model);

/// Biases of a Mamba layer's projections into and out of it.
[[nodiscard]] std::int64_t projection_biases(const Model& model, const Mamba1& mixer);
[[nodiscard]] std::int64_t projection_biases(const Model& model, const Mamba2& mixer);

}  // namespace roofline::huggingface
