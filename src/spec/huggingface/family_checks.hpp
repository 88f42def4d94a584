// Keys whose values a family does not know: it refuses them by name rather than read past them.
#pragma once

#include <string_view>

#include "spec/huggingface/config.hpp"

namespace roofline::huggingface {

/// Throws for each of `keys` that is false: the family always has such parts.
void refuse_false(Config& config, Keys keys);

/// Throws for each of `keys` that is there and is not 0 (or a list of zeros).
void refuse_positive(Config& config, Keys keys);

/// Throws for each of `keys` that is there.
void refuse_present(Config& config, Keys keys);

/// Throws if `key` is there and is not `expected`.
void require_text(Config& config, std::string_view key, std::string_view expected);
void require_count(Config& config, std::string_view key, std::int64_t expected);

/// Marks keys as read that change nothing of what is counted.
void read_past(Config& config, Keys keys);

}  // namespace roofline::huggingface
