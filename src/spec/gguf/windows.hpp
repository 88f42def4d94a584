// Which blocks attend a window or a chunk only: by the file's own pattern, or by that of the
// architecture.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/gguf/metadata.hpp"

namespace roofline::gguf {

struct Reach {
  std::optional<std::int64_t> window;
  std::optional<std::int64_t> chunk;
};

/// Of each of `blocks` blocks. Throws for a window whose pattern is not known.
[[nodiscard]] std::vector<Reach> read_reaches(Metadata& metadata, std::int64_t blocks);

}  // namespace roofline::gguf
