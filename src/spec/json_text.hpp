// JSON text to a value, strictly: no duplicate keys, no deep nesting, every message with its place.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace roofline {

/// Parses all of `text`; `file` names it in messages. Throws Error with file, line and column.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& file);

/// "FILE:LINE:COL" of the value at a JSON pointer ("/memory/bandwidth") in valid `text`; of the
/// nearest parent if there is no such value.
[[nodiscard]] std::string locate_json(std::string_view text, const std::string& file,
                                      std::string_view pointer);

}  // namespace roofline
