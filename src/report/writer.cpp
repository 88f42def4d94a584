#include "report/writer.hpp"

#include "base/format.hpp"

namespace roofline::report {

std::string Writer::number(double value) const {
  return format_significant(value, digits_);
}

std::string Writer::scaled(double value, std::string_view unit) const {
  return format_scaled(value, unit, digits_);
}

std::string Writer::size(Bytes value) const {
  return scaled(value.value(), "B");
}

std::string Writer::time(Seconds value) const {
  return scaled(value.value(), "s");
}

}  // namespace roofline::report
