// The parser's message is the last resort: a template, a tab or an open quote upstream explains
// more than the place where it stopped.
#include "spec/serving/yaml_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/printable.hpp"

namespace roofline {
namespace {

constexpr std::size_t longest_shown = 60;

struct Reason {
  std::string_view message;
  std::string_view what;
  std::string_view why;
  std::string_view fix;
};

constexpr std::array<Reason, 21> reasons{{
    {"end of map not found", "this line is no 'key: value'",
     "its indentation makes it part of the mapping above", ""},
    {"end of sequence not found", "this line is no '- item'",
     "its indentation makes it part of the list above", ""},
    {"end of map flow not found", "a '{' is not closed", "", "}"},
    {"end of sequence flow not found", "a '[' is not closed", "", "]"},
    {"illegal map value", "a ':' where none may be",
     "a value with ': ' in it needs quotes, a key its own line", ""},
    {"illegal map key", "a key where none may be", "", ""},
    {"illegal block entry", "a '- ' where none may be", "a list starts on a line of its own", ""},
    {"illegal flow end", "a bracket that closes nothing", "", ""},
    {"illegal EOF in scalar", "a quote is not closed", "", ""},
    {"illegal document indicator in scalar", "a quote is not closed", "the document ends inside it",
     ""},
    {"illegal character in scalar", "a line in quotes is not indented", "", ""},
    {"illegal tab when looking for indentation", "a tab in the indentation", "YAML wants spaces",
     ""},
    {"text behind a document", "this line belongs to nothing above it",
     "it is indented less than the first line, or follows a value that ended", "---"},
    {"no colon", "this line is no 'key: value'", "it has no ': '", ""},
    {"no key", "a ':' or ',' without a key", "", ""},
    {"no value", "a ',' without a value before it", "", ""},
    {"unknown token", "no value starts with this character", "", "quotes around the value"},
    {"alias not found after *", "a '*' without a name", "", "quotes around the value"},
    {"anchor not found after &", "an '&' without a name", "", "quotes around the value"},
    {"cannot set zero indentation for a block scalar", "a block cannot have indentation 0", "", ""},
    {"unexpected character in block scalar", "text right behind a block's '|' or '>'", "",
     "the text on the next line"},
}};

/// A message may end inside a character.
std::string shown(std::string_view message) {
  std::string result = printable(message, longest_shown);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) > 0x7F) c = '?';
  }
  return result;
}

std::size_t line_start(std::string_view text, std::size_t offset) {
  if (offset == 0) return 0;
  const std::size_t found = text.rfind('\n', offset - 1);
  return found == std::string_view::npos ? 0 : found + 1;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  return std::min(text.find('\n', offset), text.size());
}

/// Of a template on the line of `offset`, or of a line before it that starts with one.
std::size_t find_template(std::string_view text, std::size_t offset) {
  const std::size_t start = line_start(text, offset);
  const std::size_t stop = line_end(text, offset);
  for (std::size_t i = start; i < stop; ++i) {
    if (starts_template(text.substr(i))) return i;
  }
  for (std::size_t begin = 0; begin < start; begin = line_end(text, begin) + 1) {
    const std::size_t first = text.find_first_not_of(" \t-", begin);
    if (first < start && starts_template(text.substr(first))) return first;
  }
  return std::string_view::npos;
}

/// What the place in its line tells.
std::optional<Error> inside_line(const SourceText& source, std::size_t offset,
                                 std::string_view message) {
  const std::string_view text = source.text();
  const std::size_t start = line_start(text, offset);
  const std::string_view before = text.substr(start, offset - start);
  const std::size_t last = before.find_last_not_of(" \t");
  const bool colon_before = before.find(": ") != before.npos;
  if (message == "illegal map value" && !colon_before && last != before.npos) {
    return error_at(source, start + before.find_first_not_of(" \t"),
                    "this line does not go with the one above it",
                    "it is indented too far, or there a ':' is missing", {});
  }
  const bool value = message == "end of map not found" || message == "end of sequence not found";
  if (!value || last == before.npos) return std::nullopt;
  constexpr std::string_view ends = "\"']}";
  if (ends.find(before[last]) != ends.npos) {
    return error_at(source, offset, "text behind the end of a value", "quotes and brackets end it",
                    "quotes around all of it");
  }
  return error_at(source, offset, "no value starts with this character", {},
                  "quotes around the value");
}

Error other_error(const SourceText& source, std::size_t offset, std::string_view message) {
  constexpr std::string_view unknown_anchor = "the referenced anchor is not defined";
  if (message.starts_with(unknown_anchor)) {
    const std::string_view text = source.text();
    const std::size_t end = text.find_first_of(" \t\r\n,]}", offset);
    const std::string name = printable(text.substr(offset, end - offset), longest_shown);
    return error_at(source, offset, fmt::format("nothing is named '&{}'", name.substr(1)),
                    fmt::format("'{}' repeats what an anchor before it names", name),
                    "quotes around it if it is no alias");
  }
  if (std::optional<Error> error = inside_line(source, offset, message)) return *error;
  const auto found = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& reason) {
    return message.starts_with(reason.message);
  });
  if (found == reasons.end()) {
    return error_at(source, offset, "not valid YAML", shown(message), {});
  }
  return error_at(source, offset, std::string(found->what), std::string(found->why),
                  std::string(found->fix));
}

}  // namespace

Error error_at(const SourceText& source, std::size_t offset, std::string what, std::string why,
               std::string fix) {
  return Error(Diagnostic{.what = std::move(what),
                          .where = to_string(source.place(offset, offset + 1)),
                          .why = std::move(why),
                          .fix = std::move(fix)});
}

bool starts_template(std::string_view text) {
  return text.starts_with("{{") || text.starts_with("{%");
}

bool holds_template(std::string_view text) {
  const std::size_t open = text.find("{{");
  if (open == std::string_view::npos || text.find("}}", open) == std::string_view::npos) {
    return false;
  }
  // "{{ $labels.pod }}": a template of the alert rules, which are rendered later.
  const std::size_t first = text.find_first_not_of(" -", open + 2);
  return first != std::string_view::npos && text[first] != '$';
}

Error template_error(const SourceText& source, std::size_t offset) {
  const bool jinja = source.text().find("{%") != std::string_view::npos;
  return error_at(source, offset, "this is a template that was not rendered",
                  "its braces are no values yet",
                  jinja ? "render it, then: roofline check RENDERED.yaml"
                        : "helm template . | roofline check -");
}

Error yaml_error(const SourceText& source, const TextScan& scan, std::size_t offset,
                 std::string_view message) {
  const std::string_view text = source.text();
  offset = std::min(offset, text.size());
  if (const std::size_t found = find_template(text, offset); found != text.npos) {
    return template_error(source, found);
  }
  if (scan.indent_tab && *scan.indent_tab <= line_end(text, offset)) {
    return error_at(source, *scan.indent_tab, "a tab in the indentation", "YAML wants spaces", {});
  }
  if (scan.open_quote) {
    return error_at(source, *scan.open_quote, "a quote is not closed", {},
                    std::string(1, text[*scan.open_quote]));
  }
  return other_error(source, offset, message);
}

}  // namespace roofline
