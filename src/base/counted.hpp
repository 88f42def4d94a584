// Counts in words: "1,024", "2 devices".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace roofline {

/// With commas between thousands.
[[nodiscard]] std::string count_text(std::int64_t count);

/// The count and `noun`, with an s but for 1.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

}  // namespace roofline
