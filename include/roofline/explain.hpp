// Pages that explain a word: rules of check, and terms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// The Markdown text of data/explain/<word>.md (any case; space, '-' and '_' alike); none if there
/// is no such page.
[[nodiscard]] std::optional<std::string_view> explanation(std::string_view word);

/// All words that have a page, in alphabetical order.
[[nodiscard]] std::vector<std::string> explained_words();

}  // namespace roofline
