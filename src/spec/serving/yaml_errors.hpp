// What a YAML parser stumbles over, in words that say what is wrong with the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "roofline/error.hpp"
#include "spec/serving/source_text.hpp"
#include "spec/serving/text_scan.hpp"

namespace roofline {

/// An error at the byte of that offset.
[[nodiscard]] Error error_at(const SourceText& source, std::size_t offset, std::string what,
                             std::string why, std::string fix);

/// Braces of Helm or Jinja at the start of `text`, or inside a plain scalar.
[[nodiscard]] bool starts_template(std::string_view text);
[[nodiscard]] bool holds_template(std::string_view text);
[[nodiscard]] Error template_error(const SourceText& source, std::size_t offset);

/// `message` is the parser's, `offset` where it stopped.
[[nodiscard]] Error yaml_error(const SourceText& source, const TextScan& scan, std::size_t offset,
                               std::string_view message);

}  // namespace roofline
