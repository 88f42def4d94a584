#include "spec/huggingface/required_values.hpp"

#include <fmt/format.h>

namespace roofline::huggingface {
namespace {

[[noreturn]] void refuse(const Config& config, const JsonNode& value, const std::string& expected) {
  value.fail(fmt::format("is not known in family {}", config.family()),
             fmt::format("the family is known with {} alone", expected));
}

}  // namespace

void require_text(Config& config, std::string_view key, std::string_view expected) {
  const auto value = config.find(key);
  if (value && value->text() != expected) refuse(config, *value, fmt::format("'{}'", expected));
}

void require_count(Config& config, std::string_view key, std::int64_t expected) {
  const auto value = config.find(key);
  if (value && value->count(most_context, 0) != expected) {
    refuse(config, *value, fmt::format("{}", expected));
  }
}

}  // namespace roofline::huggingface
