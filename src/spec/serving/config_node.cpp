// A text to its documents: what no parser should see is refused first, JSON is read as JSON, all
// else as YAML.
#include "spec/serving/config_node.hpp"

#include <algorithm>

#include "spec/serving/config_builder.hpp"
#include "spec/serving/config_events.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/source_text.hpp"

namespace roofline {

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

const ConfigNode* ConfigNode::find_path(std::initializer_list<std::string_view> keys) const {
  const ConfigNode* node = this;
  for (const std::string_view key : keys) {
    if (node != nullptr) node = node->find(key);
  }
  return node;
}

ConfigDocuments read_config_text(std::string_view text, const std::string& file) {
  check_config_text(text, file);
  const SourceText source(text, file);
  ConfigDocuments result;
  ConfigBuilder builder(source, result);
  if (is_json(text)) {
    read_json_events(source, builder);
  } else {
    read_yaml_events(source, builder, result.remarks);
  }
  return result;
}

Place place_at(std::string_view text, const std::string& file, std::size_t offset,
               std::size_t length) {
  const std::size_t at = std::min(offset, text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t last_break = before.rfind('\n');
  const std::size_t start = last_break == std::string_view::npos ? 0 : last_break + 1;
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  const std::size_t end = at + std::min(length, line_end - at);
  return {.file = file,
          .line = 1 + std::count(before.begin(), before.end(), '\n'),
          .column = static_cast<std::int64_t>(at - start) + 1,
          .end_column = static_cast<std::int64_t>(end - start) + 1};
}

}  // namespace roofline
