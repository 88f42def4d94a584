// PyYAML's safe loader refuses unknown tags, so a file with one starts no engine.
#include "spec/serving/yaml_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/serving/yaml_errors.hpp"

namespace roofline {
namespace {

constexpr std::string_view prefix = "tag:yaml.org,2002:";
constexpr std::size_t longest_shown = 60;

/// As the file spells it.
std::string shown(std::string_view tag) {
  const bool known = tag.starts_with(prefix);
  const std::string text =
      known ? fmt::format("!!{}", tag.substr(prefix.size())) : std::string(tag);
  return printable(text, longest_shown);
}

Error unknown_tag(const SourceText& source, std::string_view tag, std::size_t offset) {
  return error_at(source, offset, fmt::format("tag '{}' is unknown", shown(tag)),
                  "the engines' reader refuses it too", "the value without its tag");
}

}  // namespace

ScalarValue tagged_scalar(const SourceText& source, std::string_view tag, std::string_view value,
                          bool quoted, std::size_t offset) {
  ScalarValue as_text{.kind = NodeKind::text, .text = std::string(value)};
  if (tag == plain_tag) return resolve_plain(value);
  if (tag == text_tag) return as_text;
  if (tag == "!override") return quoted ? as_text : resolve_plain(value);
  if (tag == "!reset") return {.kind = NodeKind::null, .text = {}};
  if (!tag.starts_with(prefix)) throw unknown_tag(source, tag, offset);
  const std::string_view name = tag.substr(prefix.size());
  if (name == "str" || name == "timestamp") return as_text;
  const bool number = name == "int" || name == "float";
  if (!number && name != "bool" && name != "null") throw unknown_tag(source, tag, offset);
  ScalarValue resolved = resolve_plain(value);
  const bool whole = std::all_of(resolved.text.begin(), resolved.text.end(),
                                 [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
  const bool fits = (number && resolved.kind == NodeKind::number && (name == "float" || whole)) ||
                    (name == "bool" && resolved.kind == NodeKind::boolean) ||
                    (name == "null" && resolved.kind == NodeKind::null);
  if (fits) return resolved;
  throw error_at(
      source, offset,
      fmt::format("'{}' does not fit its tag '{}'", printable(value, longest_shown), shown(tag)),
      {}, "the value without its tag");
}

void check_collection_tag(const SourceText& source, std::string_view tag, NodeKind kind,
                          std::size_t offset) {
  if (tag == plain_tag || tag == text_tag || tag == "!override" || tag == "!reset") return;
  const std::string_view wanted = kind == NodeKind::list ? "seq" : "map";
  if (tag.starts_with(prefix) && tag.substr(prefix.size()) == wanted) return;
  throw unknown_tag(source, tag, offset);
}

}  // namespace roofline
