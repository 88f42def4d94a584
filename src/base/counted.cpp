#include "base/counted.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/number.hpp"

namespace roofline {

std::string count_text(std::int64_t count) {
  return format_count(number(count));
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

}  // namespace roofline
