// What tells things apart, of all that is said of them.
#pragma once

#include <string>
#include <vector>

namespace roofline::report {

/// Of each row the parts that not all rows have alike, joined: "batch 32, context 2,048". All rows
/// have as many parts, and what does not apply is empty.
[[nodiscard]] std::vector<std::string> joined_differences(
    const std::vector<std::vector<std::string>>& rows);

}  // namespace roofline::report
