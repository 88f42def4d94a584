#include "analysis/candidate_deployments.hpp"

#include <algorithm>

#include "analysis/routed_experts.hpp"
#include "roofline/error.hpp"
#include "roofline/server.hpp"

namespace roofline {
namespace {

bool can_be_spread(const Model& model, const Precision& precision, const Deployment& deployment) {
  return deployment_problems(model, precision, deployment).empty();
}

/// Tensor parallel of experts that are cut, and with whole experts on each device.
std::vector<Deployment> tensor_parallel(const Model& model, const Precision& precision) {
  const bool routed = has_routed_experts(model);
  std::vector<Deployment> all;
  for (std::int64_t ways = 1; ways <= most_devices; ++ways) {
    const Deployment cut{.tensor = ways};
    const Deployment whole{.tensor = ways, .expert = ways};
    if (can_be_spread(model, precision, cut)) all.push_back(cut);
    if (ways > 1 && routed && can_be_spread(model, precision, whole)) all.push_back(whole);
  }
  return all;
}

}  // namespace

std::vector<Deployment> candidate_deployments(const Device& device, const Model& model,
                                              const Precision& precision) {
  const std::vector<Link> links = links_of(device);
  const auto is_slow = [&](const Deployment& d) {
    return d.tensor > 1 && !links.empty() && links.front().joins.value_or(d.tensor) < d.tensor;
  };
  const std::int64_t layers = layer_count(model);
  std::vector<Deployment> all;
  for (Deployment deployment : tensor_parallel(model, precision)) {
    const std::int64_t most = std::min(layers, most_devices / deployment.tensor);
    for (std::int64_t stages = 1; stages <= most; ++stages) {
      deployment.pipeline = stages;
      all.push_back(deployment);
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](const Deployment& a, const Deployment& b) {
    if (a.devices() != b.devices()) return a.devices() < b.devices();
    if (is_slow(a) != is_slow(b)) return is_slow(b);
    return a.tensor > b.tensor;
  });
  return all;
}

}  // namespace roofline
