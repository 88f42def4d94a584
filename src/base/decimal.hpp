// What the readers of amounts share: a decimal number as it was written, and the refusal that names
// what was wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofline {

/// `text` without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// "--bandwidth 3.35TB/s", "--peak fp16=989TFLOP/s".
[[nodiscard]] std::string with_value(std::string_view name, std::string_view value);

/// Throws Error: "NAME: 'TEXT' WHAT".
[[noreturn]] void refuse(std::string_view name, std::string_view text, std::string_view what,
                         std::string why, std::string fix);

/// A decimal number as written, not yet a double, so that a unit's power of ten can join it.
struct Decimal {
  std::string digits;
  int exponent = 0;
  std::string_view number;  ///< as written
  std::string_view rest;    ///< what follows, without blanks

  /// The nearest double to digits x 10^(exponent + extra); none if it is too large.
  [[nodiscard]] std::optional<double> value(int extra = 0) const;
};

/// The number that `text` starts with; none if it starts with none.
[[nodiscard]] std::optional<Decimal> read_decimal(std::string_view text);

/// The same, but throws Error, with `example` as what works.
[[nodiscard]] Decimal number_part(std::string_view text, std::string_view name,
                                  std::string_view example);

}  // namespace roofline
