// What a block does to each token alone, from the tensors that are there and their shapes.
#pragma once

#include "roofline/model.hpp"
#include "spec/gguf/block.hpp"
#include "spec/gguf/metadata.hpp"
#include "spec/gguf/mixers.hpp"

namespace roofline::gguf {

/// Takes the feed-forward's tensors from `block`; dense matrices beside experts go to `group`'s
/// maps. Throws Error where the tensors contradict each other or the metadata.
void read_feed_forward(Block& block, Metadata& metadata, const BlockPlace& place,
                       LayerGroup& group);

}  // namespace roofline::gguf
