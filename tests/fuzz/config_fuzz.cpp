// Any bytes as a serving config: launches, documents of bounded size, ignore comments, or an Error.
#include <cstdint>
#include <string_view>

#include "roofline/error.hpp"
#include "roofline/serving_config.hpp"
#include "spec/serving/config_node.hpp"

using namespace roofline;

namespace {

void check_place(const Place& place, std::size_t size) {
  const auto most = static_cast<std::int64_t>(size) + 1;
  ensure(place.line >= 1 && place.line <= most, "a line of the file");
  ensure(place.column >= 1 && place.column <= place.end_column, "a value ends behind its start");
  ensure(place.end_column <= most, "a column of the file");
}

/// How many nodes there are below and with `node`.
std::size_t check_node(const ConfigNode& node, std::size_t size, int level) {
  constexpr int deepest = 101;
  ensure(level <= deepest, "depth is bounded");
  ensure(node.offset <= size, "a value stands in its file");
  check_place(node.place, size);
  std::size_t count = 1;
  for (const ConfigNode& item : node.items) count += check_node(item, size, level + 1);
  for (const ConfigNode::Member& member : node.members) {
    check_place(member.place, size);
    count += check_node(member.value, size, level + 1);
  }
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    std::size_t count = 0;
    for (const ConfigNode& root : read_config_text(text, "f").roots) {
      count += check_node(root, size, 0);
    }
    constexpr std::size_t most_unfolded = 100'000;
    ensure(count <= size + 1 + most_unfolded, "size is bounded");
  } catch (const Error&) {
  }
  try {
    for (const IgnoreComment& comment : read_ignore_comments(text, "f")) {
      check_place(comment.place, size);
      ensure(!comment.rules.empty(), "an ignore comment names rules");
      ensure(comment.line >= comment.place.line, "a comment is about its line or a later one");
    }
  } catch (const Error&) {
  }
  try {
    (void)read_serving_config(text, "f");
  } catch (const Error&) {
  }
  return 0;
}
