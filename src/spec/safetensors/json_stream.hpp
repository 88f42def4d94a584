// JSON as a stream of events, never as a tree: a file of any size is read in the memory of one
// token. Strict, and no deeper than its reader expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace roofline {

struct JsonEvent {
  enum class Kind {
    object_start,
    object_end,
    array_start,
    array_end,
    key,
    text,
    whole_number,  ///< from 0 to 2^64 - 1, written as one
    other          ///< any other number, true, false, null
  };
  Kind kind = Kind::other;
  int depth = 0;            ///< objects and lists around it
  std::string_view text{};  ///< of a key or a text: valid during the call
  std::uint64_t whole = 0;  ///< of a whole number
  double number = 0;        ///< of any number
  std::size_t byte = 0;     ///< where in the file it ends
};

/// Where the text stands in its file.
struct StreamPlace {
  const std::string& file;
  std::size_t first_byte = 0;
};

/// Calls `visit` with each event of `text`, which is one JSON value. Throws Error for what is no
/// JSON and for more than `deepest` levels of nesting.
void read_json_stream(std::string_view text, const StreamPlace& place, int deepest,
                      const std::function<void(const JsonEvent&)>& visit);

/// A name from a file as messages show it: in quotes, short, without control characters.
[[nodiscard]] std::string shown(std::string_view name);

}  // namespace roofline
