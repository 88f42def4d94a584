// Annotations of GitHub Actions: commands to the runner, a line each.
#include <fmt/format.h>

#include <array>

#include "base/counted.hpp"
#include "report/check_formats.hpp"

namespace roofline::report {
namespace {

struct Escape {
  char character;
  std::string_view text;
};

/// What the runner reads back; a carriage return is dropped as other control characters are.
constexpr std::array escapes{Escape{'%', "%25"}, Escape{'\n', "%0A"}, Escape{':', "%3A"},
                             Escape{',', "%2C"}};
constexpr std::size_t escapes_of_messages = 2;

std::string escaped(std::string_view text, std::size_t count) {
  std::string result;
  for (const char c : without_controls(text)) {
    std::string_view as_text;
    for (std::size_t i = 0; i < count; ++i) {
      if (escapes[i].character == c) as_text = escapes[i].text;
    }
    if (as_text.empty()) {
      result += c;
    } else {
      result += as_text;
    }
  }
  return result;
}

std::string property(std::string_view text) {
  return escaped(text, escapes.size());
}

struct Kind {
  Severity severity;
  std::string_view command;
  std::string_view noun;
};
constexpr std::array kinds{Kind{Severity::error, "error", "error"},
                           Kind{Severity::warning, "warning", "warning"},
                           Kind{Severity::note, "notice", "note"}};

std::string annotation(const CheckItem& item, std::string_view command) {
  return fmt::format("::{} file={},line={},col={},endLine={},endColumn={},title={}::{}\n", command,
                     property(item.file), item.line, item.column, item.line, item.end_column,
                     property(item.rule), escaped(message_of(item), escapes_of_messages));
}

/// The runner drops annotations beyond ten of a kind: it is said how many.
void append_hidden(std::string& out, std::int64_t found, std::string_view noun) {
  constexpr std::int64_t shown = 10;
  if (found <= shown) return;
  const std::int64_t hidden = found - shown;
  out += fmt::format("{}: GitHub shows {} annotations of a kind, {} {} in this log alone\n",
                     counted(found, noun), shown, count_text(hidden), hidden == 1 ? "is" : "are");
}

}  // namespace

std::string write_check_github(const CheckResult& result, const CheckReportOptions& options) {
  const std::vector<CheckItem> items = check_items(result, options);
  std::string out;
  std::string hidden;
  for (const Kind& kind : kinds) {
    std::int64_t found = 0;
    for (const bool judged : {false, true}) {
      for (const CheckItem& item : items) {
        if (item.severity != kind.severity || (item.rule != not_judged_rule) != judged) continue;
        out += annotation(item, kind.command);
        ++found;
      }
    }
    append_hidden(hidden, found, kind.noun);
  }
  return out + hidden + summary_of(result) + '\n';
}

}  // namespace roofline::report
