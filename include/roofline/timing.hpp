// How long a step takes: its operators against a device's rates and memory bandwidth.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/rates.hpp"
#include "roofline/roof.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// The links that a deployment uses, chosen once for a device.
struct Network {
  std::optional<Link> tensor;      ///< within a tensor-parallel group
  std::optional<Link> expert;      ///< between replicas that share experts
  std::optional<Link> pipeline;    ///< between stages
  std::vector<std::string> notes;  ///< groups that a faster link cannot span
};

/// Throws Error for a group that no known link of the device spans.
[[nodiscard]] Network choose_network(const Device& device, const Deployment& deployment);

/// What crosses a device's link in a step, one way.
struct NetworkLoad {
  Bytes all_reduce;  ///< rings of tensor parallel: 2 (N - 1) / N of T h a, twice a layer
  Bytes exchange;    ///< experts' dispatch and combine: (N - 1) / N of T k h a each, each MoE layer
  Bytes boundary;    ///< between stages: T h a each
  Seconds bandwidth;  ///< all bytes, each over its link
  Seconds latency;    ///< hops: 2 (N - 1) a ring, 1 an exchange and a boundary; 0 where not known

  [[nodiscard]] Bytes bytes() const { return all_reduce + exchange + boundary; }
  friend bool operator==(const NetworkLoad&, const NetworkLoad&) = default;
};

/// Of the replica's step. Never allocates.
[[nodiscard]] NetworkLoad network_load(const Model& model, const Step& step,
                                       const Precision& precision, const Deployment& deployment,
                                       const Network& network);

/// Totals of a step on one device, and the times that follow from them.
struct StepTime {
  Flops flops;
  Bytes weights;
  Bytes kv;
  Bytes state;
  Bytes activations;

  Seconds compute;  ///< sum of F / peak over the operators
  Seconds memory;   ///< (weights + K/V + state) / bandwidth
  NetworkLoad load;
  Seconds network;  ///< load.bandwidth; 0 on one device
  /// max(compute, memory, network): everything overlaps. A floor: nothing measured is faster.
  Seconds roofline;
  /// sum over operators of max(F / peak, all their bytes / bandwidth), and the network, its latency
  /// too: one stream of kernels at full efficiency. Activations count here and nowhere else.
  Seconds serial;
  Roof roof;  ///< peak: F / compute time, the rate of the step's mix of types

  /// weights + K/V + state: what has to move once.
  [[nodiscard]] Bytes compulsory() const { return weights + kv + state; }
  [[nodiscard]] FlopsPerByte intensity() const { return flops / compulsory(); }
  /// Of the intensity against the ridge; network-bound where the network takes longer than both.
  [[nodiscard]] Verdict verdict() const;
  friend bool operator==(const StepTime&, const StepTime&) = default;
};

/// Never allocates. `operators` is what list_operators gave, not empty.
[[nodiscard]] StepTime time_step(std::span<const Operator> operators, const Rates& rates,
                                 BytesPerSecond bandwidth, const NetworkLoad& load = {});

/// One operator on its own: the term that it adds to the serial time.
struct OperatorTime {
  Seconds compute;
  Seconds memory;  ///< all bytes, activations too
  /// max of the two.
  [[nodiscard]] Seconds serial() const { return compute > memory ? compute : memory; }
  [[nodiscard]] Verdict bound() const {
    return compute >= memory ? Verdict::compute_bound : Verdict::memory_bound;
  }
};

[[nodiscard]] OperatorTime time_operator(const Operator& op, const Rates& rates,
                                         BytesPerSecond bandwidth);

}  // namespace roofline
