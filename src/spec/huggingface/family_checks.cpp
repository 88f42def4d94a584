#include "spec/huggingface/family_checks.hpp"

#include <fmt/format.h>

namespace roofline::huggingface {
namespace {

constexpr std::int64_t any_number = 1'000'000'000;

[[noreturn]] void refuse(const Config& config, const JsonNode& value, const std::string& expected) {
  value.fail(fmt::format("is not known in family {}", config.family()),
             fmt::format("the family is known with {} alone", expected));
}

}  // namespace

void refuse_false(Config& config, Keys keys) {
  for (const std::string_view key : keys) {
    const auto found = config.find(key);
    if (found && !found->boolean()) {
      found->fail("false is not known in family " + config.family());
    }
  }
}

void refuse_positive(Config& config, Keys keys) {
  for (const std::string_view key : keys) {
    const auto found = config.find(key);
    if (!found) continue;
    const std::vector<JsonNode> values =
        found->is_array() ? found->elements() : std::vector<JsonNode>{*found};
    for (const JsonNode& value : values) {
      if (value.count(any_number, 0) != 0) {
        value.fail("other than 0 is not known in family " + config.family());
      }
    }
  }
}

void refuse_present(Config& config, Keys keys) {
  for (const std::string_view key : keys) {
    if (const auto found = config.find(key)) {
      found->fail("is not known in family " + config.family());
    }
  }
}

void read_past(Config& config, Keys keys) {
  for (const std::string_view key : keys) (void)config.find(key);
}

void require_text(Config& config, std::string_view key, std::string_view expected) {
  const auto value = config.find(key);
  if (value && value->text() != expected) refuse(config, *value, fmt::format("'{}'", expected));
}

void require_count(Config& config, std::string_view key, std::int64_t expected) {
  const auto value = config.find(key);
  if (value && value->count(any_number, 0) != expected) {
    refuse(config, *value, fmt::format("{}", expected));
  }
}

}  // namespace roofline::huggingface
