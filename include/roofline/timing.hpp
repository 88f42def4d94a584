// How long a step takes: its operators against a device's rates and memory bandwidth.
#pragma once

#include <span>

#include "roofline/quantity.hpp"
#include "roofline/rates.hpp"
#include "roofline/roof.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// Totals of a step, and the times that follow from them.
struct StepTime {
  Flops flops;
  Bytes weights;
  Bytes kv;
  Bytes state;
  Bytes activations;

  Seconds compute;  ///< sum of F / peak over the operators
  Seconds memory;   ///< (weights + K/V + state) / bandwidth
  Seconds network;  ///< 0 on one device
  /// max(compute, memory, network): everything overlaps. A floor: nothing measured is faster.
  Seconds roofline;
  /// sum over operators of max(F / peak, all their bytes / bandwidth), and the network: one stream
  /// of kernels at full efficiency. Activations count here and nowhere else.
  Seconds serial;
  Roof roof;  ///< peak: F / compute time, the rate of the step's mix of types

  /// weights + K/V + state: what has to move once.
  [[nodiscard]] Bytes compulsory() const { return weights + kv + state; }
  [[nodiscard]] FlopsPerByte intensity() const { return flops / compulsory(); }
  friend bool operator==(const StepTime&, const StepTime&) = default;
};

/// Never allocates. `operators` is what list_operators gave, not empty.
[[nodiscard]] StepTime time_step(std::span<const Operator> operators, const Rates& rates,
                                 BytesPerSecond bandwidth);

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
