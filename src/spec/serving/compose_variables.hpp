// Variables in a compose file: ${VAR:-default} and the like, which docker compose puts in from its
// own environment before anything else is read. That environment is not read here.
#pragma once

#include <string>
#include <vector>

#include "spec/serving/source_text.hpp"

namespace roofline {

struct InterpolatedText {
  PlacedText text;  ///< with defaults put in, $$ as $; what has no default stays as it stands
  std::vector<std::string> unresolved;
};

/// Puts in what stands in the text itself: ${VAR:-default}, ${VAR-default}, nested too.
[[nodiscard]] InterpolatedText interpolated(const PlacedText& text);

}  // namespace roofline
