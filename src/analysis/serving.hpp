// The steady state of continuous batching, point by point: what serve and solve search over.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/evaluator.hpp"
#include "roofline/serve.hpp"

namespace roofline {

class Serving {
 public:
  /// `price` is that of one device.
  Serving(const Setting& setting, const Server& server, const RequestShape& shape,
          std::optional<DollarsPerHour> price);

  /// `concurrency` sequences over all replicas, whether memory holds them or not.
  [[nodiscard]] ServingPoint at(std::int64_t concurrency);

  /// A prefill step of one prompt.
  [[nodiscard]] Seconds ttft() const { return ttft_; }

 private:
  const Setting& setting_;
  RequestShape shape_;
  std::optional<DollarsPerHour> price_;
  Evaluator evaluator_;
  Seconds ttft_;
  Seconds prompt_share_;
};

}  // namespace roofline
