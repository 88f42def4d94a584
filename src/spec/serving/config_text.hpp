// A config's bytes before any parser sees them.
#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// Throws Error for more than 16 MiB, UTF-16, bytes that are no UTF-8 and control characters.
void check_config_text(std::string_view text, const std::string& file);

/// Starts with a bracket, and is JSON to its end.
[[nodiscard]] bool is_json(std::string_view text);

/// `text` without a byte order mark at its start.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

}  // namespace roofline
