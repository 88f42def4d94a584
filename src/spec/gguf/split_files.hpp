// Models in several files: their names, and what each says of the others.
#pragma once

#include <string>
#include <vector>

#include "spec/gguf/gguf_file.hpp"

namespace roofline::gguf {

/// The header of the file at `path` and, if it is part of a split model, of all parts in order.
/// Throws Error for a part that is missing.
[[nodiscard]] std::vector<GgufFile> load_parts(const std::string& path);

/// One file with the first's metadata and the tensors of all. Throws Error unless they are the
/// parts of one model, in order.
[[nodiscard]] GgufFile join_parts(std::vector<GgufFile> files);

}  // namespace roofline::gguf
