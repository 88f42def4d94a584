// Keys that a family is known with one value of alone: any other is refused by name.
#pragma once

#include <string_view>

#include "spec/huggingface/config.hpp"

namespace roofline::huggingface {

/// Throws if `key` is there and is not `expected`.
void require_text(Config& config, std::string_view key, std::string_view expected);
void require_count(Config& config, std::string_view key, std::int64_t expected);

}  // namespace roofline::huggingface
