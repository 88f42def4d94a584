// Plain numbers: shares, requests or tokens per second.
#include "base/decimal.hpp"
#include "base/parse.hpp"

namespace roofline {

double parse_number(std::string_view text, std::string_view name) {
  const std::string_view all = trimmed(text);
  const Decimal decimal = number_part(all, name, "2.5");
  if (!decimal.rest.empty()) {
    refuse(name, all, "has something behind the number", "it takes a number without a unit",
           with_value(name, decimal.number));
  }
  const std::optional<double> value = decimal.value();
  if (!value || *value <= 0) {
    refuse(name, all, "is out of range", "it is above 0", with_value(name, "2.5"));
  }
  return *value;
}

}  // namespace roofline
