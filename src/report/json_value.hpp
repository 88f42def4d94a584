// What all JSON of this program has in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace roofline::report {

inline constexpr int schema_version = 1;

/// An integer stays one; what is no number becomes null when it is printed.
[[nodiscard]] nlohmann::ordered_json json_number(double value);

/// Printed with that indent, or on one line (-1), and a line feed. Bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace roofline::report
