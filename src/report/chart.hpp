// A picture, whatever it shows: lines and markers on two logarithmic axes. The SVG, the page and
// the terminal draw the same one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofline::report {

/// In units of the axes, above 0.
struct ChartPosition {
  double x = 1;
  double y = 1;

  friend bool operator==(const ChartPosition&, const ChartPosition&) = default;
};

/// A logarithmic axis from `low` to `high`; both are 1, 2 or 5 times a power of ten.
struct ChartAxis {
  std::string label;    ///< "arithmetic intensity"
  std::string unit;     ///< "FLOP/byte"; may be empty
  bool scaled = false;  ///< ticks carry prefix and unit, "10 TFLOP/s"; else the label has the unit
  double low = 1;
  double high = 10;
};

/// What the legend says of lines that belong together: a device's roofs, a curve.
struct LineKey {
  std::string name;
  std::string detail;  ///< "989.4 TFLOP/s bf16, 3.350 TB/s, ridge 295.3"; may be empty
};

/// What it says of markers that belong together: a workload.
struct PointKey {
  std::string name;
  std::string detail;     ///< may be empty
  bool measured = false;  ///< its markers are: drawn hollow
};

/// A line through the points, straight between them on the axes.
struct ChartLine {
  std::vector<ChartPosition> points;
  std::size_t line_key = 0;
  bool dashed = false;  ///< a batch that does not fit; a ceiling that nothing runs at
};

/// A straight line from one side of the frame to the other: an intensity, a limit.
struct ChartRule {
  bool vertical = true;
  double at = 1;
  std::string label;
  std::optional<std::size_t> line_key{};   ///< of the device or curve that it belongs to
  std::optional<std::size_t> point_key{};  ///< of the workload that it belongs to
};

/// A label along a straight part of a line: "3.350 TB/s" along a slope, "989.4 TFLOP/s" along a
/// ceiling. Where `from` and `to` are the same it is the label of a spot: "ridge 295.3".
struct LineLabel {
  ChartPosition from;
  ChartPosition to;
  std::string text;
  std::size_t line_key = 0;
};

struct ChartMarker {
  ChartPosition at;
  std::string label;      ///< beside it; empty: none
  bool measured = false;  ///< drawn hollow
  std::optional<std::size_t> line_key{};
  std::optional<std::size_t> point_key{};
  std::string title;                                           ///< "decode, batch 32 on A100"
  std::vector<std::pair<std::string, std::string>> figures{};  ///< "roofline time", "7.045 ms"
};

/// Everything lies within the axes. Text is as it stands in files: whoever draws it escapes it.
struct Chart {
  std::string title;
  std::string question;  ///< in a line
  ChartAxis x;
  ChartAxis y;
  std::string line_keys_title = "devices";
  std::vector<LineKey> line_keys{};
  std::string point_keys_title = "workloads";
  std::vector<PointKey> point_keys{};
  std::vector<ChartLine> lines{};
  std::vector<ChartRule> rules{};
  std::vector<LineLabel> line_labels{};
  std::vector<ChartMarker> markers{};
  /// Markers have their point's colour (one device, many workloads), else their line's.
  bool color_by_point = false;
};

}  // namespace roofline::report
