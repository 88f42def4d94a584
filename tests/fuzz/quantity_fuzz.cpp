// Any bytes as any value of the command line: a value, or an Error.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/parse.hpp"
#include "roofline/error.hpp"

using namespace roofline;

namespace {

template <class Parse>
void attempt(Parse&& parse) {
  try {
    parse();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] { ensure(parse_bytes(text, "x").value() >= 0, "bytes are not negative"); });
  attempt([&] { ensure(parse_bandwidth(text, "x").value() > 0, "a rate is above 0"); });
  attempt([&] { ensure(parse_compute(text, "x").value() > 0, "a rate is above 0"); });
  attempt([&] { ensure(parse_price(text, "x").value() > 0, "a price is above 0"); });
  attempt([&] { ensure(parse_power(text, "x").value() > 0, "a power is above 0"); });
  attempt([&] { ensure(parse_time(text, "x").value() > 0, "a time is above 0"); });
  attempt([&] { ensure(parse_count(text, "x") > 0, "a count is above 0"); });
  attempt([&] { ensure(!parse_count_list(text, "x").empty(), "a list is not empty"); });
  return 0;
}
