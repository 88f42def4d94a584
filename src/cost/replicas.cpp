// The step of one replica where several share the work: that of the fullest one.
#include <algorithm>

#include "roofline/step.hpp"

namespace roofline {
namespace {

/// Positions in [start, start + count) that are multiples of `stride`.
std::int64_t multiples(std::int64_t start, std::int64_t count, std::int64_t stride) {
  const auto below = [&](std::int64_t end) { return (end + stride - 1) / stride; };
  return below(start + count) - below(start);
}

bool dealt_before(const StepGroup& a, const StepGroup& b) {
  if (a.new_tokens != b.new_tokens) return a.new_tokens > b.new_tokens;
  return a.cached_tokens > b.cached_tokens;
}

}  // namespace

void take_replica(const Deployment& deployment, Step& step) {
  if (deployment.data == 1) return;
  if (!std::is_sorted(step.groups.begin(), step.groups.end(), dealt_before)) {
    std::stable_sort(step.groups.begin(), step.groups.end(), dealt_before);
  }
  const std::int64_t joined = deployment.joined_replicas();
  double joined_tokens = 0;
  std::int64_t start = 0;
  for (StepGroup& group : step.groups) {
    const std::int64_t count = group.count;
    if (joined > 1) {
      const std::int64_t there = multiples(start, count, deployment.data / joined);
      joined_tokens += static_cast<double>(there) * static_cast<double>(group.new_tokens);
    }
    group.count = multiples(start, count, deployment.data);
    start += count;
  }
  std::erase_if(step.groups, [](const StepGroup& group) { return group.count == 0; });
  step.joined_tokens = joined_tokens;
}

Step replica_step(const Step& step, const Deployment& deployment) {
  Step replica = step;
  take_replica(deployment, replica);
  return replica;
}

}  // namespace roofline
