#include "analysis/candidate_deployments.hpp"

#include <algorithm>

#include "analysis/routed_experts.hpp"
#include "roofline/error.hpp"

namespace roofline {

CandidateDeployments::CandidateDeployments(const Device& device, const Model& model,
                                           const Precision& precision)
    : model_(model),
      precision_(precision),
      links_(links_of(device)),
      routed_(has_routed_experts(model)) {}

bool CandidateDeployments::can_be_spread(const Deployment& deployment) const {
  return can_deploy(model_, precision_, deployment);
}

bool CandidateDeployments::is_slow(std::int64_t ways) const {
  return ways > 1 && !links_.empty() && links_.front().joins.value_or(ways) < ways;
}

/// Of experts that are cut, and with whole experts on each device.
const std::vector<Deployment>& CandidateDeployments::tensor_parallel(std::int64_t ways) {
  const auto [known, is_new] = tensor_parallel_.try_emplace(ways);
  if (!is_new) return known->second;
  const Deployment cut{.tensor = ways};
  const Deployment whole{.tensor = ways, .expert = ways};
  if (can_be_spread(cut)) known->second.push_back(cut);
  if (ways > 1 && routed_ && can_be_spread(whole)) known->second.push_back(whole);
  return known->second;
}

std::vector<Deployment> CandidateDeployments::of(std::int64_t devices) {
  const std::int64_t layers = layer_count(model_);
  std::vector<Deployment> all;
  for (std::int64_t ways = devices; ways >= 1 && devices / ways <= layers; --ways) {
    if (devices % ways != 0) continue;
    for (Deployment deployment : tensor_parallel(ways)) {
      deployment.pipeline = devices / ways;
      all.push_back(deployment);
    }
  }
  std::stable_partition(all.begin(), all.end(),
                        [&](const Deployment& d) { return !is_slow(d.tensor); });
  return all;
}

}  // namespace roofline
