// Keys and values of a YAML mapping as an engine's settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/serving/command_line.hpp"
#include "spec/serving/config_node.hpp"

namespace roofline {

/// What the words set, written as the member's key.
void add_words(Engine engine, const ConfigNode::Member& member,
               const std::vector<PlacedWord>& words, Launch& launch);

/// `--key value` of a scalar (null is the text "None", true a bare switch), `--key a b` of a list,
/// the settings "key.member" of a mapping.
void add_member(Engine engine, const ConfigNode::Member& member, Launch& launch);

/// The settings `name`, or "name.member" ... of a mapping. `written` is the path as spelled. Throws
/// Error for a path of more than 256 bytes to a mapping.
void add_nested(const std::string& name, const std::string& written, const ConfigNode& value,
                bool known, Launch& launch);

/// A setting of one value, or of a list's; of a mapping there are none.
[[nodiscard]] EngineSetting setting_of(std::string name, std::string written,
                                       const ConfigNode& value);

/// The text of a scalar; empty for null, for what is no scalar and for no node.
[[nodiscard]] std::string scalar_text(const ConfigNode* node);

/// The mapping that a config of `form` ("vLLM") consists of. Throws Error for an empty file, for
/// several documents and for anything else.
[[nodiscard]] const ConfigNode& only_mapping(std::string_view form, const std::string& file,
                                             const ConfigDocuments& documents,
                                             std::string_view example);

/// The text of a scalar as Python prints it: "None" for null.
[[nodiscard]] std::string python_text(const ConfigNode& scalar);

}  // namespace roofline
