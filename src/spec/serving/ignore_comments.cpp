// "# roofline: ignore[rule, rule] reason" and "ignore-file[...]". One that is not well formed is an
// error: silence about it would look like a rule that does not work.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/serving/config_node.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/source_text.hpp"
#include "spec/serving/text_scan.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view right_form = "# roofline: ignore[kv-too-small] the reason";
constexpr std::size_t longest_shown = 60;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

std::string_view first_line(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find('\n', first) - first);
}

/// The first line that is no comment and not empty.
std::string_view first_content(std::string_view text) {
  std::string_view line = first_line(text);
  while (line.starts_with('#') && !line.starts_with("#!")) {
    const auto behind = static_cast<std::size_t>(line.data() + line.size() - text.data());
    line = first_line(text.substr(behind));
  }
  return line;
}

/// YAML starts with a key, a dash, a marker or a bracket; all else is taken for a script.
bool looks_like_yaml(std::string_view text) {
  const std::string_view line = trimmed(first_content(without_byte_order_mark(text)));
  if (line.empty()) return true;
  if (line.starts_with('"') || line.starts_with('\'')) {
    const std::size_t end = quote_end(line, 0);
    return end != line.npos && trimmed(line.substr(end)).starts_with(':');
  }
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  if (word == "-" || word == "---" || word == "?" || line.starts_with('%')) return true;
  if (word.starts_with('{') || word.starts_with('[')) {
    return word != "[[" && !(word == "[" && trimmed(line.substr(1)).starts_with('-'));
  }
  return word.size() > 1 && word.ends_with(':');
}

class IgnoreReader {
 public:
  IgnoreReader(std::string_view text, const std::string& file)
      : source_(text, file),
        text_(text),
        scan_(looks_like_yaml(text) ? scan_yaml(text) : scan_shell(text)) {}

  std::vector<IgnoreComment> read() {
    for (const TextComment& comment : scan_.comments) {
      errors_.collect([&] { read_comment(comment); });
    }
    errors_.throw_if_any();
    return std::move(found_);
  }

 private:
  /// There may be another comment before it: "# 32k tokens # roofline: ignore[...]".
  void read_comment(const TextComment& comment) {
    constexpr std::string_view name = "roofline:";
    for (std::size_t hash = comment.begin; hash < comment.end; hash = text_.find('#', hash + 1)) {
      std::size_t at = std::min(text_.find_first_not_of(" \t", hash + 1), comment.end);
      if (!text_.substr(at, comment.end - at).starts_with(name)) continue;
      at = std::min(text_.find_first_not_of(" \t", at + name.size()), comment.end);
      read_directive(comment, hash, text_.substr(at, comment.end - at));
      return;
    }
  }

  void read_directive(const TextComment& comment, std::size_t hash, std::string_view rest) {
    const auto word_end = std::find_if_not(rest.begin(), rest.end(), is_word);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(word_end - rest.begin()));
    const std::string_view behind = trimmed(rest.substr(word.size()));
    // "# roofline: our config" is prose.
    if (!word.starts_with("ignore") && !behind.starts_with('[')) return;
    if (word != "ignore" && word != "ignore-file") {
      refuse(comment, hash, fmt::format("'{}' is no comment of roofline", printable(word)),
             "there are ignore[...] and ignore-file[...]");
    }
    const std::size_t close = behind.find(']');
    if (!behind.starts_with('[') || close == behind.npos) {
      refuse(comment, hash, fmt::format("'{}' without the rules in brackets", word),
             "all rules at once cannot be ignored");
    }
    IgnoreComment ignore{
        .rules = rules(comment, hash, behind.substr(1, close - 1)),
        .reason = std::string(trimmed(behind.substr(close + 1))),
        .whole_file = word == "ignore-file",
        .place = source_.place(hash, text_.find_last_not_of(blanks, comment.end - 1) + 1)};
    ignore.line = comment.alone ? next_line(comment, ignore.place.line) : ignore.place.line;
    if (comment.alone) ignore.last_line = last_line(ignore.line);
    found_.push_back(std::move(ignore));
  }

  [[nodiscard]] std::vector<std::string> rules(const TextComment& comment, std::size_t hash,
                                               std::string_view list) const {
    std::vector<std::string> result;
    while (true) {
      const std::size_t comma = std::min(list.find(','), list.size());
      const std::string_view rule = trimmed(list.substr(0, comma));
      if (rule.empty()) refuse(comment, hash, "a list of rules with an empty one", {});
      if (!std::all_of(rule.begin(), rule.end(), is_word)) {
        refuse(comment, hash, fmt::format("'{}' is no rule", printable(rule, longest_shown)),
               "rules are lower-case words with dashes");
      }
      result.emplace_back(rule);
      if (comma == list.size()) return result;
      list.remove_prefix(comma + 1);
    }
  }

  /// The next one that is no comment and not empty; the comment's own if there is none.
  [[nodiscard]] std::int64_t next_line(const TextComment& comment, std::int64_t line) {
    // Up to the last one found there are comments alone: a file may be full of them.
    if (line >= next_content_) next_content_ = find_content(comment, line);
    return next_content_ == none_follows ? line : next_content_;
  }

  [[nodiscard]] std::int64_t find_content(const TextComment& comment, std::int64_t line) const {
    std::int64_t next = line;
    for (std::size_t at = text_.find('\n', comment.end); at < text_.size();) {
      ++next;
      const std::size_t end = std::min(text_.find('\n', at + 1), text_.size());
      const std::string_view content = trimmed(text_.substr(at + 1, end - at - 1));
      if (!content.empty() && !content.starts_with('#')) return next;
      at = end;
    }
    return none_follows;
  }

  /// Of the lines that continue it; 0 if there is none.
  [[nodiscard]] std::int64_t last_line(std::int64_t line) const {
    auto next = static_cast<std::size_t>(line);
    while (next < scan_.continued.size() && scan_.continued[next]) ++next;
    return static_cast<std::int64_t>(next) > line ? static_cast<std::int64_t>(next) : 0;
  }

  [[noreturn]] void refuse(const TextComment& comment, std::size_t hash, std::string what,
                           std::string why) const {
    throw Error(Diagnostic{.what = std::move(what),
                           .where = to_string(source_.place(hash, comment.end)),
                           .why = std::move(why),
                           .fix = std::string(right_form)});
  }

  SourceText source_;
  std::string_view text_;
  TextScan scan_;
  static constexpr std::int64_t none_follows = std::numeric_limits<std::int64_t>::max();
  std::int64_t next_content_ = 0;
  std::vector<IgnoreComment> found_;
  ErrorCollector errors_;
};

}  // namespace

std::vector<IgnoreComment> read_ignore_comments(std::string_view text, const std::string& file) {
  return IgnoreReader(text, file).read();
}

}  // namespace roofline
