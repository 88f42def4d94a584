// JSON text: what is refused and at which line and column, and where a value stands.
#include "spec/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "roofline/error.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

Diagnostic refusal(const std::string& text) {
  try {
    (void)parse_json(text, "f.json");
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("Valid JSON gives its value", "[spec]") {
  const auto value =
      parse_json(R"( {"z": [1, -2.5e3, "x\n\u00e9", true, false, null], "a": {}} )", "f");
  CHECK(value.size() == 2);
  CHECK(value.at("z").dump() == "[1,-2500.0,\"x\\n\xC3\xA9\",true,false,null]");
  CHECK(value.at("a").dump() == "{}");
}

TEST_CASE("A byte order mark is skipped", "[spec]") {
  CHECK(parse_json("\xEF\xBB\xBF{\"a\": 1}", "f").dump() == "{\"a\":1}");
}

TEST_CASE("A root may be any value", "[spec]") {
  CHECK(parse_json("[]", "f").is_array());
  CHECK(parse_json("\"text\"", "f").is_string());
  CHECK(parse_json("null", "f").is_null());
}

TEST_CASE("The same key in different objects is no duplicate", "[spec]") {
  const std::string text =
      R"({"a": {"a": 1, "b": 2}, "b": [{"a": 1}, {"a": 2}], "c": {"a": {"a": {}}}, "A": 0})";
  CHECK(parse_json(text, "f").size() == 4);
}

TEST_CASE("A duplicate key is refused at any depth and at its place", "[spec]") {
  const auto [text, key, where] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"a":1,"a":2})", "a", "f.json:1:8"},
      {R"({"a":1, "b":2, "a" : 3})", "a", "f.json:1:16"},
      {R"({"x":{"y":{"k":1,"k":1}}})", "k", "f.json:1:18"},
      {"{\n  \"x\": [{\"b\": 1,\n    \"b\": 2}]\n}", "b", "f.json:3:5"},
      {R"({"a":{"b":1},"c":[{}],"a":2})", "a", "f.json:1:23"},
      {R"({"":1,"":2})", "", "f.json:1:7"},
      {R"({"a, ":1,"a, ":2})", "a, ", "f.json:1:10"},
      {"{\"a\":1,\"\\u0061\":2}", "a", "f.json:1:8"},
      {R"({"q\"":1,"q\"":2})", "q\"", "f.json:1:10"},
  }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal(text);
  CHECK(diagnostic.what == "key '" + key + "' stands twice in one object");
  CHECK(diagnostic.where == where);
}

TEST_CASE("Sixty-four levels are read and one more is refused", "[spec]") {
  CHECK_NOTHROW(parse_json(repeated("[", 64) + repeated("]", 64), "f"));
  CHECK_NOTHROW(parse_json(repeated("[", 64) + "1" + repeated("]", 64), "f"));
  CHECK_NOTHROW(parse_json(repeated("{\"a\":", 64) + "1" + repeated("}", 64), "f"));
  const std::string text =
      GENERATE(repeated("[", 65) + "1" + repeated("]", 65), repeated("[", 65) + repeated("]", 65),
               repeated("{\"a\":", 65) + "1" + repeated("}", 65),
               repeated("[{\"a\":", 33) + "1" + repeated("}]", 33), std::string(100'000, '['),
               repeated("{\"a\":", 100'000));
  CAPTURE(text.substr(0, 12), text.size());
  const Diagnostic diagnostic = refusal(text);
  CHECK(diagnostic.what == "nested more than 64 levels");
  CHECK_THAT(diagnostic.where, Catch::Matchers::StartsWith("f.json:1:"));
}

TEST_CASE("An empty text is called empty", "[spec]") {
  const std::string text = GENERATE(std::string(), std::string("  \n\t\r\n"), std::string("\n"));
  CHECK(refusal(text).what == "the file is empty");
  CHECK_THAT(refusal(text).where, Catch::Matchers::StartsWith("f.json:"));
}

TEST_CASE("What is no JSON is refused at its place", "[spec]") {
  const auto [text, where] = GENERATE(table<std::string, std::string>({
      {R"({"a":1,})", "f.json:1:8"},           // comma before the end
      {"[1,]", "f.json:1:4"},                  //
      {R"({"a":1}})", "f.json:1:8"},           // garbage behind the end
      {"{} x", "f.json:1:4"},                  //
      {"{}\n{}", "f.json:2:1"},                // two documents
      {R"({"a":NaN})", "f.json:1:6"},          //
      {R"({"a":Infinity})", "f.json:1:6"},     //
      {R"({"a":-Infinity})", "f.json:1:7"},    // the sign could begin a number
      {"{a:1}", "f.json:1:2"},                 // a key without quotes
      {"{'a':1}", "f.json:1:2"},               //
      {"// comment\n{}", "f.json:1:1"},        //
      {"{\n\"a\":1,\n\"b\":}", "f.json:3:5"},  //
      {R"({"a":.5})", "f.json:1:6"},           //
      {R"({"a":+1})", "f.json:1:6"},           //
      {"{\"a\":\x01}", "f.json:1:6"},          //
      {"{\"a\":\"\xFF\"}", "f.json:1:7"},      // no UTF-8
      {"{\"a\":\"\xC3\"}", "f.json:1:8"},      // half a character: the quote is no second half
      {"{\"\xFF\":1}", "f.json:1:3"},          //
      {"{\"a\":\"line\nbreak\"}", "f.json:1:11"},
      {R"({"a":"\x"})", "f.json:1:8"},
      {R"({"a":True})", "f.json:1:6"},
  }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal(text);
  CHECK(diagnostic.what == "not valid JSON");
  CHECK(diagnostic.where == where);
  CHECK_FALSE(diagnostic.why.empty());
  CHECK_THAT(diagnostic.why, !Contains("json.exception") && !Contains("parse_error"));
}

TEST_CASE("A NUL byte is refused at its place", "[spec]") {
  const std::string text = std::string("{\n \"a\": 1}") + '\0';
  CHECK(refusal(text).what == "a NUL byte");
  CHECK(refusal(text).where == "f.json:2:9");
}

TEST_CASE("The reason stays short however long the text is", "[spec]") {
  CHECK(refusal("[\"" + std::string(10'000, 'x')).why.size() < 200);
}

TEST_CASE("A text of millions of values is refused", "[spec]") {
  CHECK_THAT(refusal("[" + repeated("0,", 1'000'000) + "0]").what, Contains("values"));
  CHECK_NOTHROW(parse_json("[" + repeated("0,", 100'000) + "0]", "f"));
}

TEST_CASE("A truncated text is refused on its last line", "[spec]") {
  const std::string whole = "{\n \"a\": [1, \"x\"],\n \"b\": {\"c\": true}\n}";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string text = whole.substr(0, length);
    CAPTURE(text);
    const Diagnostic diagnostic = refusal(text);
    CHECK(diagnostic.what == "not valid JSON");
    const auto line = std::count(text.begin(), text.end() - 1, '\n') + 1;
    CHECK_THAT(diagnostic.where,
               Catch::Matchers::StartsWith("f.json:" + std::to_string(line) + ":"));
  }
}

TEST_CASE("A number beyond a double is out of range and not infinite", "[spec]") {
  const auto [text, number, where] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"a": 1e400})", "1e400", "f.json:1:7"},
      {"{\n \"a\": 1,\n \"b\": -1e400\n}", "-1e400", "f.json:3:7"},
      {"[1, 1e400]", "1e400", "f.json:1:5"},
      {"[1e400, 1]", "1e400", "f.json:1:2"},
  }));
  CAPTURE(text);
  CHECK(refusal(text).what == "number '" + number + "' is out of range");
  CHECK(refusal(text).where == where);
}

TEST_CASE("A value is found by its path", "[spec]") {
  const std::string text =
      "{\n"
      "  \"name\": \"x\",\n"
      "  \"memory\": {\"capacity\": \"80 GiB\", \"levels\": [{\"bw\": 1e3}, {\"bw\": -2.5} ]},\n"
      "  \"flag\" : true,\n"
      "  \"quoted\": \"say \\\"hi\\\"\",\n"
      "  \"list\": [[1,22,333], null , [] ]\n"
      "}\n";
  const auto [pointer, where] = GENERATE(table<std::string, std::string>({
      {"", "f:1:1"},
      {"/name", "f:2:11"},
      {"/memory", "f:3:13"},
      {"/memory/capacity", "f:3:26"},
      {"/memory/levels", "f:3:46"},
      {"/memory/levels/0", "f:3:47"},
      {"/memory/levels/0/bw", "f:3:54"},
      {"/memory/levels/1", "f:3:60"},
      {"/memory/levels/1/bw", "f:3:67"},
      {"/flag", "f:4:12"},
      {"/quoted", "f:5:13"},
      {"/list", "f:6:11"},
      {"/list/0/0", "f:6:13"},
      {"/list/0/1", "f:6:15"},
      {"/list/0/2", "f:6:18"},
      {"/list/1", "f:6:24"},
      {"/list/2", "f:6:31"},
      // The nearest parent of what is not there.
      {"/none", "f:1:1"},
      {"/memory/none", "f:3:13"},
      {"/memory/levels/7/bw", "f:3:46"},
      {"/list/0/9", "f:6:12"},
      {"/nam", "f:1:1"},
      {"/name2", "f:1:1"},
  }));
  CAPTURE(pointer);
  CHECK(locate_json(text, "f", pointer) == where);
}

TEST_CASE("Long runs of backslashes and of keys cost no more than their length", "[spec]") {
  // Each backslash stands escaped; what follows the string is wrong.
  const std::string slashes(200'000, '\\');
  CHECK_THROWS_AS(parse_json("{\"a\": \"" + slashes + "\", }", "f"), Error);
  const nlohmann::json value = parse_json("{\"a\": \"" + slashes + "\"}", "f");
  CHECK(value["a"].get<std::string>().size() == 100'000);
  CHECK(locate_json("{\"a\": \"" + slashes + "\"}", "f", "/a") == "f:1:7");
  std::string members;
  for (int i = 0; i < 20'000; ++i) members += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":{}";
  CHECK(parse_json("{" + members + "}", "f").size() == 20'000);
  CHECK_THROWS_AS(parse_json("{\"" + std::string(1001, 'k') + "\": 1}", "f"), Error);
  CHECK(parse_json("{\"" + std::string(1000, 'k') + "\": 1}", "f").size() == 1);
}
