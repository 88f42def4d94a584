// model.safetensors.index.json: in which of several files each tensor lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::safetensors {

struct ShardIndex {
  std::vector<std::string> shards;  ///< plain file names, sorted
  std::int64_t tensors = 0;
  std::optional<double> total_bytes;  ///< of all tensors, as the file says
};

/// Throws Error; `file` names the text in messages. The map itself is not kept: it may be long.
[[nodiscard]] ShardIndex read_shard_index(std::string_view text, const std::string& file);

}  // namespace roofline::safetensors
