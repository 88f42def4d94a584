// YAML and JSON texts to nodes: values, places, remarks, and what is refused where.
#include "spec/serving/config_node.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "roofline/error.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

ConfigNode root_of(const std::string& text) {
  const ConfigDocuments documents = read_config_text(text, "f");
  REQUIRE(documents.roots.size() == 1);
  return documents.roots.front();
}

Diagnostic refusal(const std::string& text) {
  try {
    (void)read_config_text(text, "f");
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  FAIL("was read: " << text.substr(0, 100));
  return {};
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// {a: 1, b: [x, ~]} on one line, texts in quotes.
std::string shown(const ConfigNode& node) {
  std::string result;
  switch (node.kind) {
    case NodeKind::null:
      return "~";
    case NodeKind::boolean:
    case NodeKind::number:
      return node.text;
    case NodeKind::text:
      return "\"" + node.text + "\"";
    case NodeKind::list:
      for (const ConfigNode& item : node.items) {
        result += (result.empty() ? "" : ", ") + shown(item);
      }
      return "[" + result + "]";
    case NodeKind::mapping:
      for (const ConfigNode::Member& member : node.members) {
        result += (result.empty() ? "" : ", ") + member.key + ": " + shown(member.value);
      }
      return "{" + result + "}";
  }
  return {};
}

std::string placed(const Place& place) {
  return to_string(place) + "-" + std::to_string(place.end_column);
}

}  // namespace

// Expected values: PyYAML's safe_load.
TEST_CASE("YAML has the values that PyYAML gives it", "[serving]") {
  const auto [text, value] = GENERATE(table<std::string, std::string>({
      {"a: 1\nb: two\nc: [1, x, 'y']\nd: {e: f}\n",
       R"({a: 1, b: "two", c: [1, "x", "y"], d: {e: "f"}})"},
      {"a:\n  b:\n    - c: 1\n      d: 2\n    - e\n  f: ~\ng:\n",
       R"({a: {b: [{c: 1, d: 2}, "e"], f: ~}, g: ~})"},
      {"- 1\n- - 2\n  - 3\n-\n- x\n", R"([1, [2, 3], ~, "x"])"},
      {"a:\n- 1\n- 2\nb: 3\n", "{a: [1, 2], b: 3}"},
      {"a: multi\n  line\n\n  plain\nb: 1", "{a: \"multi line\nplain\", b: 1}"},
      {"a: |\n  x # no\n    y\n\nb: >-\n  q\n  r\n", "{a: \"x # no\n  y\n\", b: \"q r\"}"},
      {"a: 'it''s'\nb: \"x\\ty\\u00e9\\x41\"\n",
       "{a: \"it's\", b: \"x\ty\xC3\xA9"
       "A\"}"},
      {"a: b # c\nd: e#f\ng: 'x # y'\n", R"({a: "b", d: "e#f", g: "x # y"})"},
      {"a: no\nb: 'no'\nc: 010\nd: \"010\"\ne: 1e6\nf: 12:30:00\n",
       R"({a: false, b: "no", c: 8, d: "010", e: "1e6", f: 45000})"},
      {"a: !!str 5\nb: !!int \"5\"\nc: ! 7\nd: !!float 1.5\ne: !!null ''\nf: !!bool on\ng: "
       "!!str\nh: 1",
       R"({a: "5", b: 5, c: "7", d: 1.5, e: ~, f: true, g: "", h: 1})"},
      {"a: !reset 5\nb: !override [1]\nc: !override 010\n", "{a: ~, b: [1], c: 8}"},
      {"a: x\r\nb:\r\n  - 1\r\n", R"({a: "x", b: [1]})"},
      {"a: 1\rb: 2\r", "{a: 1, b: 2}"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       "{a: 1}"},
      {"%YAML 1.1\n---\na: 1\n...\n", "{a: 1}"},
      {"a: [x, y,]\nb: {c: 1,}\nd: [e: f]\ng: {h}\n",
       R"({a: ["x", "y"], b: {c: 1}, d: [{e: "f"}], g: {h: ~}})"},
      {"a: http://x:80/?q=1\nb: -x\nc: --tp\n", R"({a: "http://x:80/?q=1", b: "-x", c: "--tp"})"},
      {"on: 1\n8000: x\n", R"({on: 1, 8000: "x"})"},
      {"k:\n-\nnull: x\n", R"({k: [~], null: "x"})"},
      {"? a\n? b\n: c\n", R"({a: ~, b: "c"})"},
      {"a:\n~: b\n", R"({a: ~, ~: "b"})"},
  }));
  CAPTURE(text);
  CHECK(shown(root_of(text)) == value);
}

TEST_CASE("JSON has its own numbers and blanks", "[serving]") {
  CHECK(shown(root_of("{\t\"a\": 1,\n\t\"b\": [1e6, true, null, 010.5]\n}").members.empty()
                  ? ConfigNode{}
                  : root_of("{\t\"a\": [1e6, -0.5, true, null]\n\t}")) ==
        "{a: [1000000, -0.5, true, ~]}");
}

TEST_CASE("Anchors repeat and merge keys merge", "[serving]") {
  const auto [text, value] = GENERATE(table<std::string, std::string>({
      {"a: &x 1\nb: *x\nc: &y [1, *x]\nd: *y\n", "{a: 1, b: 1, c: [1, 1], d: [1, 1]}"},
      {"a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}"},
      {"a: &a {x: 1, y: 1}\nc: {<<: *a, y: 3}\n", "{a: {x: 1, y: 1}, c: {y: 3, x: 1}}"},
      {"a: &a {x: 1, y: 1}\nc: {y: 3, <<: *a}\n", "{a: {x: 1, y: 1}, c: {y: 3, x: 1}}"},
      {"a: &a {x: 1}\nb: &b {x: 2, z: 2}\nc: {<<: [*a, *b]}\n",
       "{a: {x: 1}, b: {x: 2, z: 2}, c: {x: 1, z: 2}}"},
      {"a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: *a, <<: *b}\n", "{a: {x: 1}, b: {x: 2}, c: {x: 2}}"},
      {"a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\n",
       "{a: {x: 1}, b: {y: 2, x: 1}, c: {y: 2, x: 1}}"},
      {"'<<': {a: 1}\n", "{<<: {a: 1}}"},
      {"&k a: 1\nb: {*k : 2}\n", "{a: 1, b: {a: 2}}"},
  }));
  CAPTURE(text);
  const ConfigDocuments documents = read_config_text(text, "f");
  CHECK(shown(documents.roots.at(0)) == value);
  CHECK(documents.remarks.empty());
}

TEST_CASE("All documents are read and empty ones left out", "[serving]") {
  const ConfigDocuments documents =
      read_config_text("a: 1\n---\n# nothing\n---\n- 2\n...\nb: 3\n--- |\n x\n", "f");
  REQUIRE(documents.roots.size() == 4);
  CHECK(shown(documents.roots[0]) == "{a: 1}");
  CHECK(shown(documents.roots[1]) == "[2]");
  CHECK(shown(documents.roots[2]) == "{b: 3}");
  CHECK(shown(documents.roots[3]) == "\"x\n\"");
  CHECK(read_config_text("", "f").roots.empty());
  CHECK(read_config_text("# comment", "f").roots.empty());
  CHECK(read_config_text("---\n---\n", "f").roots.empty());
}

TEST_CASE("Anchors of one document are unknown in the next", "[serving]") {
  CHECK(refusal("a: &x 1\n---\nb: *x\n").where == "f:3:4");
}

TEST_CASE("Of a key that stands twice the last counts", "[serving]") {
  const ConfigDocuments documents = read_config_text("model: a\nmax-model-len: 1\nmodel: b\n", "f");
  CHECK(shown(documents.roots.at(0)) == R"({model: "b", max-model-len: 1})");
  CHECK(placed(documents.roots.at(0).members.at(0).place) == "f:3:1-6");
  REQUIRE(documents.remarks.size() == 1);
  CHECK(documents.remarks[0] == ConfigRemark{.rule = "duplicate-key",
                                             .place = {"f", 3, 1, 6},
                                             .what = "key 'model' stands twice",
                                             .why = "of line 1 and line 3 the last counts",
                                             .fix = "remove line 1"});
  const ConfigDocuments line = read_config_text(R"({"a": 1, "a": 2})", "f");
  REQUIRE(line.remarks.size() == 1);
  CHECK(line.remarks[0].fix == "remove the first of the two");
  CHECK(read_config_text("a: {b: 1}\nc: {b: 1}\n", "f").remarks.empty());
}

TEST_CASE("Values that surprise are remarked once and where they stand", "[serving]") {
  const ConfigDocuments documents =
      read_config_text("a: &x 1e6\nb: *x\nc: no\nd: \"1e6\"\n010: x\ne: 010\n", "f");
  REQUIRE(documents.remarks.size() == 2);
  CHECK(documents.remarks[0].rule == "yaml-surprise");
  CHECK(placed(documents.remarks[0].place) == "f:1:7-10");
  CHECK(documents.remarks[0].fix == "1000000");
  CHECK(placed(documents.remarks[1].place) == "f:6:4-7");
  CHECK(read_config_text("{\"a\": 1e6}", "f").remarks.empty());
}

TEST_CASE("A tab between values is remarked", "[serving]") {
  const ConfigDocuments documents = read_config_text("a:\t1\nb: 2\t\n# c\tc\nd: '\t'\n", "f");
  CHECK(shown(documents.roots.at(0)) == "{a: 1, b: 2, d: \"\t\"}");
  REQUIRE(documents.remarks.size() == 1);
  CHECK(documents.remarks[0].rule == "yaml-surprise");
  CHECK(placed(documents.remarks[0].place) == "f:1:3-4");
}

TEST_CASE("Values have their place", "[serving]") {
  const auto [text, key, where, offset] =
      GENERATE(table<std::string, std::string, std::string, std::size_t>({
          {"k: abc  # c\n", "k", "f:1:4-7", 3},
          {"x: 1\nk: 'a b'\n", "k", "f:2:4-9", 8},
          {"k: \"a\\\"b\"\n", "k", "f:1:4-10", 3},
          {"k: &n !!str   5\n", "k", "f:1:15-16", 14},
          {"k: &n # c\n  a: 1\n", "k", "f:2:3-4", 12},
          {"k: |-  \n  text\n", "k", "f:1:4-6", 3},
          {"k: two words\n  more\n", "k", "f:1:4-13", 3},
          {"k: two words \r\n  more\r\n", "k", "f:1:4-13", 3},
          {"k: 'two\n  more'\n", "k", "f:1:4-8", 3},
          {"k:\n  - a\n", "k", "f:2:3-4", 5},
          {"k: [a]\n", "k", "f:1:4-5", 3},
          {"k:\nx: 1\n", "k", "f:1:1-2", 0},
          {"x: 1\nk: ~\n", "k", "f:2:4-5", 8},
          {"k: null # c\n", "k", "f:1:4-8", 3},
          {"k: &n\nx: 1\n", "k", "f:1:4-6", 3},
          {"\xEF\xBB\xBFk: v\n", "k", "f:1:7-8", 6},
          {"x: \xC3\xA9\nk: \xC3\xA9\xC3\xA9\n", "k", "f:2:4-8", 9},
          {"x: &n v\nk: *n\n", "k", "f:1:7-8", 6},
          {"{\"x\": [1],\n\t\"k\" : \"a\\\"]\" }", "k", "f:2:8-14", 18},
          {"{\"x\":{\"y\":-1.5},\"k\":false}", "k", "f:1:21-26", 20},
      }));
  CAPTURE(text);
  const ConfigNode root = root_of(text);
  const ConfigNode* node = root.find(key);
  REQUIRE(node != nullptr);
  CHECK(placed(node->place) == where);
  CHECK(node->offset == offset);
}

TEST_CASE("A missing item stands at its dash", "[serving]") {
  const ConfigNode root = root_of("- a\n-\n-   # c\n- b\n");
  CHECK(placed(root.items.at(1).place) == "f:2:1-2");
  CHECK(root.items.at(2).place.line == 3);
}

TEST_CASE("A plain scalar keeps its spelling", "[serving]") {
  const ConfigNode root = root_of("a: Yes\nb: 'Yes'\nc: 0x10\nd: |\n  x\ne: !!str 10\n");
  CHECK(root.find("a")->written == "Yes");
  CHECK(root.find("a")->text == "true");
  CHECK_FALSE(root.find("a")->quoted);
  CHECK(root.find("b")->written.empty());
  CHECK(root.find("b")->quoted);
  CHECK(root.find("c")->written == "0x10");
  CHECK(root.find("d")->quoted);
  CHECK(root.find("e")->written == "10");
  CHECK(root.find("e")->kind == NodeKind::text);
}

TEST_CASE("Members are found step by step", "[serving]") {
  const ConfigNode root = root_of("a: {b: {c: 1}}\nd: [1]\n");
  REQUIRE(root.find_path({"a", "b", "c"}) != nullptr);
  CHECK(root.find_path({"a", "b", "c"})->text == "1");
  CHECK(root.find_path({"a", "x", "c"}) == nullptr);
  CHECK(root.find_path({"d", "b"}) == nullptr);
  CHECK(root.find("e") == nullptr);
}

TEST_CASE("What is no YAML is refused at its place", "[serving]") {
  const auto [text, where, what] = GENERATE(table<std::string, std::string, std::string>({
      {"a:\n\tb: 1\n", "f:2:1", "a tab in the indentation"},
      {"a:\n  b: 1\n  \tc: 1\n", "f:3:3", "a tab in the indentation"},
      {"x: 1\na: \"b\nc: 1\n", "f:2:4", "a quote is not closed"},
      {"a: 'b\n---\nc: 1\n", "f:1:4", "a quote is not closed"},
      {"a: [1, 2\nb: 3\n", "f:1:4", "a '[' is not closed"},
      {"a: {b: 1", "f:1:4", "a '{' is not closed"},
      {"a: 1\n]\n", "f:2:1", "a bracket that closes nothing"},
      {"a: b: c\n", "f:1:5", "a ':' where none may be"},
      {"a: 1\n  b: 2\n", "f:2:3", "this line does not go with the one above it"},
      {"a: 1\nmax-model-len 8192\n", "f:2:1", "this line is no 'key: value'"},
      {"a:\n  b: 1\n  c\nd: 1\n", "f:4:1", "this line does not go with the one above it"},
      {"a: 1\nb\nc: 1\n", "f:3:1", "this line does not go with the one above it"},
      {"  a: 1\nb: 2\n", "f:2:1", "this line belongs to nothing above it"},
      {"a: 1\n- b\n", "f:2:1", "this line is no 'key: value'"},
      {"a: @x\n", "f:1:4", "no value starts with this character"},
      {"a: %x\n", "f:1:4", "no value starts with this character"},
      {"a: \"x\" y\n", "f:1:8", "text behind the end of a value"},
      {"a: - b\n", "f:1:4", "a '- ' where none may be"},
      {"a: \"\\q\"\n", "f:1:7", "not valid YAML"},
      {"a: *b\n", "f:1:4", "nothing is named '&b'"},
      {"&a [*a]\n", "f:1:5", "an alias inside the value that it repeats"},
      {"a: !Ref x\n", "f:1:4", "tag '!Ref' is unknown"},
      {"a: !Ref\n", "f:1:4", "tag '!Ref' is unknown"},
      {"a: !!binary aGk=\n", "f:1:4", "tag '!!binary' is unknown"},
      {"a: !!python/object:x.y {}\n", "f:1:4", "tag '!!python/object:x.y' is unknown"},
      {"a: !!int x\n", "f:1:4", "'x' does not fit its tag '!!int'"},
      {"a: !!int 1.5\n", "f:1:4", "'1.5' does not fit its tag '!!int'"},
      {"? [a]\n: b\n", "f:1:3", "a list as a key"},
      {"<<: 3\n", "f:1:5", "'<<' merges mappings alone"},
      {"<<: [1]\n", "f:1:5", "'<<' merges mappings alone"},
      {"a: [x, , y]\n", "f:1:8", "a ',' without a value before it"},
      {": b\n", "f:1:1", "a ':' or ',' without a key"},
      {"a: \xE9\n", "f:1:4", "byte 0xe9 is no UTF-8"},
      {"a: \xC0\x80\n", "f:1:4", "byte 0xc0 is no UTF-8"},
      {"a: \xED\xA0\x80\n", "f:1:4", "byte 0xed is no UTF-8"},
      {std::string("a: b\nc: \0\n", 10), "f:2:4", "a NUL byte"},
      {"a: \x04\n", "f:1:4", "control character 0x04"},
      {std::string("a\0:\0", 4), "f:1:1", "the text is UTF-16"},
      {std::string("\xFF\xFE"
                   "a\0",
                   4),
       "f:1:1", "the text is UTF-16"},
      {std::string("\xFF\xFE\0\0"
                   "a\0\0\0",
                   8),
       "f:1:1", "the text is UTF-32"},
  }));
  CAPTURE(text);
  const Diagnostic refused = refusal(text);
  CHECK(refused.where == where);
  CHECK(refused.what == what);
  CHECK_THAT(refused.what + refused.why + refused.fix, !Contains("yaml-cpp"));
}

TEST_CASE("Templates that were not rendered are named", "[serving]") {
  const auto [text, where, fix] = GENERATE(table<std::string, std::string, std::string>({
      {"a: 1\nb: {{ .Values.b }}\n", "f:2:4", "helm template . | roofline check -"},
      {"{{- if .Values.x }}\na: 1\n{{- end }}\n", "f:1:1", "helm template . | roofline check -"},
      {"a:\n  {{- toYaml .Values.a | nindent 2 }}\n", "f:2:3",
       "helm template . | roofline check -"},
      {"image: vllm:{{ .Values.tag }}\n", "f:1:8", "helm template . | roofline check -"},
      {"{% if x %}\na: 1\n{% endif %}\n", "f:1:1", "render it, then: roofline check RENDERED.yaml"},
  }));
  CAPTURE(text);
  const Diagnostic refused = refusal(text);
  CHECK(refused.what == "this is a template that was not rendered");
  CHECK(refused.where == where);
  CHECK(refused.fix == fix);
}

TEST_CASE("Braces in quotes and comments and alert rules are no template", "[serving]") {
  const std::string text =
      "# {{ .Values.x }}\na: '{{ messages }}'\nb: |\n  {% if x %}\nc: pod {{ $labels.pod }} is "
      "down\n";
  CHECK(root_of(text).find("c")->text == "pod {{ $labels.pod }} is down");
}

TEST_CASE("Depth is bounded before anything overflows", "[serving]") {
  CHECK(shown(root_of(repeated("[", 100) + repeated("]", 100))).size() == 200);
  CHECK(refusal(repeated("[", 101) + repeated("]", 101)).where == "f:1:101");
  const std::string start = GENERATE("[", "{a: ", "- ", "[a: ", "{? ");
  CAPTURE(start);
  CHECK(refusal(repeated(start, 100'000)).what == "nested more than 100 levels");
}

TEST_CASE("JSON's depth is bounded too", "[serving]") {
  CHECK(refusal(repeated("[", 100'000) + repeated("]", 100'000)).what ==
        "nested more than 100 levels");
}

TEST_CASE("An alias counts with its levels", "[serving]") {
  const std::string deep = repeated("[", 60) + repeated("]", 60);
  CHECK(refusal("a: &x " + deep + "\nb: " + repeated("[", 60) + "*x" + repeated("]", 60)).what ==
        "nested more than 100 levels");
}

TEST_CASE("Aliases that multiply are refused at once", "[serving]") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (char i = '1'; i <= '9'; ++i) {
    const std::string before = std::string("*a") + static_cast<char>(i - 1);
    text += std::string("a") + i + ": &a" + i + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const Diagnostic refused = refusal(text);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(refused.what == "the aliases unfold to more than 100000 values");
  CHECK(seconds.count() < 2);
}

TEST_CASE("Long texts that aliases repeat are bounded", "[serving]") {
  const std::string text =
      "a: &a " + std::string(100'000, 'x') + "\nb: [" + repeated("*a, ", 200) + "]\n";
  CHECK(refusal(text).what == "the aliases unfold to more than 16 MiB");
}

TEST_CASE("Nested anchors do not multiply what is kept", "[serving]") {
  std::string text;
  for (int i = 0; i < 90; ++i) text += "&a [";
  CHECK(refusal(text + repeated("x, ", 10'000) + repeated("]", 90)).what ==
        "the anchors hold more than 200000 values");
}

TEST_CASE("A file of more than 16 MiB is refused by its size", "[serving]") {
  const std::string text(std::size_t{17} << 20, '[');
  const Diagnostic refused = refusal(text);
  CHECK(refused.what == "a file of 17 MiB");
  CHECK(refused.where == "f");
}

TEST_CASE("More values than a config can have are refused", "[serving]") {
  CHECK(refusal(repeated("- x\n", 500'001)).what == "more than 500000 values");
  CHECK_THAT(refusal("[" + repeated("x,", 2'000'000) + "]").what, Contains("more than 500000"));
}

TEST_CASE("An offset has its line and column", "[serving]") {
  const std::string text = "ab\ncd\r\n\nef";
  CHECK(place_at(text, "f", 0) == Place{"f", 1, 1, 2});
  CHECK(place_at(text, "f", 4, 9) == Place{"f", 2, 2, 4});
  CHECK(place_at(text, "f", 7) == Place{"f", 3, 1, 1});
  CHECK(place_at(text, "f", 8, 2) == Place{"f", 4, 1, 3});
  CHECK(place_at(text, "f", 99) == Place{"f", 4, 3, 3});
}
