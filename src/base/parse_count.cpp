// Counts, numbers of parameters, lists and ranges.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "base/decimal.hpp"
#include "base/parse.hpp"

namespace roofline {
namespace {

struct Suffix {
  std::string_view text;
  int ten;
  double factor;
};

constexpr std::array count_suffixes{
    Suffix{"", 0, 1},     Suffix{"k", 3, 1},       Suffix{"m", 6, 1},         Suffix{"g", 9, 1},
    Suffix{"K", 0, 1024}, Suffix{"M", 0, 1048576}, Suffix{"G", 0, 1073741824}};
constexpr std::array parameter_suffixes{Suffix{"", 0, 1}, Suffix{"M", 6, 1}, Suffix{"B", 9, 1},
                                        Suffix{"T", 12, 1}};

/// What was most likely meant by a count that is none.
[[noreturn]] void refuse_count(std::string_view text, std::string_view name, const Decimal& decimal,
                               std::string_view why) {
  const std::string_view rest = decimal.rest;
  if (rest.starts_with(',')) {
    refuse(name, text, "is a list", "it takes one value", with_value(name, decimal.number));
  }
  const bool range = !rest.empty() && (rest[0] == '-' || rest[0] == ':');
  if (range && read_decimal(rest.substr(1))) {
    refuse(name, text, "is not a count", "a range is written with ..",
           with_value(name, fmt::format("{}..{}", decimal.number, rest.substr(1))));
  }
  refuse(name, text, "is not a count", std::string(why), with_value(name, decimal.number));
}

template <std::size_t N>
std::int64_t whole_number(std::string_view text, std::string_view name, std::int64_t least,
                          const std::array<Suffix, N>& suffixes, std::string_view why) {
  const Decimal decimal = number_part(text, name, "32");
  for (const Suffix& suffix : suffixes) {
    if (decimal.rest != suffix.text) continue;
    const double value = decimal.value(suffix.ten).value_or(INFINITY) * suffix.factor;
    if (value > static_cast<double>(largest_count)) {
      refuse(name, text, fmt::format("is more than {}", largest_count), {}, {});
    }
    if (value != std::floor(value)) refuse(name, text, "is not a whole number", {}, {});
    if (value < static_cast<double>(least)) {
      refuse(name, text, fmt::format("is less than {}", least), {}, {});
    }
    return static_cast<std::int64_t>(value);
  }
  refuse_count(text, name, decimal, why);
}

}  // namespace

std::int64_t parse_count(std::string_view text, std::string_view name, std::int64_t least) {
  return whole_number(text, name, least, count_suffixes,
                      "counts are whole numbers; 32k is 32000 and 32K is 32768");
}

std::int64_t parse_parameters(std::string_view text, std::string_view name) {
  return whole_number(text, name, 1, parameter_suffixes, "7B is 7e9 and 350M is 350e6");
}

std::vector<std::string_view> split_list(std::string_view text, std::string_view name) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text.find(',', start);
    const std::string_view item = trimmed(text.substr(start, comma - start));
    if (item.empty()) {
      refuse(name, text,
             items.empty() && comma == std::string_view::npos ? "is empty" : "has an empty item",
             {}, {});
    }
    items.push_back(item);
    if (comma == std::string_view::npos) return items;
    start = comma + 1;
  }
}

std::vector<std::int64_t> parse_count_list(std::string_view text, std::string_view name) {
  constexpr std::size_t most = 100'000;
  std::vector<std::int64_t> values;
  const auto append = [&](std::int64_t value) {
    if (values.size() == most) refuse(name, text, "has more than 100000 values", {}, {});
    values.push_back(value);
  };
  for (const std::string_view item : split_list(text, name)) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      append(parse_count(item, name));
      continue;
    }
    std::string_view end = item.substr(dots + 2);
    if (dots == 0 || end.empty()) {
      refuse(name, item, "lacks an end", {}, fmt::format("{} 1..32", name));
    }
    const std::size_t step_at = end.find_first_of("+x");
    const bool multiply = step_at != std::string_view::npos && end[step_at] == 'x';
    std::int64_t step = 1;
    if (step_at != std::string_view::npos) {
      step = parse_count(end.substr(step_at + 1), name);
      end = end.substr(0, step_at);
    }
    if (multiply && step == 1) refuse(name, item, "never grows", "x1 repeats one value", {});
    const std::int64_t first = parse_count(item.substr(0, dots), name);
    const std::int64_t last = parse_count(end, name);
    if (last < first) {
      refuse(name, item, "is descending", {}, fmt::format("{} {}..{}", name, last, first));
    }
    for (std::int64_t value = first; value <= last;) {
      append(value);
      if (multiply && value > last / step) break;
      value = multiply ? value * step : value + step;
    }
  }
  return values;
}

}  // namespace roofline
