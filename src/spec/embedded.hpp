// The files of data/ as they were when this was built, with an index by name.
#pragma once

#include <span>
#include <string_view>

namespace roofline {

struct EmbeddedFile {
  std::string_view kind;  ///< the folder: "devices", "engines", "explain" ...
  std::string_view name;  ///< the entry's own name
  std::string_view text;
};

/// A normalized name or alias of the file with that index.
struct EmbeddedName {
  std::string_view kind;
  std::string_view name;
  std::size_t file;
};

/// In the order of kind, then of name.
[[nodiscard]] std::span<const EmbeddedFile> embedded_files();
/// In the order of kind, then of name.
[[nodiscard]] std::span<const EmbeddedName> embedded_names();

}  // namespace roofline
