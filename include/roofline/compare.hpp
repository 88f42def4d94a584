// The same question on many devices, ranked: which one runs it fastest, cheapest, with most room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/memory.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// What the first of the list is best in.
enum class RankBy {
  time,        ///< the shortest roofline time
  throughput,  ///< the most tokens a second, of all devices together
  cost,        ///< the fewest dollars per million tokens
  energy,      ///< the fewest joules per token
  fit          ///< the largest share of usable memory that is left free
};
/// "time", "throughput", "cost", "energy", "fit".
[[nodiscard]] std::string_view to_string(RankBy by);

/// One step of one model, on as many kinds of device as there are.
struct CompareRequest {
  Model model;
  std::vector<Device> devices;
  NamedWorkload workload;  ///< a step of a model
  PrecisionRequest precision{};
  ExpertChoice experts{};
  Deployment deployment{};  ///< on every device
  double utilization = default_utilization;
  std::optional<DollarsPerHour> price{};  ///< of one device, whichever; none: usual_price of each
  RankBy by = RankBy::time;
};

/// What keeps a device out of the ranking.
enum class Obstacle {
  none,
  link,      ///< no known link of it joins so many
  rate,      ///< it has no rate for the number formats
  memory,    ///< it does not fit
  capacity,  ///< the memory's capacity is not known, in a ranking by fit
  price,     ///< none is known, in a ranking by cost
  tdp        ///< none is known, in a ranking by energy
};

/// What one device is for the question.
struct Candidate {
  std::string gpu;
  std::optional<std::int64_t> rank;  ///< from 1; of equals the same; none: not ranked
  Obstacle obstacle = Obstacle::none;
  std::string reason;                 ///< the obstacle in words; empty where there is none
  std::optional<AnalyzePoint> point;  ///< none where it cannot be run at all
  std::optional<DollarsPerHour> price;
  std::optional<Price> listed;  ///< the catalogue's, where `price` is from there
  /// TDP x devices / (tok/s): an upper bound at that speed; none where no TDP is known.
  std::optional<double> joules_per_token;

  /// The step of `point`; null where there is none.
  [[nodiscard]] const StepAnalysis* step() const;
  /// 1 - needed / usable: below 0 where it does not fit; none where either is not known.
  [[nodiscard]] std::optional<double> memory_left() const;
};

struct CompareResult {
  /// The ranked ones first, the best of them first and equals by name; then the others, by name.
  std::vector<Candidate> candidates;

  /// False where not one device could be ranked: the answer is no.
  [[nodiscard]] bool any_ranked() const;
};

/// Each device is analysed on its own; what it throws for the device becomes its reason. Throws
/// Error for a workload that is no step of a model, and for what no device could make right: a
/// model that cannot be spread so, experts that it does not have.
[[nodiscard]] CompareResult compare(const CompareRequest& request);

}  // namespace roofline
