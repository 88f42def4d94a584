#include "analysis/routed_experts.hpp"

namespace roofline {

bool has_routed_experts(const Model& model) {
  return count_parameters(model).parts[Part::experts] > 0;
}

bool depends_on_routing(const Server& server) {
  return has_routed_experts(server.model) && server.experts.kind != ExpertChoice::Kind::fewest;
}

void note_experts(const Model& model, const ExpertChoice& choice, std::vector<std::string>& notes) {
  if (!has_routed_experts(model)) return;
  if (choice.kind == ExpertChoice::Kind::expected) {
    notes.emplace_back(
        "experts read: the expectation for uniform routing, no floor (--experts fewest for one)");
  } else if (choice.kind == ExpertChoice::Kind::fewest) {
    notes.emplace_back("experts read: as if every token were routed alike, a floor");
  }
}

}  // namespace roofline
