// A GGUF file as a Model: the layers as its tensors say, the rest by its metadata.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/model.hpp"
#include "spec/gguf/gguf_file.hpp"

namespace roofline::gguf {

/// The model of a file, or of all the files of one that was split, in order. Throws Error for
/// what is missing, contradicts itself, or is not supported.
[[nodiscard]] Model read_gguf_model(std::vector<GgufFile> files);

/// Reads `bytes`, the whole of a file that is not split; `file` names it in messages.
[[nodiscard]] Model read_gguf(std::string_view bytes, const std::string& file);

/// Maps the file at `path` and reads its header; of a split one, those of all its parts
/// ("NAME-00001-of-00003.gguf"), whichever is named. Throws Error.
[[nodiscard]] Model load_gguf(const std::string& path);

}  // namespace roofline::gguf
