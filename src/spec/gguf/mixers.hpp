// What mixes tokens in a block, from the tensors that are there and their shapes.
#pragma once

#include <cstdint>

#include "roofline/model.hpp"
#include "spec/gguf/block.hpp"
#include "spec/gguf/metadata.hpp"
#include "spec/gguf/windows.hpp"

namespace roofline::gguf {

/// Where a block stands in its model.
struct BlockPlace {
  std::int64_t index = 0;
  std::int64_t blocks = 0;  ///< all of the file
  std::int64_t hidden = 0;
  Reach reach;
  bool reuses_cache = false;
};

/// Takes the mixer's tensors from `block`; matrices of a kind of their own go to `group`'s maps.
/// Throws Error where the tensors contradict each other or the metadata.
void read_mixer(Block& block, Metadata& metadata, const BlockPlace& place, LayerGroup& group);

}  // namespace roofline::gguf
