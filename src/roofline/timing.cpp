// Sums in the operators' order, so that the same step gives the same digits everywhere.
#include "roofline/timing.hpp"

#include <algorithm>

namespace roofline {

OperatorTime time_operator(const Operator& op, const Rates& rates, BytesPerSecond bandwidth) {
  OperatorTime time;
  if (op.operands != Operands::none) time.compute = op.flops / rates.of(op).peak;
  time.memory = (op.compulsory() + op.activations) / bandwidth;
  return time;
}

StepTime time_step(std::span<const Operator> operators, const Rates& rates,
                   BytesPerSecond bandwidth, const NetworkLoad& load) {
  StepTime step;
  step.load = load;
  step.network = load.bandwidth;
  FlopsPerSecond only_peak;
  bool one_peak = true;
  for (const Operator& op : operators) {
    const OperatorTime time = time_operator(op, rates, bandwidth);
    if (op.operands != Operands::none) {
      const FlopsPerSecond peak = rates.of(op).peak;
      one_peak = one_peak && (only_peak == FlopsPerSecond() || peak == only_peak);
      only_peak = peak;
    }
    step.flops += op.flops;
    step.weights += op.weights;
    step.kv += op.kv;
    step.state += op.state;
    step.activations += op.activations;
    step.compute += time.compute;
    step.serial += time.serial();
  }
  step.memory = step.compulsory() / bandwidth;
  step.roofline = std::max({step.compute, step.memory, step.network});
  step.serial += step.network + load.latency;
  // F / (F / peak) is not always the same double as peak.
  step.roof = {.peak = one_peak ? only_peak : step.flops / step.compute, .bandwidth = bandwidth};
  return step;
}

Verdict StepTime::verdict() const {
  if (network > std::max(compute, memory)) return Verdict::network_bound;
  return roof.verdict(intensity());
}

}  // namespace roofline
