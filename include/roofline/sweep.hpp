// The full product of any lists, point by point: one point is alive at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/memory.hpp"
#include "roofline/model.hpp"
#include "roofline/number_format.hpp"
#include "roofline/quantity.hpp"
#include "roofline/step.hpp"
#include "roofline/timing.hpp"

namespace roofline {

class Evaluator;

/// Every combination is a point; models vary slowest, then devices, batches, contexts, tensor,
/// pipeline, expert, data, weights and K/V formats. No list is empty.
struct SweepRequest {
  std::vector<Model> models;
  std::vector<Device> devices;
  NamedWorkload workload;  ///< a step of a model; `batches` and `contexts` replace its own
  std::vector<std::int64_t> batches{1};
  std::vector<std::int64_t> contexts{2048};
  std::vector<std::int64_t> tensor{1};
  std::vector<std::int64_t> pipeline{1};
  std::vector<std::int64_t> expert{1};
  std::vector<std::int64_t> data{1};  ///< 0: as many as the experts span
  std::vector<std::optional<NumberFormat>> weights{std::nullopt};  ///< none: as published
  std::vector<std::optional<NumberFormat>> kv{std::nullopt};
  PrecisionRequest precision{};  ///< `weights` and `kv` replace its own
  ExpertChoice experts{};
  double utilization = default_utilization;
  std::optional<DollarsPerHour> price{};  ///< of one device
};

/// One point, good during the visit alone.
struct SweepPoint {
  const SweepRequest& request;
  const Model& model;
  const Device& device;
  std::int64_t batch = 1;
  std::int64_t context = 1;
  const Deployment& deployment;
  const Precision& precision;
  const StepTime* time = nullptr;  ///< null where it cannot be run
  std::string_view reason;         ///< why not

  const Evaluator* evaluator = nullptr;
  const Step* step = nullptr;

  /// What analyze says of the point, but for improvements. Where it cannot be run, what it is
  /// alone: gpu, workload, model, deployment and precision.
  [[nodiscard]] AnalyzePoint analysis() const;
};

/// Points of the product; 2^64 - 1 if there are more.
[[nodiscard]] std::uint64_t point_count(const SweepRequest& request);

/// Calls `visit` for each point in order. Between visits nothing is parsed, allocated or formatted.
/// A point that a device, a deployment or a cached prefix rules out is visited with its reason.
/// Throws Error, before the first visit, for what is wrong with all points, and for more than
/// `most_combinations` of deployments and formats.
void sweep(const SweepRequest& request, const std::function<void(const SweepPoint&)>& visit);

/// Deployments x number formats of one sweep: what they share is kept for a model on a device.
inline constexpr std::uint64_t most_combinations = 10'000;

}  // namespace roofline
