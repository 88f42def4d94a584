// Kubernetes' pod specs: their containers with environment, GPUs and the nodes that they ask for.
#pragma once

#include <string>
#include <vector>

#include "spec/serving/containers.hpp"

namespace roofline {

/// A pod spec and what its launches are called.
struct PodSpec {
  const ConfigNode* spec = nullptr;
  std::string name;       ///< "Deployment/chat"
  std::int64_t pods = 1;  ///< that make one replica of the engine together
};

/// Adds the launches of all containers of the pod.
void read_pod(const SourceText& source, const PodSpec& pod, ReadLaunches& found);

/// A container of a pod: command, args, env, resources; the pod's node labels. Its environment has
/// the `value`s, with $(VAR) of earlier ones put in, and command and args have $(VAR) of it put in.
/// Throws Error where that makes more than 16 MiB of all containers in `found`.
[[nodiscard]] Container container_of(const SourceText& source, const PodSpec& pod,
                                     const ConfigNode& container, ReadLaunches& found);

/// "gpu" of a pod's nodeSelector and required nodeAffinity.
void add_gpu_type(const ConfigNode& pod, std::vector<EngineSetting>& surroundings);

/// "gpu" of a list of node selector terms.
void add_gpu_of_terms(const ConfigNode* terms, std::vector<EngineSetting>& surroundings);

}  // namespace roofline
