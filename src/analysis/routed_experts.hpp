// Routed experts, and what an answer says of how many of them are read.
#pragma once

#include <string>
#include <vector>

#include "roofline/model.hpp"
#include "roofline/server.hpp"

namespace roofline {

[[nodiscard]] bool has_routed_experts(const Model& model);

/// True where more experts than a single token's are taken to be read: a time is a floor for these
/// experts only, as routing may be kinder.
[[nodiscard]] bool depends_on_routing(const Server& server);

/// Says how the number of experts that are read came about.
void note_experts(const Model& model, const ExpertChoice& choice, std::vector<std::string>& notes);

}  // namespace roofline
