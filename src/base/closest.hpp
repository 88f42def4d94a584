// "Did you mean": the names nearest to a word that nobody knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// Lower case, with space and '_' as '-': names that differ only so are the same name.
[[nodiscard]] std::string normalized_name(std::string_view name);

/// Optimal string alignment distance: insert, delete, replace and swap of neighbours cost 1.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// At most `limit` of `names` that are within distance max(1, length/3) of `word` or start with
/// it, nearest first, then alphabetical. Both sides are compared normalized.
[[nodiscard]] std::vector<std::string> closest(std::string_view word,
                                               const std::vector<std::string>& names,
                                               std::size_t limit = 3);

}  // namespace roofline
