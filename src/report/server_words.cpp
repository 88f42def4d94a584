#include "report/server_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/format.hpp"

namespace roofline::report {

std::string limit_text(Seconds limit) {
  constexpr int digits = 6;
  const Scale scale = scale_for(limit.value(), digits);
  const double rounded = std::round(limit.value() / scale.factor * 1e6) / 1e6;
  return fmt::format("{} {}s", format_exact(rounded), scale.prefix);
}

std::string flags_of(const Deployment& wanted, const Deployment& given) {
  std::string flags;
  const auto add = [&](const char* flag, std::int64_t ways, std::int64_t before) {
    if (ways == 1 && before == 1) return;
    flags += fmt::format("{}{} {}", flags.empty() ? "" : " ", flag, ways);
  };
  add("--tp", wanted.tensor, given.tensor);
  add("--pp", wanted.pipeline, given.pipeline);
  add("--ep", wanted.expert, given.expert);
  add("--dp", wanted.data, given.data);
  return flags;
}

std::string_view on_each_device(const Deployment& deployment) {
  return deployment.devices() > 1 ? " on each device" : "";
}

}  // namespace roofline::report
