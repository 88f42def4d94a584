// The ways of spreading a model that a search for the fewest devices tries.
#pragma once

#include <map>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/model.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// The device and the model must outlive it.
class CandidateDeployments {
 public:
  CandidateDeployments(const Device& device, const Model& model, const Precision& precision);

  /// Every tensor and pipeline parallel deployment of that many devices that the model can be
  /// spread by, routed experts cut and whole: the most tensor parallel first, within the fastest
  /// link's reach before what is beyond it.
  [[nodiscard]] std::vector<Deployment> of(std::int64_t devices);

 private:
  [[nodiscard]] const std::vector<Deployment>& tensor_parallel(std::int64_t ways);
  [[nodiscard]] bool can_be_spread(const Deployment& deployment) const;
  [[nodiscard]] bool is_slow(std::int64_t ways) const;

  const Model& model_;
  Precision precision_;
  std::vector<Link> links_;
  bool routed_;
  std::map<std::int64_t, std::vector<Deployment>> tensor_parallel_;  ///< looked at so far
};

}  // namespace roofline
