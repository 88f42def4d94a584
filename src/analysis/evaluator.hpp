// A model on devices with all choices made, and the evaluation of its steps: the one place where
// cost, rates and network come together.
#pragma once

#include <string>
#include <vector>

#include "roofline/analyze.hpp"

namespace roofline {

/// What all steps of a model on a device share. The model and the device must outlive it.
struct Setting {
  const Model& model;
  const Device& device;
  Deployment deployment;
  Precision precision;
  Rates rates;
  Network network;
  std::vector<std::string> notes;  ///< what was left out, assumed or stood in for
};

/// Throws Error where the device has no rate for the formats, the model cannot be spread so, or no
/// known link joins the devices.
[[nodiscard]] Setting make_setting(const Model& model, const Device& device,
                                   const Deployment& deployment, const PrecisionRequest& request);

/// Evaluates one step after another in the same buffers: no allocation once they are large enough.
class Evaluator {
 public:
  explicit Evaluator(const Setting& setting, const ExpertChoice& experts = {})
      : setting_(setting), experts_(experts) {}

  /// The step of all replicas; its time is that of the fullest one. The references below are good
  /// until the next call.
  const StepTime& evaluate(const Step& step);

  [[nodiscard]] const StepTime& time() const { return time_; }
  [[nodiscard]] const Step& replica() const { return replica_; }  ///< the fullest one's step
  [[nodiscard]] const std::vector<Operator>& operators() const { return operators_; }
  [[nodiscard]] MemoryNeed memory() const;  ///< of one device, K/V not paged
  [[nodiscard]] const Setting& setting() const { return setting_; }

 private:
  const Setting& setting_;
  ExpertChoice experts_;
  Step replica_;
  std::vector<Operator> operators_;
  StepTime time_;
};

}  // namespace roofline
