// JSON allows what YAML does not (tabs, surrogate escapes, 1e6 as a number), so it has its own
// parser. That tells no positions: tokens are found again by walking beside it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "roofline/error.hpp"
#include "spec/serving/config_events.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/text_scan.hpp"
#include "spec/serving/yaml_scalars.hpp"

namespace roofline {
namespace {

using nlohmann::json;

class JsonEvents {
 public:
  JsonEvents(const SourceText& source, ConfigBuilder& builder)
      : source_(source),
        builder_(builder),
        at_(source.text().size() - without_byte_order_mark(source.text()).size()) {}

  bool null() { return word(NodeKind::null); }
  bool boolean(bool /*value*/) { return word(NodeKind::boolean); }
  bool number_integer(json::number_integer_t /*value*/) { return word(NodeKind::number); }
  bool number_unsigned(json::number_unsigned_t /*value*/) { return word(NodeKind::number); }
  bool number_float(json::number_float_t /*value*/, const std::string& /*digits*/) {
    return word(NodeKind::number);
  }
  bool string(const std::string& value) {
    ConfigNode node = token();
    node.kind = NodeKind::text;
    node.text = value;
    node.quoted = true;
    builder_.scalar(std::move(node), ConfigBuilder::no_anchor);
    return true;
  }
  bool key(const std::string& value) { return string(value); }
  bool binary(const json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*elements*/) { return open(NodeKind::mapping); }
  bool start_array(std::size_t /*elements*/) { return open(NodeKind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& /*error*/) {
    ensure(false, "a JSON text was read once and not again");
    return false;
  }

 private:
  /// The next token's place.
  ConfigNode token() {
    const std::string_view text = source_.text();
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n,:", at_), text.size());
    const std::size_t end = begin < text.size() && text[begin] == '"'
                                ? quote_end(text, begin)
                                : text.find_first_of(" \t\r\n,:]}", begin + 1);
    at_ = std::min(end, text.size());
    ConfigNode node;
    node.offset = begin;
    node.place = source_.place(begin, at_);
    return node;
  }

  bool word(NodeKind kind) {
    ConfigNode node = token();
    node.kind = kind;
    node.written = source_.text().substr(node.offset, at_ - node.offset);
    if (kind == NodeKind::boolean) node.text = node.written;
    if (kind == NodeKind::number) node.text = json_number(node.written);
    builder_.scalar(std::move(node), ConfigBuilder::no_anchor);
    return true;
  }

  std::size_t bracket() {
    const std::size_t begin = source_.text().find_first_not_of(" \t\r\n,:", at_);
    at_ = begin + 1;
    return begin;
  }
  bool open(NodeKind kind) {
    builder_.open(kind, bracket(), ConfigBuilder::no_anchor);
    return true;
  }
  bool close() {
    bracket();
    builder_.close();
    return true;
  }

  const SourceText& source_;
  ConfigBuilder& builder_;
  std::size_t at_;
};

}  // namespace

void read_json_events(const SourceText& source, ConfigBuilder& builder) {
  const std::string_view text = without_byte_order_mark(source.text());
  JsonEvents events(source, builder);
  builder.begin_document();
  (void)json::sax_parse(text.begin(), text.end(), &events);
  builder.end_document();
}

}  // namespace roofline
