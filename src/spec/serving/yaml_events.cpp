// The parser's events, with what it does not tell: the value's own place behind its anchor and
// tag, its end, whether a null is written or only missing, and that documents end at "---".
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/serving/config_events.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/text_scan.hpp"
#include "spec/serving/yaml_errors.hpp"
#include "spec/serving/yaml_scalars.hpp"
#include "spec/serving/yaml_tags.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view word_ends = " \t\r\n,]}";

bool is_in(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

/// A carriage return alone breaks a line in YAML 1.1, but not for the parser.
std::string parsed_text(std::string_view text) {
  std::string result(text);
  for (std::size_t i = result.find('\r'); i != std::string::npos; i = result.find('\r', i + 1)) {
    if (i + 1 >= result.size() || result[i + 1] != '\n') result[i] = '\n';
  }
  return result;
}

class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(const SourceText& source, const TextScan& scan, ConfigBuilder& builder,
             std::vector<ConfigRemark>& remarks)
      : source_(source),
        text_(source.text()),
        start_(text_.size() - without_byte_order_mark(text_).size()),
        scan_(scan),
        builder_(builder),
        remarks_(remarks) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const std::size_t offset = at(mark);
    if (++documents_ > 1 && !text_.substr(offset).starts_with("---") && !ended_before(offset)) {
      throw yaml_error(source_, scan_, offset, "text behind a document");
    }
    builder_.begin_document();
  }
  void OnDocumentEnd() override { builder_.end_document(); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_colon(at(mark));
    const Behind behind = behind_properties(at(mark));
    if (!is_null_written(behind.value)) {
      return builder_.scalar(missing(at(mark), behind.properties_end), anchor);
    }
    const std::size_t end = text_.find_first_of(" \t\r\n,]}:", behind.value);
    ConfigNode node = node_at(behind.value, std::min(end, text_.size()));
    node.written = text_.substr(node.offset, std::min(end, text_.size()) - node.offset);
    builder_.scalar(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    note_key(at(mark));
    builder_.alias(at(mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    note_key(at(mark));
    const Behind behind = behind_properties(at(mark));
    const char first = behind.value < text_.size() ? text_[behind.value] : '\0';
    const bool quote = first == '"' || first == '\'';
    const bool block = tag != plain_tag && (first == '|' || first == '>');
    if (tag != plain_tag && value.empty() && !quote && !block) {
      ConfigNode node = missing(at(mark), behind.properties_end);
      resolve(node, tag, value, at(mark));
      return builder_.scalar(std::move(node), anchor);
    }
    // The parser takes the end of the text for the quote's.
    if (quote && quote_end(text_, behind.value) == text_.npos) {
      throw yaml_error(source_, scan_, behind.value, "illegal EOF in scalar");
    }
    ConfigNode node = node_at(behind.value, scalar_end(behind.value, value, quote, block));
    node.quoted = quote || block;
    if (!node.quoted) node.written = value;
    resolve(node, tag, value, at(mark));
    builder_.scalar(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(NodeKind::list, mark, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(NodeKind::mapping, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  /// The innermost bracket that is open; `otherwise` if there is none.
  [[nodiscard]] std::size_t open_bracket(std::size_t otherwise) const {
    return open_.empty() || !open_.back().flow ? otherwise : open_.back().offset;
  }
  [[nodiscard]] std::size_t at(const YAML::Mark& mark) const {
    const std::size_t offset = mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
    return std::min(start_ + offset, text_.size());
  }

 private:
  struct Open {
    std::size_t offset = 0;
    std::size_t column = 0;
    bool flow = false;
  };

  void note_key(std::size_t mark) {
    if (builder_.wants_key()) key_mark_ = mark;
  }

  /// A key at the end of its mapping is let pass without ':'; its null has the key's own mark.
  void check_colon(std::size_t mark) {
    note_key(mark);
    if (builder_.waiting_key() == nullptr || open_.back().flow || mark != key_mark_) return;
    throw yaml_error(source_, scan_, mark, "no colon");
  }

  /// What an anchor and a tag stand before.
  struct Behind {
    std::size_t properties_end = 0;
    std::size_t value = 0;
  };

  [[nodiscard]] Behind behind_properties(std::size_t offset) const {
    Behind result{.properties_end = offset, .value = offset};
    while (result.value < text_.size() && is_in("&!", text_[result.value])) {
      result.properties_end = std::min(text_.find_first_of(word_ends, result.value), text_.size());
      result.value = behind_blanks(result.properties_end);
    }
    return result;
  }

  [[nodiscard]] std::size_t behind_blanks(std::size_t at) const {
    while (at < text_.size() && (is_in(blanks, text_[at]) || text_[at] == '#')) {
      at = text_[at] == '#' ? std::min(text_.find('\n', at), text_.size()) : at + 1;
    }
    return at;
  }

  [[nodiscard]] std::size_t column(std::size_t offset) const {
    return static_cast<std::size_t>(source_.place(offset, offset).column);
  }

  /// "..." is the last that stands before, but for comments, directives and empty lines.
  [[nodiscard]] bool ended_before(std::size_t offset) const {
    std::size_t line = offset;
    while (line > 0) {
      const std::size_t before = line < 2 ? text_.npos : text_.rfind('\n', line - 2);
      line = before == text_.npos ? 0 : before + 1;
      const std::size_t first = std::min(text_.find_first_not_of(blanks, line), offset);
      if (text_.substr(line).starts_with("...")) return true;
      if (first < offset && text_[first] != '#' && text_[first] != '%') return false;
    }
    return false;
  }

  /// A missing null has the mark of what comes next, which may be a null itself.
  [[nodiscard]] bool is_null_written(std::size_t offset) const {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}:", offset), text_.size());
    const std::string_view word = text_.substr(std::min(offset, end), end - offset);
    if (word.empty() || resolve_plain(word).kind != NodeKind::null) return false;
    if (open_.empty() || builder_.wants_key()) return true;
    const ConfigNode* key = builder_.waiting_key();
    if (key != nullptr && key->offset == offset) return false;
    return open_.back().flow || column(offset) > open_.back().column;
  }

  /// A value that is not there stands where its anchor, its key or its dash is.
  [[nodiscard]] ConfigNode missing(std::size_t mark, std::size_t properties_end) const {
    if (properties_end > mark) return node_at(mark, properties_end);
    if (const ConfigNode* key = builder_.waiting_key()) {
      ConfigNode node;
      node.offset = key->offset;
      node.place = key->place;
      return node;
    }
    if (builder_.wants_key()) throw yaml_error(source_, scan_, mark, "no key");
    if (open_.empty()) return node_at(mark, mark);
    if (open_.back().flow) throw yaml_error(source_, scan_, mark, "no value");
    const std::size_t dash = mark > 0 ? text_.rfind('-', mark - 1) : mark;
    return node_at(std::min(dash, mark), std::min(dash, mark) + 1);
  }

  [[nodiscard]] ConfigNode node_at(std::size_t begin, std::size_t end) const {
    ConfigNode node;
    node.offset = begin;
    node.place = source_.place(begin, end);
    return node;
  }

  /// One past its last byte on the first line.
  [[nodiscard]] std::size_t scalar_end(std::size_t begin, const std::string& value, bool quote,
                                       bool block) const {
    if (block) return std::min(text_.find_first_of(blanks, begin), text_.size());
    if (!quote && text_.substr(begin).starts_with(value)) return begin + value.size();
    const std::size_t behind = quote ? quote_end(text_, begin) : text_.npos;
    // No further than the quote's end: a file may be one line.
    std::size_t end = std::min(behind, text_.size());
    if (const std::size_t line = text_.substr(begin, end - begin).find('\n'); line != text_.npos) {
      end = begin + line;
    }
    while (end > begin + 1 && is_in(blanks, text_[end - 1])) --end;
    return end;
  }

  void resolve(ConfigNode& node, const std::string& tag, const std::string& value,
               std::size_t tag_offset) {
    ScalarValue resolved = tagged_scalar(source_, tag, value, node.quoted, tag_offset);
    node.kind = resolved.kind;
    node.text = std::move(resolved.text);
    if (tag != plain_tag) return;
    if (holds_template(value)) throw template_error(source_, node.offset);
    if (builder_.wants_key()) return;
    if (std::optional<ScalarSurprise> surprise = surprise_of(value)) {
      remarks_.push_back({.rule = "yaml-surprise",
                          .place = node.place,
                          .what = std::move(surprise->what),
                          .why = std::move(surprise->why),
                          .fix = std::move(surprise->fix)});
    }
  }

  void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    const std::size_t offset = behind_properties(at(mark)).value;
    if (starts_template(text_.substr(std::min(offset, text_.size())))) {
      throw template_error(source_, offset);
    }
    check_collection_tag(source_, tag, kind, at(mark));
    builder_.open(kind, offset, anchor);
    const bool flow = style == YAML::EmitterStyle::Flow;
    open_.push_back({.offset = offset, .column = flow ? 0 : column(offset), .flow = flow});
  }

  void close() {
    open_.pop_back();
    builder_.close();
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t start_;
  const TextScan& scan_;
  ConfigBuilder& builder_;
  std::vector<ConfigRemark>& remarks_;
  std::vector<Open> open_;
  std::size_t key_mark_ = 0;
  int documents_ = 0;
};

void check_scan(const SourceText& source, const TextScan& scan) {
  if (scan.deep) {
    throw Error(Diagnostic{.what = "nested more than 100 levels",
                           .where = to_string(source.place(*scan.deep, *scan.deep + 1))});
  }
  if (scan.long_flow) {
    throw Error(Diagnostic{.what = "more than 500000 values in brackets",
                           .where = to_string(source.place(*scan.long_flow, *scan.long_flow))});
  }
  if (scan.indent_tab) {
    throw yaml_error(source, scan, *scan.indent_tab, "illegal tab when looking for indentation");
  }
}

void add_tab_remark(const SourceText& source, const TextScan& scan,
                    std::vector<ConfigRemark>& remarks) {
  if (!scan.other_tab) return;
  remarks.push_back({.rule = "yaml-surprise",
                     .place = source.place(*scan.other_tab, *scan.other_tab + 1),
                     .what = "a tab outside quotes",
                     .why = "PyYAML, with which vLLM and SGLang read their configs, refuses it",
                     .fix = "a space"});
}

}  // namespace

void read_yaml_events(const SourceText& source, ConfigBuilder& builder,
                      std::vector<ConfigRemark>& remarks) {
  const TextScan scan = scan_yaml(source.text());
  check_scan(source, scan);
  std::istringstream stream(parsed_text(without_byte_order_mark(source.text())));
  YamlEvents events(source, scan, builder, remarks);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    const std::size_t offset = events.at(error.mark);
    const bool bracket = error.msg.ends_with("flow not found");
    throw yaml_error(source, scan, bracket ? events.open_bracket(offset) : offset, error.msg);
  }
  add_tab_remark(source, scan, remarks);
}

}  // namespace roofline
