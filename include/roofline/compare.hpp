// The same question on many devices, ranked: which one runs a step, or serves requests, fastest,
// cheapest, with most room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/serve.hpp"
#include "roofline/server.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// What the first of the list is best in. Tokens are all new ones of a step, output tokens of a
/// server.
enum class RankBy {
  time,        ///< the shortest roofline time of a step, the shortest TPOT of a server
  throughput,  ///< the most tokens a second, of all devices together
  cost,        ///< the fewest dollars per million tokens
  energy,      ///< the fewest joules per token
  fit          ///< a step: the largest share of usable memory that is left free; a server: the
               ///< largest concurrency that memory holds
};
/// "time", "throughput", "cost", "energy", "fit".
[[nodiscard]] std::string_view to_string(RankBy by);

/// Requests to serve under continuous batching: what serve is asked, of each device.
struct ServingQuestion {
  RequestShape shape{};
  /// At most one of the two; neither: the largest concurrency that the limits leave.
  std::optional<std::int64_t> concurrency{};
  std::optional<double> requests_per_second{};
  std::optional<Seconds> tpot_limit{};
  std::optional<Seconds> ttft_limit{};

  friend bool operator==(const ServingQuestion&, const ServingQuestion&) = default;
};

/// A step of a model, or requests to serve.
using CompareQuestion = std::variant<NamedWorkload, ServingQuestion>;

/// One question about one model, on as many kinds of device as there are.
struct CompareRequest {
  Model model;
  std::vector<Device> devices;
  CompareQuestion question;
  PrecisionRequest precision{};
  ExpertChoice experts{};
  Deployment deployment{};                ///< on every device
  EngineLimits limits{};                  ///< of a server; of a step, the utilization alone
  std::optional<DollarsPerHour> price{};  ///< of one device, whichever; none: usual_price of each
  RankBy by = RankBy::time;
};

/// What keeps a device out of the ranking.
enum class Obstacle {
  none,
  link,          ///< no known link of it joins so many
  rate,          ///< it has no rate for the number formats
  memory,        ///< it does not fit
  tpot_limit,    ///< one sequence alone takes longer
  ttft_limit,    ///< one prompt alone takes longer
  request_rate,  ///< no concurrency, or none that the limits leave, keeps up with it
  capacity,      ///< the memory's capacity is not known, and the question or the ranking needs it
  price,         ///< none is known, in a ranking by cost
  tdp            ///< none is known, in a ranking by energy
};

/// What one device is for the question.
struct Candidate {
  std::string gpu;
  std::optional<std::int64_t> rank;  ///< from 1; of equals the same; none: not ranked
  Obstacle obstacle = Obstacle::none;
  std::string reason;  ///< the obstacle in words; empty where there is none
  /// What analyze says of a step, serve of requests; monostate where it cannot be run at all.
  std::variant<std::monostate, AnalyzePoint, ServeResult> answer;
  std::optional<DollarsPerHour> price;
  std::optional<Price> listed;  ///< the catalogue's, where `price` is from there
  /// TDP x devices / (tok/s): an upper bound at that speed; none where no TDP is known.
  std::optional<double> joules_per_token;

  /// The analysis of a step; null where there is none.
  [[nodiscard]] const AnalyzePoint* point() const;
  /// The step of `point`; null where there is none.
  [[nodiscard]] const StepAnalysis* step() const;
  /// The answer of a server; null where there is none.
  [[nodiscard]] const ServeResult* serving() const;
  /// The steady state of a server; null where there is none.
  [[nodiscard]] const ServingPoint* steady_state() const;
  /// Of a step, 1 - needed / usable: below 0 where it does not fit; none where either is not known.
  [[nodiscard]] std::optional<double> memory_left() const;
};

struct CompareResult {
  /// The ranked ones first, the best of them first and equals by name; then the others, by name.
  std::vector<Candidate> candidates;

  /// False where not one device could be ranked: the answer is no.
  [[nodiscard]] bool any_ranked() const;
};

/// What serve is asked about one of the devices.
[[nodiscard]] ServeRequest serve_request(const CompareRequest& request,
                                         const ServingQuestion& question, const Device& device);

/// Each device is analysed, or serves, on its own; what it throws for the device becomes its
/// reason. Throws Error for a workload that is no step of a model, and for what no device could
/// make right: a model that cannot be spread so, experts that it does not have, requests that
/// cannot be.
[[nodiscard]] CompareResult compare(const CompareRequest& request);

}  // namespace roofline
