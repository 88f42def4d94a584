// Follows PyYAML's patterns for implicit tags: 1e6 is text, 010 is octal, 12:30 counts in base 60.
#include "spec/serving/yaml_scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace roofline {
namespace {

constexpr std::size_t longest_number = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  constexpr unsigned ten = 10;
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + ten : ~0U;
}

/// "[digits of that base or _]+", with a digit among them.
bool is_number_of(std::string_view text, unsigned base) {
  const auto fits = [base](char c) { return c == '_' || digit_value(c) < base; };
  return std::all_of(text.begin(), text.end(), fits) &&
         text.find_first_not_of('_') != std::string_view::npos;
}

/// "[0-9][0-9_]*"
bool is_decimal(std::string_view text) {
  constexpr unsigned ten = 10;
  return !text.empty() && is_digit(text.front()) && is_number_of(text, ten);
}

std::string without_underscores(std::string_view text) {
  std::string result(text);
  result.erase(std::remove(result.begin(), result.end(), '_'), result.end());
  return result;
}

std::string without_leading_zeros(const std::string& digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

/// Decimal digits times `factor` plus `addend`.
void multiply_add(std::string& digits, unsigned factor, unsigned addend) {
  constexpr unsigned ten = 10;
  unsigned carry = addend;
  for (std::size_t i = digits.size(); i > 0; --i) {
    carry += static_cast<unsigned>(digits[i - 1] - '0') * factor;
    digits[i - 1] = static_cast<char>('0' + carry % ten);
    carry /= ten;
  }
  for (; carry > 0; carry /= ten) digits.insert(0, 1, static_cast<char>('0' + carry % ten));
}

std::string in_decimal(std::string_view digits, unsigned base) {
  std::string result = "0";
  for (const char c : digits) {
    if (c != '_') multiply_add(result, base, digit_value(c));
  }
  return without_leading_zeros(result);
}

/// "12:30:05" to 45005: a decimal number, then groups of "[0-5]?[0-9]". None if it is no such
/// thing.
std::optional<std::string> sexagesimal(std::string_view text) {
  std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_decimal(text.substr(0, colon))) return std::nullopt;
  constexpr unsigned ten = 10;
  constexpr unsigned sixty = 60;
  std::string result = in_decimal(text.substr(0, colon), ten);
  while (colon != std::string_view::npos) {
    const std::size_t next = text.find(':', colon + 1);
    const std::string_view group =
        text.substr(colon + 1, next == std::string_view::npos ? next : next - colon - 1);
    if (group.empty() || group.size() > 2 || !std::all_of(group.begin(), group.end(), is_digit)) {
      return std::nullopt;
    }
    if (group.size() == 2 && group.front() > '5') return std::nullopt;
    unsigned value = 0;
    for (const char c : group) value = value * ten + digit_value(c);
    multiply_add(result, sixty, value);
    colon = next;
  }
  return without_leading_zeros(result);
}

struct Signed {
  std::string sign;  // "" or "-"
  std::string_view rest;
};
Signed split_sign(std::string_view text) {
  if (text.starts_with('-')) return {"-", text.substr(1)};
  return {"", text.substr(text.starts_with('+') ? 1 : 0)};
}

bool is_octal(std::string_view digits) {
  constexpr unsigned eight = 8;
  return digits.size() > 1 && digits.front() == '0' && is_number_of(digits.substr(1), eight);
}

/// Decimal digits of an integer without its sign.
std::optional<std::string> integer(std::string_view text) {
  constexpr unsigned two = 2;
  constexpr unsigned eight = 8;
  constexpr unsigned ten = 10;
  constexpr unsigned sixteen = 16;
  if (text.starts_with("0b") && is_number_of(text.substr(2), two)) {
    return in_decimal(text.substr(2), two);
  }
  if (text.starts_with("0x") && is_number_of(text.substr(2), sixteen)) {
    return in_decimal(text.substr(2), sixteen);
  }
  if (is_octal(text)) return in_decimal(text, eight);
  const bool only_zero = text.find_first_not_of("0_") == std::string_view::npos;
  if (text.starts_with('0') && only_zero) return "0";
  if (text.empty() || text.front() == '0') return std::nullopt;
  if (is_decimal(text)) return in_decimal(text, ten);
  return sexagesimal(text);
}

/// Where "[eE][-+][0-9]+" starts at the end of `text`; its size if there is none.
std::size_t exponent_start(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos || e + 2 >= text.size()) return text.size();
  const std::string_view digits = text.substr(e + 2);
  const bool has_sign = text[e + 1] == '-' || text[e + 1] == '+';
  return has_sign && std::all_of(digits.begin(), digits.end(), is_digit) ? e : text.size();
}

/// A number with a point, without its sign; `had_sign`: ".5" takes none.
std::optional<std::string> real(std::string_view text, bool had_sign) {
  if (text == ".inf" || text == ".Inf" || text == ".INF") return "inf";
  if (!had_sign && (text == ".nan" || text == ".NaN" || text == ".NAN")) return "nan";
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::string_view whole = text.substr(0, point);
  const std::size_t exponent = exponent_start(text);
  if (exponent < point) return std::nullopt;
  const std::string_view fraction = text.substr(point + 1, exponent - point - 1);
  constexpr unsigned ten = 10;
  const bool is_fraction =
      fraction.find_first_not_of('_') == std::string_view::npos || is_number_of(fraction, ten);
  if (!is_fraction) return std::nullopt;
  std::string digits = without_underscores(fraction);
  if (digits.empty()) digits = "0";
  if (whole.empty()) {
    if (had_sign || !is_decimal(fraction)) return std::nullopt;
    return "0." + digits + std::string(text.substr(exponent));
  }
  if (is_decimal(whole)) {
    return without_leading_zeros(without_underscores(whole)) + "." + digits +
           std::string(text.substr(exponent));
  }
  const std::optional<std::string> base_60 = sexagesimal(whole);
  if (!base_60 || exponent != text.size()) return std::nullopt;
  return *base_60 + "." + digits;
}

std::optional<bool> boolean(std::string_view text) {
  constexpr std::array<std::string_view, 9> yes{"yes",  "Yes", "YES", "true", "True",
                                                "TRUE", "on",  "On",  "ON"};
  constexpr std::array<std::string_view, 9> no{"no",    "No",  "NO",  "false", "False",
                                               "FALSE", "off", "Off", "OFF"};
  if (std::find(yes.begin(), yes.end(), text) != yes.end()) return true;
  if (std::find(no.begin(), no.end(), text) != no.end()) return false;
  return std::nullopt;
}

std::optional<std::string> number(std::string_view text) {
  if (text.empty() || text.size() > longest_number) return std::nullopt;
  const auto [sign, rest] = split_sign(text);
  const bool had_sign = rest.size() < text.size();
  std::optional<std::string> digits = real(rest, had_sign);
  if (!digits) digits = integer(rest);
  if (!digits) return std::nullopt;
  return *digits == "0" ? *digits : sign + *digits;
}

/// "1.5e6": digits, an exponent of ten.
struct Scientific {
  std::string whole{};
  std::string fraction{};
  int exponent = 0;
};

/// Numbers as JSON and YAML 1.2 write them, with an exponent; without sign.
std::optional<Scientific> scientific(std::string_view text) {
  constexpr std::size_t most_digits = 3;
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return std::nullopt;
  Signed power = split_sign(text.substr(e + 1));
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), e);
  Scientific result{.whole = std::string(mantissa.substr(0, point)),
                    .fraction = std::string(mantissa.substr(std::min(point + 1, e)))};
  const std::string all = result.whole + result.fraction + std::string(power.rest);
  const bool digits = std::all_of(all.begin(), all.end(), is_digit);
  if (!digits || result.whole.size() + result.fraction.size() == 0) return std::nullopt;
  if (power.rest.empty() || power.rest.size() > most_digits) return std::nullopt;
  constexpr int ten = 10;
  for (const char c : power.rest) result.exponent = result.exponent * ten + (c - '0');
  if (!power.sign.empty()) result.exponent = -result.exponent;
  return result;
}

/// Its decimal digits if it is a whole number of at most 18 of them; else with a point and a
/// signed exponent.
std::string plain_form(Scientific value) {
  constexpr std::size_t most_digits = 18;
  while (value.fraction.ends_with('0')) value.fraction.pop_back();
  const int zeros = value.exponent - static_cast<int>(value.fraction.size());
  std::string digits = without_leading_zeros(value.whole + value.fraction);
  if (digits == "0") return digits;
  if (zeros >= 0 && digits.size() + static_cast<std::size_t>(zeros) <= most_digits) {
    return digits + std::string(static_cast<std::size_t>(zeros), '0');
  }
  return fmt::format("{}.{}e{:+d}", value.whole.empty() ? "0" : value.whole,
                     value.fraction.empty() ? "0" : value.fraction, value.exponent);
}

ScalarSurprise text_not_number(std::string_view written, std::string why, std::string fix) {
  return {.what = fmt::format("'{}' is text, not a number", written),
          .why = std::move(why),
          .fix = std::move(fix)};
}

/// What looks like a number and is text.
std::optional<ScalarSurprise> surprising_text(std::string_view written) {
  const auto [sign, rest] = split_sign(written);
  if (const std::optional<Scientific> value = scientific(rest)) {
    return text_not_number(written, "YAML 1.1 wants a point and a signed exponent",
                           sign + plain_form(*value));
  }
  const bool digits = std::all_of(rest.begin(), rest.end(), is_digit);
  if (digits && rest.size() > 1 && rest.front() == '0') {
    return text_not_number(written, "a leading zero makes it octal, which has no 8 and 9",
                           sign + without_leading_zeros(std::string(rest)));
  }
  constexpr unsigned eight = 8;
  if (rest.starts_with("0o") && is_number_of(rest.substr(2), eight)) {
    return text_not_number(written, "YAML 1.1 has no 0o", sign + in_decimal(rest.substr(2), eight));
  }
  if (rest.size() > 1 && rest.size() < written.size() && rest.front() == '.' &&
      std::all_of(rest.begin() + 1, rest.end(), is_digit)) {
    return text_not_number(written, "YAML 1.1 wants a digit before the point",
                           fmt::format("{}0{}", sign, rest));
  }
  return std::nullopt;
}

}  // namespace

ScalarValue resolve_plain(std::string_view written) {
  if (written.empty() || written == "~" || written == "null" || written == "Null" ||
      written == "NULL") {
    return {.kind = NodeKind::null, .text = {}};
  }
  if (const std::optional<bool> value = boolean(written)) {
    return {.kind = NodeKind::boolean, .text = *value ? "true" : "false"};
  }
  if (std::optional<std::string> digits = number(written)) {
    return {.kind = NodeKind::number, .text = std::move(*digits)};
  }
  return {.kind = NodeKind::text, .text = std::string(written)};
}

std::string json_number(std::string_view written) {
  if (written.size() > longest_number) return std::string(written);
  const auto [sign, rest] = split_sign(written);
  const std::optional<Scientific> value = scientific(rest);
  if (!value) return written == "-0" ? "0" : std::string(written);
  const std::string form = plain_form(*value);
  return form == "0" ? form : sign + form;
}

std::optional<ScalarSurprise> surprise_of(std::string_view written) {
  if (written.size() > longest_number || written.empty()) return std::nullopt;
  const ScalarValue value = resolve_plain(written);
  if (value.kind == NodeKind::text) return surprising_text(written);
  if (value.kind != NodeKind::number) return std::nullopt;
  if (written.find(':') != std::string_view::npos) {
    return ScalarSurprise{.what = fmt::format("'{}' is the number {}", written, value.text),
                          .why = "YAML 1.1 reads digits with colons in base 60",
                          .fix = fmt::format("\"{}\"", written)};
  }
  const auto [sign, rest] = split_sign(written);
  if (!is_octal(rest)) return std::nullopt;
  const std::string decimal = without_leading_zeros(without_underscores(rest));
  if (sign + decimal == value.text || decimal == "0") return std::nullopt;
  return ScalarSurprise{.what = fmt::format("'{}' is the number {}", written, value.text),
                        .why = "a leading zero makes it octal",
                        .fix = sign + decimal};
}

}  // namespace roofline
