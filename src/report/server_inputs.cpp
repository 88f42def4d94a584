#include "report/server_inputs.hpp"

#include "analysis/routed_experts.hpp"
#include "base/number.hpp"

namespace roofline::report {
namespace {

void add_precision(const Server& server, Fields& inputs) {
  const Precision precision = resolve_precision(server.model, server.precision).precision;
  inputs.emplace_back("weight_dtype", precision.weights_name);
  inputs.emplace_back("kv_dtype", precision.kv.name);
  inputs.emplace_back("act_dtype", precision.activations.name);
  if (state_size(server.model).recurrent > 0) {
    inputs.emplace_back("state_dtype", precision.state.name);
  }
  const bool half = server.precision.accumulate == Accumulate::fp16;
  inputs.emplace_back("accumulate", std::string(half ? "fp16" : "fp32"));
}

}  // namespace

Value value_of(const ExpertChoice& choice) {
  switch (choice.kind) {
    case ExpertChoice::Kind::fewest:
      return std::string("fewest");
    case ExpertChoice::Kind::all:
      return std::string("all");
    case ExpertChoice::Kind::fixed:
      return number(choice.count);
    case ExpertChoice::Kind::expected:
      break;
  }
  return std::string("expected");
}

Fields inputs_of(const Server& server, const Fields& workload) {
  Fields inputs{{"model", server.model.name}, {"gpu", server.device.name}};
  inputs.insert(inputs.end(), workload.begin(), workload.end());
  if (has_routed_experts(server.model)) inputs.emplace_back("experts", value_of(server.experts));
  inputs.emplace_back("tp", number(server.deployment.tensor));
  inputs.emplace_back("pp", number(server.deployment.pipeline));
  inputs.emplace_back("ep", number(server.deployment.expert));
  inputs.emplace_back("dp", number(server.deployment.data));
  add_precision(server, inputs);
  inputs.emplace_back("gpu_memory_utilization", server.limits.utilization);
  inputs.emplace_back("memory_overhead_bytes", server.limits.overhead.value());
  inputs.emplace_back("block_size_tokens", number(server.limits.block_tokens));
  inputs.emplace_back("max_num_batched_tokens", number(server.limits.batched_tokens));
  return inputs;
}

}  // namespace roofline::report
