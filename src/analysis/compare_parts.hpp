// The two questions that compare asks of a device, a step and requests to serve: each can be
// refused, is answered, and has a score.
#pragma once

#include <string>

#include "roofline/compare.hpp"

namespace roofline {

/// Throws Error for what no device could make right.
void require_answerable(const CompareRequest& request, const NamedWorkload& workload);
void require_answerable(const CompareRequest& request, const ServingQuestion& question);

/// Fills the candidate's answer, energy and obstacle; its price is known already. Throws Error for
/// what the device cannot run.
void answer(const CompareRequest& request, const NamedWorkload& workload, const Device& device,
            Candidate& candidate);
void answer(const CompareRequest& request, const ServingQuestion& question, const Device& device,
            Candidate& candidate);

/// Of a candidate without an obstacle: the lower, the better.
[[nodiscard]] double step_score(const Candidate& candidate, RankBy by);
[[nodiscard]] double serving_score(const Candidate& candidate, RankBy by);

void obstruct(Candidate& candidate, Obstacle obstacle, std::string reason);

}  // namespace roofline
