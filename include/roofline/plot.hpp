// The roofline as a picture: the roofs of devices, and where workloads and measurements lie.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/device.hpp"
#include "roofline/quantity.hpp"
#include "roofline/roof.hpp"

namespace roofline {

/// What was measured of a point: how long it took, or how fast it was. None: nothing.
using Measurement = std::variant<std::monostate, Seconds, FlopsPerSecond>;

/// A speed that was measured, at an intensity.
struct MeasuredPoint {
  std::string name;  ///< of one that is not a point of the analysis
  FlopsPerByte intensity;
  FlopsPerSecond achieved;
  std::optional<std::size_t> point{};  ///< of the analysis
  std::optional<Seconds> time{};       ///< of that point: F / achieved where a rate was measured

  friend bool operator==(const MeasuredPoint&, const MeasuredPoint&) = default;
};

struct PlotRequest {
  AnalyzeRequest question;
  std::vector<PeakKey> ceilings{};  ///< to be drawn beside those that products run at
  bool all_ceilings = false;        ///< every peak of every device
  /// Empty, or one for each point of the analysis, in its order.
  std::vector<Measurement> measurements{};
  std::vector<MeasuredPoint> measured{};  ///< others
};

/// One peak of a device over its memory's bandwidth.
struct Ceiling {
  std::string gpu;
  PeakKey key;
  Roof roof;
  bool used = false;  ///< some product of the analysis runs at it

  friend bool operator==(const Ceiling&, const Ceiling&) = default;
};

struct PlotResult {
  AnalyzeResult analysis;  ///< with notes on ceilings that are missing, and on what was measured
  std::vector<Ceiling> ceilings;  ///< by device, in the order of the request; the lowest peak first
  std::vector<MeasuredPoint> measured;  ///< F / time of a point's measurement, then the others
};

/// What one picture shows at most.
inline constexpr std::size_t most_plotted_points = 500;

/// Throws Error for more than `most_plotted_points`.
void require_few_plotted_points(const AnalyzeRequest& question);

/// Throws Error as analyze does, for more than `most_plotted_points`, for measurements that are not
/// as many as the points, and for a ceiling that no device has.
[[nodiscard]] PlotResult plot(const PlotRequest& request);

}  // namespace roofline
