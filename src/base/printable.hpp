// Text from files as messages and names may carry it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

/// True below the space, and for DEL.
[[nodiscard]] bool is_control_character(char c);

/// `text` with '?' for control characters. Longer than `most` bytes, it is cut and ends in "...";
/// then bytes beyond ASCII are '?' too, since the cut may have split a character.
[[nodiscard]] std::string printable(std::string_view text,
                                    std::size_t most = std::string_view::npos);

}  // namespace roofline
