// What becomes of a figure as the batch or the context grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

enum class CurveX { batch, context };
/// "batch", "context".
[[nodiscard]] std::string_view to_string(CurveX x);

/// Intensity of a step; its tokens a second; time per output token (the roofline time of a decode
/// step); dollars for a million of its tokens.
enum class CurveY { intensity, throughput, tpot, cost };
/// "intensity", "throughput", "tpot", "cost".
[[nodiscard]] std::string_view to_string(CurveY y);

struct CurvesRequest {
  AnalyzeRequest question;  ///< its price is used where it has one, else each device's usual price
  CurveX x = CurveX::batch;
  CurveY y = CurveY::intensity;
  std::optional<Seconds> tpot_limit{};  ///< of decode
};

enum class CurveLimit {
  ridge,   ///< the intensity from which on it is compute-bound: a value of y
  memory,  ///< the largest x that fits
  tpot     ///< the limit: a value of y for CurveY::tpot, else the largest x that keeps to it
};

/// "ridge", "memory", "tpot-limit".
[[nodiscard]] std::string_view to_string(CurveLimit limit);

struct CurveEdge {
  CurveLimit limit = CurveLimit::memory;
  bool of_x = true;  ///< a value of x, else of y
  /// Largest x: none where nothing keeps x from growing up to `largest_curve_x`, 0 where not even 1
  /// does.
  std::optional<double> value{};

  friend bool operator==(const CurveEdge&, const CurveEdge&) = default;
};

struct CurvePoint {
  double x = 1;
  double y = 1;
  std::optional<bool> fits{};  ///< none where the capacity is not known, and for kernels
  std::size_t point = 0;       ///< of the analysis

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// All points of one device and model that differ in x alone, x rising; what they are called does
/// not matter.
struct Curve {
  std::size_t first_point = 0;     ///< of the analysis: what they have in common
  std::vector<CurvePoint> points;  ///< each x once
  std::vector<CurveEdge> edges;    ///< ridge, memory, TPOT limit: those that there are
};

struct CurvesResult {
  CurveX x = CurveX::batch;
  CurveY y = CurveY::intensity;
  std::optional<Seconds> tpot_limit{};
  AnalyzeResult analysis;  ///< for CurveY::cost with the cost of every point
  std::vector<Curve> curves;
  std::vector<std::string> notes;  ///< beside those of the points
};

/// Largest values of x are looked for up to this one.
inline constexpr std::int64_t largest_curve_x = 1'000'000'000'000;

/// y is the point's intensity, tokens a second or roofline time, or
///   price of an hour x devices / 3600 / (tokens a second) x 1e6.
/// Throws Error as analyze does; for more than `most_plotted_points`, and where no curve has two
/// values of x; for a workload that has no such x or y, and a TPOT limit on what has no TPOT; where
/// a price that the cost hangs on is not known; and for a y that is 0 or infinite.
[[nodiscard]] CurvesResult curves(const CurvesRequest& request);

}  // namespace roofline
