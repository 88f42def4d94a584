// Values of engine settings in the engines' grammars.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "analysis/check/plan_parts.hpp"
#include "analysis/check/step_activations.hpp"
#include "base/decimal.hpp"
#include "base/format.hpp"
#include "base/parse.hpp"
#include "base/printable.hpp"

namespace roofline {
namespace {

constexpr std::int64_t most_ranks = 1'000'000;

/// "--max-model-len 8192" or "max_model_len: 8192".
std::string as_written(const EngineSetting& setting, std::string_view value) {
  const bool flag = setting.written.starts_with('-');
  return fmt::format("{}{}{}", setting.written, flag ? " " : ": ", value);
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// A whole number with an optional sign; "_" between digits is left out.
std::optional<std::int64_t> whole_number(std::string_view text) {
  text = trimmed(text);
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]);
    if (text[i] == '_' && inside && is_digit(text[i + 1])) continue;
    if (text[i] == '+' && i == 0) continue;
    digits += text[i];
  }
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, failed] = std::from_chars(digits.data(), end, value);
  if (failed != std::errc() || stop != end) return std::nullopt;
  return value;
}

Given<std::int64_t> count_between(const EngineSetting& setting, std::int64_t least,
                                  std::int64_t most, std::string_view example) {
  const std::optional<std::int64_t> value = whole_number(one_value(setting));
  if (!value) refuse_value(setting, "is no whole number", "", example);
  if (*value < least || *value > most) {
    refuse_value(setting, fmt::format("is not from {} to {}", least, most), "", example);
  }
  return given_by(setting, *value);
}

struct Suffix {
  char letter;
  std::int64_t factor;
  int power_of_ten;  ///< 0: a power of 1024
};

constexpr std::array suffixes{
    Suffix{'k', 1'000, 3},         Suffix{'m', 1'000'000, 6},
    Suffix{'g', 1'000'000'000, 9}, Suffix{'t', 1'000'000'000'000, 12},
    Suffix{'K', 1LL << 10, 0},     Suffix{'M', 1LL << 20, 0},
    Suffix{'G', 1LL << 30, 0},     Suffix{'T', 1LL << 40, 0},
};

const Suffix* suffix_of(std::string_view text) {
  const auto found = std::find_if(suffixes.begin(), suffixes.end(), [&](const Suffix& suffix) {
    return !text.empty() && text.back() == suffix.letter;
  });
  return found == suffixes.end() ? nullptr : &*found;
}

/// Digits, and at most one point among them.
bool is_plain_decimal(std::string_view text) {
  const bool digits = std::all_of(text.begin(), text.end(),
                                  [](char letter) { return is_digit(letter) || letter == '.'; });
  return digits && !text.empty() && is_digit(text.front()) && is_digit(text.back()) &&
         std::count(text.begin(), text.end(), '.') <= 1;
}

Given<std::int64_t> scaled_count(const EngineSetting& setting, const Suffix& suffix) {
  constexpr std::string_view example = "32k";
  constexpr double most = 1e15;
  std::string_view text = trimmed(one_value(setting));
  text.remove_suffix(1);
  if (!is_plain_decimal(text)) refuse_value(setting, "is no whole number", "", example);
  if (suffix.power_of_ten == 0 && text.find('.') != std::string_view::npos) {
    refuse_value(setting, "has a decimal before a power of 1024",
                 "vLLM takes decimals with k, m, g and t only", "25.6k");
  }
  const auto decimal = read_decimal(text);
  const double scaled = decimal ? decimal->value(suffix.power_of_ten).value_or(0) : 0;
  const double factor = suffix.power_of_ten == 0 ? static_cast<double>(suffix.factor) : 1.0;
  if (scaled * factor < 1 || scaled * factor > most) {
    refuse_value(setting, "is too large or too small", "", example);
  }
  return given_by(setting, static_cast<std::int64_t>(scaled * factor));
}

double number_of(const EngineSetting& setting, std::string_view example) {
  const std::string_view text = trimmed(one_value(setting));
  const auto decimal = read_decimal(text);
  const auto value = decimal && decimal->rest.empty() ? decimal->value() : std::nullopt;
  if (!value || !std::isfinite(*value)) refuse_value(setting, "is no number", "", example);
  return *value;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return result;
}

}  // namespace

void refuse_value(const EngineSetting& setting, std::string_view what, std::string why,
                  std::string_view example) {
  constexpr std::size_t longest_shown = 60;
  const std::string value =
      setting.values.empty() ? std::string() : printable(setting.values.front(), longest_shown);
  throw Error(Diagnostic{.what = fmt::format("{}: '{}' {}", setting.written, value, what),
                         .where = to_string(setting.place),
                         .why = std::move(why),
                         .fix = as_written(setting, example)});
}

void refuse_setting(const EngineSetting& setting, std::string_view what, std::string fix) {
  throw Error(Diagnostic{.what = fmt::format("{}: {}", setting.written, what),
                         .where = to_string(setting.place),
                         .fix = std::move(fix)});
}

const std::string& one_value(const EngineSetting& setting) {
  if (setting.values.empty()) refuse_setting(setting, "needs a value", "write one after it");
  if (setting.values.size() > 1) {
    refuse_setting(setting,
                   fmt::format("takes one value, not {}",
                               format_exact(static_cast<double>(setting.values.size()))),
                   as_written(setting, setting.values.back()));
  }
  return setting.values.front();
}

bool is_none(const EngineSetting& setting) {
  if (setting.values.size() != 1) return false;
  const std::string word = lower(trimmed(setting.values.front()));
  return word.empty() || word == "none" || word == "null" || word == "~";
}

namespace {

std::string_view count_example(const EngineSetting& setting, std::int64_t least) {
  if (least == 0) return "0";
  const bool tokens = setting.name.find("len") != std::string::npos ||
                      setting.name.find("tokens") != std::string::npos;
  return tokens ? "8192" : "64";
}

}  // namespace

Given<std::int64_t> count_of(const EngineSetting& setting, std::int64_t least) {
  return count_between(setting, least, largest_count, count_example(setting, least));
}

Given<std::int64_t> count_or_none(const EngineSetting& setting) {
  return is_none(setting) ? left_open_by<std::int64_t>(setting) : count_of(setting);
}

Given<std::int64_t> ranks_of(const EngineSetting& setting) {
  return count_between(setting, 1, most_ranks, "2");
}

Given<std::int64_t> human_count_of(const EngineSetting& setting) {
  if (is_none(setting)) return left_open_by<std::int64_t>(setting);
  const Suffix* suffix = suffix_of(trimmed(one_value(setting)));
  return suffix == nullptr ? count_of(setting) : scaled_count(setting, *suffix);
}

Given<double> share_of(const EngineSetting& setting) {
  if (is_none(setting)) return left_open_by<double>(setting);
  const double value = number_of(setting, "0.9");
  if (value <= 0 || value > 1) {
    const bool percent = value > 1 && value <= 100;
    refuse_value(setting, "is no share above 0 and at most 1", "",
                 percent ? format_exact(value / 100) : "0.9");
  }
  return given_by(setting, value);
}

Given<std::string> word_of(const EngineSetting& setting) {
  const std::string& value = one_value(setting);
  if (is_none(setting) || lower(value) == "auto") return left_open_by<std::string>(setting);
  return given_by(setting, value);
}

Given<bool> switch_of(const EngineSetting& setting) {
  if (setting.values.empty()) return given_by(setting, true);
  const std::string word = lower(trimmed(one_value(setting)));
  for (const std::string_view yes : {"true", "1", "on", "yes", "enabled"}) {
    if (word == yes) return given_by(setting, true);
  }
  for (const std::string_view no : {"false", "0", "off", "no", "disabled"}) {
    if (word == no) return given_by(setting, false);
  }
  if (is_none(setting)) return left_open_by<bool>(setting);
  refuse_value(setting, "is neither true nor false", "", "true");
}

Given<bool> off_switch_of(const EngineSetting& setting) {
  Given<bool> result = switch_of(setting);
  result.value = !result.value;
  return result;
}

Given<Bytes> gibibytes_of(const EngineSetting& setting) {
  const double value = number_of(setting, "4");
  return given_by(setting, Bytes(value * gib));
}

}  // namespace roofline
