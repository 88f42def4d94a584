// JSON on a command line as settings of its members, under the names that YAML gives them.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "spec/serving/command_line.hpp"

namespace roofline {

namespace {

using Json = nlohmann::ordered_json;

// Beyond these it is no config: names repeat in each member, and sizes would multiply.
constexpr int most_nesting = 100;
constexpr std::size_t most_bytes = 16384;
constexpr std::size_t most_name_bytes = 256;

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return deepest > most_nesting;
}

// As Python prints it, which is how YAML's values reach a command line; objects as JSON.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "None";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> texts_of(const Json& value) {
  if (!value.is_array() || value.empty()) return {text_of(value)};
  std::vector<std::string> texts;
  for (const Json& element : value) texts.push_back(text_of(element));
  return texts;
}

// Of the names, those that the values show.
std::vector<std::string> shown(const std::vector<std::string>& names,
                               const std::vector<std::string>& values) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const bool found = std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return value.find(name) != std::string::npos;
    });
    if (found) result.push_back(name);
  }
  return result;
}

void add_members(const EngineSetting& setting, const Json& object,
                 std::vector<EngineSetting>& settings) {
  for (const auto& [key, value] : object.items()) {
    EngineSetting member = setting;
    member.name += "." + dashed(key);
    member.written += "." + key;
    if (value.is_object() && !value.empty() && member.name.size() <= most_name_bytes) {
      add_members(member, value, settings);
      continue;
    }
    member.values = texts_of(value);
    member.unresolved = shown(setting.unresolved, member.values);
    settings.push_back(std::move(member));
  }
}

}  // namespace

std::vector<EngineSetting> flattened(const EngineSetting& setting) {
  if (setting.values.size() != 1) return {setting};
  const std::string& text = setting.values.front();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{' || nests_too_deep(text)) return {setting};
  if (text.size() > most_bytes || setting.name.size() > most_name_bytes) return {setting};
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object() || object.empty()) return {setting};
  std::vector<EngineSetting> settings;
  add_members(setting, object, settings);
  return settings;
}

}  // namespace roofline
