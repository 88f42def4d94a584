// What a tag makes of a value: YAML's own, and the two of docker compose.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "spec/serving/source_text.hpp"
#include "spec/serving/yaml_scalars.hpp"

namespace roofline {

/// The parser's names for no tag: of a plain scalar, and of one in quotes or a block.
constexpr std::string_view plain_tag = "?";
constexpr std::string_view text_tag = "!";

/// Throws Error for a tag that no engine's reader knows and for a value that does not fit its tag;
/// `offset` is the tag's.
[[nodiscard]] ScalarValue tagged_scalar(const SourceText& source, std::string_view tag,
                                        std::string_view value, bool quoted, std::size_t offset);
void check_collection_tag(const SourceText& source, std::string_view tag, NodeKind kind,
                          std::size_t offset);

}  // namespace roofline
