#include "report/chart_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/format.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

/// Powers of ten up to 1e22 are exact so; beyond, pow is as good as it gets.
double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < std::abs(exponent) && i < 22; ++i) power *= 10;
  if (std::abs(exponent) > 22) return std::pow(10.0, exponent);
  return exponent < 0 ? 1 / power : power;
}

/// The power of ten that is at most `value`.
int decade_of(double value) {
  int exponent = static_cast<int>(std::floor(std::log10(value)));
  while (power_of_ten(exponent) > value) --exponent;
  while (power_of_ten(exponent + 1) <= value) ++exponent;
  return exponent;
}

double multiple(int factor, int exponent) {
  // 5e-3 is 5 / 1e3: the nearest double, where 5 x 0.001 is not.
  return exponent < 0 ? factor / power_of_ten(-exponent) : factor * power_of_ten(exponent);
}

constexpr std::array round_factors{1, 2, 5, 10};

std::string tick_text(const ChartAxis& axis, double value) {
  if (!axis.scaled) return format_significant(value, 1);
  return format_scaled(value, axis.unit, 1);
}

}  // namespace

void AxisRange::add(double value, std::string_view name) {
  if (!std::isfinite(value) || value <= 0) {
    throw Error(Diagnostic{.what = fmt::format("{} cannot be drawn: it is {}", name,
                                               std::isfinite(value) ? format_exact(value)
                                               : std::isnan(value)  ? "not known"
                                                                    : "infinite"),
                           .why = "the axes are logarithmic: they have values above 0 alone",
                           .fix = "leave it out"});
  }
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  if (value < least || value > most) {
    throw Error(Diagnostic{.what = fmt::format("{} cannot be drawn: it is too {}", name,
                                               value < least ? "small" : "large"),
                           .why = "axes have values from 1e-30 to 1e30",
                           .fix = "leave it out"});
  }
  least_ = least_ == 0 ? value : std::min(least_, value);
  most_ = std::max(most_, value);
}

void AxisRange::apply(ChartAxis& axis) const {
  ensure(least_ > 0, "an axis without a value");
  constexpr double room = 1.25;
  axis.low = round_number_below(least_ / room);
  axis.high = round_number_above(most_ * room);
}

double round_number_below(double value) {
  const int decade = decade_of(value);
  double below = multiple(1, decade);
  for (const int factor : round_factors) {
    if (multiple(factor, decade) <= value) below = multiple(factor, decade);
  }
  return below;
}

double round_number_above(double value) {
  const int decade = decade_of(value);
  for (const int factor : round_factors) {
    if (multiple(factor, decade) >= value) return multiple(factor, decade);
  }
  return multiple(1, decade + 1);
}

double share_of(const ChartAxis& axis, double value) {
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

std::vector<Tick> ticks_of(const ChartAxis& axis) {
  const int first = decade_of(axis.low);
  const int last = decade_of(axis.high);
  int decades = 0;
  for (int decade = first; decade <= last; ++decade) {
    if (multiple(1, decade) >= axis.low) ++decades;
  }
  constexpr int few = 3;
  constexpr int most = 12;
  const int every = (decades + most - 1) / std::max(most, 1);
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade) {
    for (int factor = 1; factor < 10; ++factor) {
      const double value = multiple(factor, decade);
      if (value < axis.low || value > axis.high) continue;
      const bool shown = factor == 1 ? (decade - first) % std::max(every, 1) == 0
                                     : decades < few && (factor == 2 || factor == 5);
      ticks.push_back({value, shown ? tick_text(axis, value) : std::string()});
    }
  }
  return ticks;
}

std::string label_of(const ChartAxis& axis) {
  if (axis.scaled || axis.unit.empty()) return axis.label;
  return fmt::format("{} ({})", axis.label, axis.unit);
}

}  // namespace roofline::report
