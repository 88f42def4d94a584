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

Step replica_step(const Step& step, const Deployment& deployment) {
  Step replica = step;
  if (deployment.data == 1) return replica;
  std::stable_sort(replica.groups.begin(), replica.groups.end(), dealt_before);
  std::int64_t start = 0;
  for (StepGroup& group : replica.groups) {
    const std::int64_t count = group.count;
    group.count = multiples(start, count, deployment.data);
    start += count;
  }
  std::erase_if(replica.groups, [](const StepGroup& group) { return group.count == 0; });
  const std::int64_t joined = deployment.joined_replicas();
  if (joined > 1) {
    replica.joined_tokens = new_tokens(replica_step(step, {.data = deployment.data / joined}));
  }
  return replica;
}

}  // namespace roofline
