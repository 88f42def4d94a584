#include "spec/huggingface/family_checks.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::int64_t any_number = 1'000'000'000;

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

}  // namespace roofline::huggingface
