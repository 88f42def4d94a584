#include "report/text_chart_symbols.hpp"

#include <string_view>

namespace roofline::report {
namespace {

constexpr std::string_view line_symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwxyz";
/// Without o; l and 0 are late, since they look like 1 and O.
constexpr std::string_view point_symbols =
    "123456789abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZl0@#$%&=~?!<>^{}[]();,_'\"`";

}  // namespace

char line_symbol(std::size_t line_key) {
  return line_key < line_symbols.size() ? line_symbols[line_key] : shared_symbol;
}

char point_symbol(std::size_t point_key, std::size_t line_keys) {
  const std::string_view taken = line_symbols.substr(0, line_keys);
  std::size_t free = 0;
  for (const char symbol : point_symbols) {
    if (taken.find(symbol) != std::string_view::npos) continue;
    if (free++ == point_key) return symbol;
  }
  return shared_symbol;
}

char marker_symbol(const Chart& chart, const ChartMarker& marker) {
  const bool own_key = marker.point_key && chart.point_keys[*marker.point_key].measured;
  if (marker.measured && !own_key) return measured_symbol;
  if (marker.point_key) return point_symbol(*marker.point_key, chart.line_keys.size());
  if (marker.line_key && chart.line_keys.size() > 1) return line_symbol(*marker.line_key);
  return shared_symbol;
}

}  // namespace roofline::report
