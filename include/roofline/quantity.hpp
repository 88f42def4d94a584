// Strong unit types around a double. Base SI units inside; scaling happens only in parsing and
// formatting. Only the sums and products that mean something compile.
#pragma once

#include <compare>

namespace roofline {

/// A number with a unit. `Tag` names the unit and is never defined.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  /// The number in the base unit.
  [[nodiscard]] constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator*(double factor, Quantity a) { return a * factor; }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return Quantity(a.value_ / divisor);
  }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }

 private:
  double value_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
/// Dollars per hour of one device.
using DollarsPerHour = Quantity<struct DollarsPerHourTag>;
/// Floating-point (or integer) operations; a multiply-add is 2.
using Flops = Quantity<struct FlopsTag>;
using FlopsPerByte = Quantity<struct FlopsPerByteTag>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;
using Seconds = Quantity<struct SecondsTag>;
using Watts = Quantity<struct WattsTag>;

constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
  return Seconds(work.value() / rate.value());
}
constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds(size.value() / rate.value());
}
constexpr FlopsPerSecond operator/(Flops work, Seconds time) {
  return FlopsPerSecond(work.value() / time.value());
}
constexpr FlopsPerByte operator/(Flops work, Bytes size) {
  return FlopsPerByte(work.value() / size.value());
}
constexpr FlopsPerByte operator/(FlopsPerSecond peak, BytesPerSecond bandwidth) {
  return FlopsPerByte(peak.value() / bandwidth.value());
}
constexpr FlopsPerSecond operator*(BytesPerSecond bandwidth, FlopsPerByte intensity) {
  return FlopsPerSecond(bandwidth.value() * intensity.value());
}

}  // namespace roofline
