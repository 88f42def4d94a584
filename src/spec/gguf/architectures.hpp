// Which architectures the tensors tell all about, and which are refused, with the reason.
#pragma once

#include <string_view>

#include "spec/gguf/metadata.hpp"

namespace roofline::gguf {

/// Throws Error for a file that holds no language model, and for an architecture whose step is
/// another than its tensors' names and shapes say.
void refuse_unsupported(const Metadata& metadata);

/// True for an architecture whose blocks are known to be as their tensors say.
[[nodiscard]] bool is_known_decoder(std::string_view architecture);

}  // namespace roofline::gguf
