// What YAML 1.1 makes of a scalar without quotes, as PyYAML resolves it, and where that is not what
// its author probably meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "spec/serving/config_node.hpp"

namespace roofline {

struct ScalarValue {
  NodeKind kind = NodeKind::text;
  std::string text{};  ///< as ConfigNode::text; "inf", "-inf" and "nan" without the point

  friend bool operator==(const ScalarValue&, const ScalarValue&) = default;
};

/// Numbers of more than 64 characters are text: no setting has them.
[[nodiscard]] ScalarValue resolve_plain(std::string_view written);

/// A number of JSON, which has other rules: 1e6 is one. Its decimal digits where it is a whole one.
[[nodiscard]] std::string json_number(std::string_view written);

struct ScalarSurprise {
  std::string what{};
  std::string why{};
  std::string fix{};  ///< what to write instead
};
/// None for what is read as it looks.
[[nodiscard]] std::optional<ScalarSurprise> surprise_of(std::string_view written);

}  // namespace roofline
