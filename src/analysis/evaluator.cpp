#include "analysis/evaluator.hpp"

#include <fmt/format.h>

#include "roofline/error.hpp"

namespace roofline {

Setting make_setting(const Model& model, const Device& device, const Deployment& deployment,
                     const PrecisionRequest& request) {
  ResolvedPrecision resolved = resolve_precision(model, request);
  std::vector<Diagnostic> problems = deployment_problems(model, resolved.precision, deployment);
  if (!problems.empty()) throw Error(std::move(problems));
  Rates rates = choose_rates(device, model, resolved.precision, request.accumulate);
  Network network = choose_network(device, deployment);
  std::vector<std::string> notes = model.left_out;
  const auto append = [&](const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  append(model.warnings);
  append(resolved.notes);
  append(rates.notes);
  append(network.notes);
  if (deployment.joined_replicas() > 1) {
    notes.push_back(
        fmt::format("experts are spread over {} devices; attention runs as {} replicas with their "
                    "own sequences",
                    deployment.expert, deployment.data));
  }
  return {model,
          device,
          deployment,
          std::move(resolved.precision),
          std::move(rates),
          std::move(network),
          std::move(notes)};
}

const StepTime& Evaluator::evaluate(const Step& step) {
  replica_ = step;
  take_replica(setting_.deployment, replica_);
  replica_.experts = experts_;
  list_operators(setting_.model, replica_, setting_.precision, setting_.deployment, operators_);
  const NetworkLoad load = network_load(setting_.model, replica_, setting_.precision,
                                        setting_.deployment, setting_.network);
  time_ = time_step(operators_, setting_.rates, setting_.device.bandwidth, load);
  return time_;
}

MemoryNeed Evaluator::memory() const {
  return memory_need(setting_.model, replica_, setting_.precision, setting_.deployment, operators_);
}

}  // namespace roofline
