// What tests of the readers of serving configs share: reading a text, and where a needle stands.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "roofline/serving_config.hpp"

namespace roofline::testing {

inline ServingConfig read(std::string_view text, std::optional<ConfigType> type = {}) {
  return read_serving_config(text, "f", type);
}

/// The only launch of a text.
inline Launch launch_of(std::string_view text, std::optional<ConfigType> type = {}) {
  const ServingConfig config = read(text, type);
  return config.launches.size() == 1 ? config.launches.front() : Launch{};
}

/// Values joined by a bar; "absent" without the setting.
inline std::string joined(const EngineSetting* setting) {
  if (setting == nullptr) return "absent";
  std::string result;
  for (const std::string& value : setting->values) {
    result += (result.empty() ? "" : "|") + value;
  }
  return result;
}
inline std::string value(const Launch& launch, std::string_view name) {
  return joined(launch.find(name));
}
inline std::string around(const Launch& launch, std::string_view name) {
  return joined(launch.find_surrounding(name));
}

/// "LINE:COLUMN" of the first `needle` in the text, counted from its start.
inline std::string spot(std::string_view text, std::string_view needle) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : text.substr(0, text.find(needle))) {
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
  }
  return fmt::format("{}:{}", line, column);
}
inline std::string spot(const Place& place) {
  return fmt::format("{}:{}", place.line, place.column);
}
inline std::string spot(const Launch& launch, std::string_view name) {
  const EngineSetting* setting = launch.find(name);
  return setting == nullptr ? "absent" : spot(setting->place);
}

/// What a text is refused with; nothing if it is read.
inline Diagnostic refusal(std::string_view text, std::optional<ConfigType> type = {}) {
  try {
    (void)read(text, type);
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

}  // namespace roofline::testing
