// Figures in an answer's words: with the digits that were asked for.
#pragma once

#include <string>
#include <string_view>

#include "roofline/quantity.hpp"

namespace roofline::report {

/// Numbers with the digits that were asked for.
class Writer {
 public:
  explicit Writer(int significant_digits) : digits_(significant_digits) {}

  [[nodiscard]] int digits() const { return digits_; }
  [[nodiscard]] std::string number(double value) const;
  /// With the unit behind the scale's prefix: "989.0 TFLOP/s".
  [[nodiscard]] std::string scaled(double value, std::string_view unit) const;
  [[nodiscard]] std::string size(Bytes value) const;
  [[nodiscard]] std::string time(Seconds value) const;

 private:
  int digits_;
};

}  // namespace roofline::report
