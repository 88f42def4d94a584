// JsonNode: every getter, what it accepts, and what it says of the rest and where.
#include "spec/json_node.hpp"

#include <catch2/catch.hpp>
#include <functional>

using namespace roofline;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

/// Line 1 has the brace, each member stands on its own line, values start at column 6.
constexpr const char* document = R"({
"s": "text",
"t": true,
"n": 42,
"f": 2.5,
"z": null,
"l": ["a", "b"],
"o": {"in": -1, "to": "x"},
"m": ["a", 1],
"e": [],
"w": 3.0
})";

JsonNode root() {
  return JsonNode::parse(document, "f.json");
}

Diagnostic refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

/// The node of a document that has only that value.
JsonNode only_value(const std::string& json) {
  return JsonNode::parse("{\"key\": " + json + "}", "f.json").at("key");
}

}  // namespace

TEST_CASE("A node knows its key and its kind", "[spec]") {
  CHECK(root().key().empty());
  CHECK(root().is_object());
  CHECK(root().at("s").key() == "s");
  CHECK(root().at("s").is_string());
  CHECK_FALSE(root().at("s").is_object());
  CHECK(root().at("l").is_array());
  CHECK(root().at("l").elements().at(1).key() == "1");
}

TEST_CASE("A node outlives the text it was read from", "[spec]") {
  std::string text = R"({"a": {"b": "kept"}})";
  const JsonNode inner = JsonNode::parse(text, "f.json").at("a").at("b");
  text.assign(text.size(), '#');
  CHECK(inner.text() == "kept");
  CHECK(refusal([&] { (void)inner.boolean(); }).where == "f.json:1:13");
}

TEST_CASE("Text that is no JSON is refused when it is parsed", "[spec]") {
  CHECK(refusal([] { (void)JsonNode::parse("{", "f.json"); }).what == "not valid JSON");
}

TEST_CASE("Null is the same as absent", "[spec]") {
  CHECK(root().find("s"));
  CHECK_FALSE(root().find("z"));
  CHECK_FALSE(root().find("absent"));
  CHECK(root().find_any({"absent", "z", "n", "s"})->key() == "n");
  CHECK_FALSE(root().find_any({"absent", "z"}));
  CHECK(root().at_any({"z", "s"}).key() == "s");
}

TEST_CASE("A member that is needed is asked for by name", "[spec]") {
  const Diagnostic one = refusal([] { (void)root().at("absent"); });
  CHECK(one.what == "needs 'absent'");
  CHECK(one.where == "f.json:1:1");
  CHECK(one.fix == "add \"absent\"");
  CHECK(refusal([] { (void)root().at("z"); }).what == "needs 'z'");
  const Diagnostic nested = refusal([] { (void)root().at("o").at_any({"x", "y"}); });
  CHECK(nested.what == "'o': needs 'x' or 'y'");
  CHECK(nested.where == "f.json:8:6");
}

TEST_CASE("Members of what is no object are refused", "[spec]") {
  CHECK(refusal([] { (void)root().at("l").find("x"); }).what ==
        "'l': expected an object, found a list");
  CHECK(refusal([] { (void)root().at("s").find("x"); }).what ==
        "'s': expected an object, found a string");
  CHECK(refusal([] { (void)JsonNode::parse("[1]", "f").at("x"); }).what ==
        "expected an object, found a list");
}

TEST_CASE("An object has members by key and a list has elements in order", "[spec]") {
  Strings keys;
  for (const JsonNode& member : root().members()) keys.push_back(member.key());
  CHECK(keys == Strings{"e", "f", "l", "m", "n", "o", "s", "t", "w", "z"});
  CHECK(root().at("o").members().at(1).text() == "x");
  CHECK(root().at("l").elements().at(1).text() == "b");
  CHECK(root().at("e").elements().empty());
  CHECK(refusal([] { (void)root().at("l").members(); }).what ==
        "'l': expected an object, found a list");
  CHECK(refusal([] { (void)root().at("o").elements(); }).what ==
        "'o': expected a list, found an object");
}

TEST_CASE("An unknown key is refused with the nearest known one", "[spec]") {
  CHECK_NOTHROW(root().at("o").only({"in", "to", "other"}));
  const Diagnostic near = refusal([] { root().at("o").only({"in", "top"}); });
  CHECK(near.what == "'to': unknown key");
  CHECK(near.where == "f.json:8:23");
  CHECK(near.suggestions == Strings{"top"});
  const Diagnostic far = refusal([] { root().at("o").only({"in", "elsewhere"}); });
  CHECK(far.suggestions.empty());
  CHECK(far.why == "known: in, elsewhere");
}

TEST_CASE("Every getter takes its own type", "[spec]") {
  CHECK(root().at("s").text() == "text");
  CHECK(root().at("t").boolean());
  CHECK(root().at("n").count(100) == 42);
  CHECK(root().at("f").positive() == 2.5);
  CHECK(root().at("n").positive() == 42);
  CHECK(root().at("l").texts() == Strings{"a", "b"});
  CHECK(root().at("e").texts().empty());
}

TEST_CASE("Text that could steer a terminal is refused", "[spec]") {
  const std::string json = GENERATE(R"("\u001b[31mred")", R"("two\nlines")", R"("\u007f")");
  CHECK(refusal([&] { (void)only_value(json).text(); }).what == "'key': has a control character");
  CHECK(only_value(R"("K\u00f6ln \u4e2d")").text() == "K\xC3\xB6ln \xE4\xB8\xAD");
}

TEST_CASE("Every getter refuses another type at its place", "[spec]") {
  using Get = std::function<void()>;
  const auto [get, what, where] = GENERATE(table<Get, std::string, std::string>({
      {[] { (void)root().at("n").text(); }, "'n': expected a string, found a number", "4:6"},
      {[] { (void)root().at("t").text(); }, "'t': expected a string, found a truth value", "3:6"},
      {[] { (void)root().at("o").text(); }, "'o': expected a string, found an object", "8:6"},
      {[] { (void)root().at("s").boolean(); }, "'s': expected true or false, found a string",
       "2:6"},
      {[] { (void)root().at("n").boolean(); }, "'n': expected true or false, found a number",
       "4:6"},
      {[] { (void)root().at("s").count(9); }, "'s': expected a whole number, found a string",
       "2:6"},
      {[] { (void)root().at("t").count(9); }, "'t': expected a whole number, found a truth value",
       "3:6"},
      {[] { (void)root().at("l").count(9); }, "'l': expected a whole number, found a list", "7:6"},
      {[] { (void)root().at("s").positive(); }, "'s': expected a number, found a string", "2:6"},
      {[] { (void)root().at("s").texts(); }, "'s': expected a list, found a string", "2:6"},
      {[] { (void)root().at("o").texts(); }, "'o': expected a list, found an object", "8:6"},
      {[] { (void)root().at("m").texts(); }, "'1': expected a string, found a number", "9:12"},
  }));
  const Diagnostic diagnostic = refusal(get);
  CHECK(diagnostic.what == what);
  CHECK(diagnostic.where == "f.json:" + where);
}

TEST_CASE("Counts are whole numbers within limits", "[spec]") {
  CHECK(only_value("1").count(10) == 1);
  CHECK(only_value("10").count(10) == 10);
  CHECK(only_value("3.0").count(10) == 3);
  CHECK(only_value("1e1").count(10) == 10);
  CHECK(only_value("0").count(10, 0) == 0);
  CHECK(only_value("-1").count(10, -1) == -1);
  const auto [json, what] = GENERATE(table<std::string, std::string>({
      {"0", "0 is out of range"},
      {"-1", "-1 is out of range"},
      {"11", "11 is out of range"},
      {"18446744073709551615", "18446744073709551615 is out of range"},
      {"-9223372036854775808", "-9223372036854775808 is out of range"},
      {"1e300", "1e+300 is out of range"},
      {"2.5", "2.5 is not a whole number"},
      {"-0.5", "-0.5 is not a whole number"},
  }));
  const Diagnostic diagnostic = refusal([json = json] { (void)only_value(json).count(10); });
  CHECK(diagnostic.what == "'key': " + what);
  if (what.find("range") != std::string::npos) {
    CHECK(diagnostic.why == "it is a whole number from 1 to 10");
  }
}

TEST_CASE("Positive numbers are above 0", "[spec]") {
  CHECK(only_value("1e-9").positive() == 1e-9);
  CHECK(refusal([] { (void)only_value("0").positive(); }).what == "'key': 0 must be more than 0");
  CHECK(refusal([] { (void)only_value("-2.5").positive(); }).what ==
        "'key': -2.5 must be more than 0");
}

TEST_CASE("Amounts are strings in the command line's grammar", "[spec]") {
  CHECK(only_value(R"("80 GiB")").bytes().value() == 85899345920.0);
  CHECK(only_value(R"("3350 GB/s")").bandwidth().value() == 3.35e12);
  CHECK(only_value(R"("989.4 TFLOP/s")").compute().value() == 9.894e14);
  CHECK(only_value(R"("700 W")").power().value() == 700);
  CHECK(only_value(R"("2 us")").time().value() == 2e-6);
}

TEST_CASE("Amounts are refused with the reason and the place", "[spec]") {
  using Get = std::function<void()>;
  const auto [get, what, why] = GENERATE(table<Get, std::string, std::string>({
      {[] { (void)only_value(R"("80 G")").bytes(); }, "'key': '80 G' has no unit", "GiB is 2^30"},
      {[] { (void)only_value(R"("3.35TB")").bandwidth(); },
       "'key': '3.35TB' is an amount, not a rate", ""},
      {[] { (void)only_value(R"("989T")").compute(); }, "'key': '989T' is not a compute rate",
       "no unit"},
      {[] { (void)only_value(R"("700")").power(); }, "'key': '700' is not a power", ""},
      {[] { (void)only_value(R"("2")").time(); }, "'key': '2' has no unit", "ns, us, ms or s"},
      {[] { (void)only_value(R"("0 B/s")").bandwidth(); }, "'key': '0 B/s' must be more than 0",
       ""},
  }));
  const Diagnostic diagnostic = refusal(get);
  CHECK(diagnostic.what == what);
  CHECK_THAT(diagnostic.why, Contains(why));
  CHECK(diagnostic.where == "f.json:1:9");
}

TEST_CASE("A bare number is no amount and the unit is shown", "[spec]") {
  const Diagnostic diagnostic = refusal([] { (void)only_value("80").bytes(); });
  CHECK(diagnostic.what == "'key': expected a string with a unit, found a number");
  CHECK(diagnostic.fix == "\"80 GiB\"");
  CHECK(refusal([] { (void)only_value("3350").bandwidth(); }).fix == "\"3350 GB/s\"");
  CHECK(refusal([] { (void)only_value("989").compute(); }).fix == "\"989 TFLOP/s\"");
  CHECK(refusal([] { (void)only_value("true").power(); }).fix == "\"700 W\"");
  CHECK(refusal([] { (void)only_value("2").time(); }).fix == "\"2 us\"");
}

TEST_CASE("A failure carries all that it was given", "[spec]") {
  const Diagnostic diagnostic =
      refusal([] { root().at("f").fail("what", "why", "fix", {"near"}); });
  CHECK(diagnostic == Diagnostic{.what = "'f': what",
                                 .where = "f.json:5:6",
                                 .why = "why",
                                 .fix = "fix",
                                 .suggestions = {"near"}});
  CHECK(refusal([] { root().fail("what"); }) == Diagnostic{.what = "what", .where = "f.json:1:1"});
}
