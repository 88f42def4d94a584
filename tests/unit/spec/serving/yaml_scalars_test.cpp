// Plain scalars of YAML 1.1: the expected values are PyYAML's.
#include "spec/serving/yaml_scalars.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace roofline;

TEST_CASE("Plain scalars resolve as PyYAML resolves them", "[serving]") {
  const auto [written, kind, text] = GENERATE(table<std::string, NodeKind, std::string>({
      {"", NodeKind::null, ""},
      {"~", NodeKind::null, ""},
      {"null", NodeKind::null, ""},
      {"NULL", NodeKind::null, ""},
      {"nULL", NodeKind::text, "nULL"},
      {"None", NodeKind::text, "None"},
      {"true", NodeKind::boolean, "true"},
      {"True", NodeKind::boolean, "true"},
      {"YES", NodeKind::boolean, "true"},
      {"on", NodeKind::boolean, "true"},
      {"no", NodeKind::boolean, "false"},
      {"Off", NodeKind::boolean, "false"},
      {"FALSE", NodeKind::boolean, "false"},
      {"yEs", NodeKind::text, "yEs"},
      {"y", NodeKind::text, "y"},
      {"n", NodeKind::text, "n"},
      {"0", NodeKind::number, "0"},
      {"-0", NodeKind::number, "0"},
      {"8192", NodeKind::number, "8192"},
      {"+5", NodeKind::number, "5"},
      {"-17", NodeKind::number, "-17"},
      {"40_960", NodeKind::number, "40960"},
      {"1__0_", NodeKind::number, "10"},
      {"_1", NodeKind::text, "_1"},
      {"010", NodeKind::number, "8"},
      {"-010", NodeKind::number, "-8"},
      {"0_7", NodeKind::number, "7"},
      {"00", NodeKind::number, "0"},
      {"08", NodeKind::text, "08"},
      {"0o10", NodeKind::text, "0o10"},
      {"0x1F", NodeKind::number, "31"},
      {"-0xff", NodeKind::number, "-255"},
      {"0X1F", NodeKind::text, "0X1F"},
      {"0x", NodeKind::text, "0x"},
      {"0xFFFFFFFFFFFFFFFF", NodeKind::number, "18446744073709551615"},
      {"0x10000000000000000", NodeKind::number, "18446744073709551616"},
      {"0b1011", NodeKind::number, "11"},
      {"0b2", NodeKind::text, "0b2"},
      {"12:30", NodeKind::number, "750"},
      {"12:30:00", NodeKind::number, "45000"},
      {"-1:30", NodeKind::number, "-90"},
      {"1:60", NodeKind::text, "1:60"},
      {"8080:80", NodeKind::text, "8080:80"},
      {"09:30", NodeKind::text, "09:30"},
      {"1:30.5", NodeKind::number, "90.5"},
      {"01:30.", NodeKind::number, "90.0"},
      {"0.90", NodeKind::number, "0.90"},
      {".9", NodeKind::number, "0.9"},
      {"1.", NodeKind::number, "1.0"},
      {"-0.5", NodeKind::number, "-0.5"},
      {"-.5", NodeKind::text, "-.5"},
      {"1_000.5", NodeKind::number, "1000.5"},
      {"1e6", NodeKind::text, "1e6"},
      {"1.5e6", NodeKind::text, "1.5e6"},
      {"1e+6", NodeKind::text, "1e+6"},
      {"1.0e+6", NodeKind::number, "1.0e+6"},
      {"1.E-3", NodeKind::number, "1.0E-3"},
      {".inf", NodeKind::number, "inf"},
      {"-.Inf", NodeKind::number, "-inf"},
      {".NaN", NodeKind::number, "nan"},
      {"-.nan", NodeKind::text, "-.nan"},
      {"inf", NodeKind::text, "inf"},
      {"1.2.3", NodeKind::text, "1.2.3"},
      {"32k", NodeKind::text, "32k"},
      {"2024-01-01", NodeKind::text, "2024-01-01"},
      {"a b", NodeKind::text, "a b"},
  }));
  CAPTURE(written);
  CHECK(resolve_plain(written) == ScalarValue{kind, text});
}

TEST_CASE("A number of more than 64 characters is text", "[serving]") {
  CHECK(resolve_plain(std::string(64, '9')).kind == NodeKind::number);
  CHECK(resolve_plain(std::string(65, '9')).kind == NodeKind::text);
  CHECK(resolve_plain("0x" + std::string(62, 'f')).text ==
        "452312848583266388373324160190187140051835877600158453279131187530910662655");
}

TEST_CASE("Values that surprise say so and what to write instead", "[serving]") {
  const auto [written, what, fix] = GENERATE(table<std::string, std::string, std::string>({
      {"1e6", "'1e6' is text, not a number", "1000000"},
      {"1.5E3", "'1.5E3' is text, not a number", "1500"},
      {"-2e+2", "'-2e+2' is text, not a number", "-200"},
      {"1e-6", "'1e-6' is text, not a number", "1.0e-6"},
      {"1.25e1", "'1.25e1' is text, not a number", "1.25e+1"},
      {"1e20", "'1e20' is text, not a number", "1.0e+20"},
      {"010", "'010' is the number 8", "10"},
      {"-0644", "'-0644' is the number -420", "-644"},
      {"08", "'08' is text, not a number", "8"},
      {"0o17", "'0o17' is text, not a number", "15"},
      {"-.5", "'-.5' is text, not a number", "-0.5"},
      {"12:30", "'12:30' is the number 750", "\"12:30\""},
      {"1:30.5", "'1:30.5' is the number 90.5", "\"1:30.5\""},
  }));
  CAPTURE(written);
  const auto surprise = surprise_of(written);
  REQUIRE(surprise);
  CHECK(surprise->what == what);
  CHECK_FALSE(surprise->why.empty());
  CHECK(surprise->fix == fix);
}

TEST_CASE("What to write instead surprises no more", "[serving]") {
  const std::string written = GENERATE("1e6", "1e-6", "1.25e1", "1e20", "010", "08", "0o17", "-.5");
  const std::string fix = surprise_of(written)->fix;
  CHECK(resolve_plain(fix).kind == NodeKind::number);
  CHECK_FALSE(surprise_of(fix));
}

TEST_CASE("Ordinary values do not surprise", "[serving]") {
  const std::string written =
      GENERATE("", "~", "no", "off", "yes", "40_960", "0x10", "0", "00", "07", "0.9", ".9", "32k",
               "1.0e+6", "8080:80", "-", ".", "e6", "1e", "text", ".inf", "v0.21.0", "1e6x");
  CAPTURE(written);
  CHECK_FALSE(surprise_of(written));
}

TEST_CASE("A JSON number with an exponent is a number", "[serving]") {
  const auto [written, text] = GENERATE(table<std::string, std::string>({
      {"1e6", "1000000"},
      {"-1.5E+3", "-1500"},
      {"0e5", "0"},
      {"-0", "0"},
      {"2.5e-1", "2.5e-1"},
      {"0.90", "0.90"},
      {"10", "10"},
  }));
  CHECK(json_number(written) == text);
}
