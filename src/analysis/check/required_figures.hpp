// The figures that can be required of a launch: what they are called, read and printed as.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "roofline/check.hpp"

namespace roofline {

/// A figure of a launch: what it is at, and between which bounds it may be.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

using Getter = std::optional<Figure> (*)(const LaunchFigures&, const ResolvedServing&);

struct Quality {
  std::string_view name;  ///< "ttft"
  std::string_view rule;
  double (*parse)(std::string_view text, std::string_view name);
  std::string (*format)(double value);
  Getter get;
  std::string_view noun;   ///< in a finding: "the TTFT"
  std::string_view bound;  ///< "at least" of a floor, "at most" of a ceiling, else ""
};
/// By name.
[[nodiscard]] std::span<const Quality> required_qualities();

struct Limit {
  const Quality* quality = nullptr;
  bool at_most = false;
};

/// "max-ttft" and the like; none if there is no such limit.
[[nodiscard]] std::optional<Limit> limit_named(std::string_view name);

}  // namespace roofline
