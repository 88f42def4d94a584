// What a model and its sequences need of a device's memory, and whether it is there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// The share of a device's memory that engines use unless told otherwise.
inline constexpr double default_utilization = 0.9;

/// What one device holds; the fullest stage of a pipeline.
struct MemoryNeed {
  Bytes weights;      ///< every stored parameter, the embedding table included
  Bytes kv;           ///< of all sequences at their full length; a window layer keeps its window
  Bytes state;        ///< what sequences keep whatever their length
  Bytes activations;  ///< the largest operator's inputs and outputs, and the residual stream

  [[nodiscard]] Bytes total() const { return weights + kv + state + activations; }
  friend bool operator==(const MemoryNeed&, const MemoryNeed&) = default;
};

/// Stored bytes of all parameters on one device. Tensor parallel over N: matrices divide by N,
/// vectors do not; experts divide by the larger of N and `expert`; of a pipeline's layers a stage
/// has ceil(L / N), and the larger of embedding and lm_head.
[[nodiscard]] Bytes weight_bytes(const Model& model, const Precision& precision,
                                 const Deployment& deployment = {});

/// K/V of one sequence of `tokens`: the sum over layers of c min(tokens, W) times kv_elements.
/// On one device: ceil(H_kv / N) heads, all of a latent, the layers of a stage.
[[nodiscard]] Bytes kv_bytes(const Model& model, const NumberFormat& kv, std::int64_t tokens,
                             const Deployment& deployment = {});

/// State of one sequence: recurrent elements and, in the activations' type, convolutions.
[[nodiscard]] Bytes state_bytes(const Model& model, const Precision& precision,
                                const Deployment& deployment = {});

/// `operators` is what list_operators gave for the replica's step.
[[nodiscard]] MemoryNeed memory_need(const Model& model, const Step& step,
                                     const Precision& precision, const Deployment& deployment,
                                     std::span<const Operator> operators);

/// What the driver reports (the stated capacity where that is not known) times `utilization`; none
/// for a device whose capacity is not known.
[[nodiscard]] std::optional<Bytes> usable_memory(const Device& device,
                                                 double utilization = default_utilization);

}  // namespace roofline
