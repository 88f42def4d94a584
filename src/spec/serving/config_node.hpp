// One value of a YAML or JSON file, with its place: read as PyYAML reads it (YAML 1.1), which is
// what the engines use; merge keys merged, of a key that is there twice the last counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/serving_config.hpp"

namespace roofline {

/// What YAML 1.1 makes of a value.
enum class NodeKind { null, boolean, number, text, list, mapping };

class ConfigNode {
 public:
  NodeKind kind = NodeKind::null;
  /// Of a scalar. As the engine gets it: "true"/"false" for every spelling of a boolean (yes, on,
  /// No ...), decimal digits for 0x10, 010, 1_000 and 12:30; text as it is.
  std::string text;
  std::string written;     ///< of a plain scalar, as it stands in the file
  bool quoted = false;     ///< quoted, or a block: always text
  std::size_t offset = 0;  ///< of the value's first byte in the file's text (a block's indicator)
  Place place;             ///< of the value
  std::vector<ConfigNode> items;  ///< of a list
  struct Member;
  std::vector<Member> members;  ///< of a mapping, each key once, in the order of the file

  [[nodiscard]] bool is_scalar() const { return kind < NodeKind::list; }
  [[nodiscard]] bool is_mapping() const { return kind == NodeKind::mapping; }
  [[nodiscard]] bool is_list() const { return kind == NodeKind::list; }
  /// The member of that key; null if there is none or this is no mapping.
  [[nodiscard]] const ConfigNode* find(std::string_view key) const;
  /// find, step by step: find_path({"spec", "template"}).
  [[nodiscard]] const ConfigNode* find_path(std::initializer_list<std::string_view> keys) const;
};

struct ConfigNode::Member {
  std::string key;
  Place place;  ///< of the key
  ConfigNode value;
};

struct ConfigDocuments {
  std::vector<ConfigNode> roots;      ///< of each document; empty ones are left out
  std::vector<ConfigRemark> remarks;  ///< duplicate keys and values that surprise
};

/// Reads all documents of a YAML or JSON text (BOM and CRLF are fine). Throws Error with
/// FILE:LINE:COL and the reason: tabs, template braces, bad syntax, unknown tags, more than 16 MiB
/// or 500,000 values, nesting deeper than 100, aliases that unfold to more than 100,000 nodes.
/// What an alias repeats keeps the place where it is written; a missing value has its key's.
[[nodiscard]] ConfigDocuments read_config_text(std::string_view text, const std::string& file);

/// The ignore comments of a YAML or shell text; '#' inside quotes and blocks is none.
[[nodiscard]] std::vector<IgnoreComment> read_ignore_comments(std::string_view text,
                                                              const std::string& file);

/// Line and column of an offset.
[[nodiscard]] Place place_at(std::string_view text, const std::string& file, std::size_t offset,
                             std::size_t length = 1);

}  // namespace roofline
