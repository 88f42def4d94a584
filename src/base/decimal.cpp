// Reads decimal numbers digit by digit, so that a number and its unit are rounded once.
#include "base/decimal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string with_value(std::string_view name, std::string_view value) {
  return fmt::format("{}{}{}", name, name.ends_with('=') ? "" : " ", value);
}

void refuse(std::string_view name, std::string_view text, std::string_view what, std::string why,
            std::string fix) {
  const std::string_view shown = name.ends_with('=') ? name.substr(0, name.size() - 1) : name;
  throw Error(Diagnostic{.what = fmt::format("{}: '{}' {}", shown, text, what),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

std::optional<double> Decimal::value(int extra) const {
  const std::string text = fmt::format("{}e{}", digits, exponent + extra);
  double result = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return result;
}

std::optional<Decimal> read_decimal(std::string_view text) {
  text = trimmed(text);
  Decimal decimal;
  std::size_t at = 0;
  bool point = false;
  bool digit = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      digit = true;
      decimal.digits += c;
    } else if (c == '.' && !point && text.substr(at, 2) != "..") {
      point = true;
      decimal.digits += c;
    } else if (c != '_' || !digit || point || text[at - 1] == '_') {
      break;
    }
  }
  if (!digit || text[at - 1] == '_') return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t start = at + 1;
    const bool plus = start < text.size() && text[start] == '+';
    if (plus && text.substr(start + 1, 1) != "-") ++start;
    const auto [end, code] =
        std::from_chars(text.data() + start, text.data() + text.size(), decimal.exponent);
    if (code == std::errc{} && decimal.exponent >= -400 && decimal.exponent <= 400) {
      at = static_cast<std::size_t>(end - text.data());
    } else {
      decimal.exponent = 0;
    }
  }
  decimal.number = text.substr(0, at);
  decimal.rest = trimmed(text.substr(at));
  return decimal;
}

Decimal number_part(std::string_view text, std::string_view name, std::string_view example) {
  const std::optional<Decimal> decimal = read_decimal(text);
  if (!decimal) {
    const bool negative = trimmed(text).starts_with('-');
    refuse(name, text, negative ? "is negative" : "does not start with a number", {},
           with_value(name, example));
  }
  return *decimal;
}

}  // namespace roofline
