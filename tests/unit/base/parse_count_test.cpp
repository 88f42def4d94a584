// Counts, numbers of parameters, lists and ranges: every accepted and every refused form.
#include "base/parse.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "base/refusal.hpp"

using namespace roofline;
using Catch::Matchers::Contains;
using Counts = std::vector<std::int64_t>;

TEST_CASE("Counts are read with suffixes", "[base]") {
  const auto [text, count] = GENERATE(table<std::string, std::int64_t>({

      {"1", 1},
      {"2048", 2048},
      {"2_048", 2048},
      {"32k", 32000},
      {"32K", 32768},
      {" 8 ", 8},
      {"1m", 1'000'000},
      {"1M", 1'048'576},
      {"1G", 1'073'741'824},
      {"7e9", 7'000'000'000},
      {"1.5k", 1500},
      {"0.5K", 512},
      {"2.0", 2},
      {"1e12", 1'000'000'000'000},
      {"1_000_000_000_000", 1'000'000'000'000},
      // 2.01 x 1000 as doubles is 2009.9999999999998
      {"2.01k", 2010},
      {"1.001k", 1001},
      {"128.2k", 128'200},
  }));
  CAPTURE(text);
  CHECK(parse_count(text, "--batch") == count);
}

TEST_CASE("Parameters are counted as models are named", "[base]") {
  const auto [text, count] = GENERATE(table<std::string, std::int64_t>({
      {"7e9", 7'000'000'000},
      {"7B", 7'000'000'000},
      {"1.5B", 1'500'000'000},
      {"350M", 350'000'000},
      {"1T", 1'000'000'000'000},
      {"42", 42},
  }));
  CAPTURE(text);
  CHECK(parse_parameters(text, "--params") == count);
}

TEST_CASE("Parameters know no other letters", "[base]") {
  const auto text = GENERATE(as<std::string>(), "7b", "7G", "7K", "0B", "-7B", "0.5");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_parameters(text, "--params"), Error);
}

TEST_CASE("What was most likely meant by a count is suggested", "[base]") {
  const auto [text, fix] = GENERATE(table<std::string, std::string>({
      {"1-8", "--batch 1..8"},
      {"1:8", "--batch 1..8"},
      {"8 8", "--batch 8"},
      {"8,16", "--batch 8"},
  }));
  CAPTURE(text);
  CHECK(refusal([t = text] { return parse_count(t, "--batch"); }).fix == fix);
}

TEST_CASE("Counts are refused with the reason", "[base]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {"0", "is less than 1"},
      {"-1", "is negative"},
      {"1.5", "is not a whole number"},
      {"1.0001k", "is not a whole number"},
      {"0.1K", "is not a whole number"},
      {"1e-3", "is not a whole number"},
      {"1000000000001", "is more than 1000000000000"},
      {"1000G", "is more than 1000000000000"},
      {"1e13", "is more than 1000000000000"},
      {"1e400", "is more than 1000000000000"},
      {"99999999999999999999999999", "is more than 1000000000000"},
      {"", "does not start with a number"},
      {"many", "does not start with a number"},
      {"_8", "does not start with a number"},
      {"8x", "is not a count"},
      {"8 8", "is not a count"},
      {"8GB", "is not a count"},
      {"2,048", "is a list"},
      {"1..8", "is not a count"},
  }));
  CAPTURE(text);
  CHECK(refusal([t = text] { return parse_count(t, "--batch"); }).what ==
        "--batch: '" + text + "' " + what);
}

TEST_CASE("A count may have another least value", "[base]") {
  CHECK(parse_count("0", "--cached", 0) == 0);
  CHECK(parse_count("4", "--x", 4) == 4);
  CHECK(refusal([] { return parse_count("3", "--x", 4); }).what == "--x: '3' is less than 4");
}

TEST_CASE("Lists are read as values and ranges and mixes of them", "[base]") {
  const auto [text, values] = GENERATE(table<std::string, Counts>({
      {"32", {32}},
      {"1,8,32", {1, 8, 32}},
      {"1, 8 , 32", {1, 8, 32}},
      {"32,1,8", {32, 1, 8}},  // the order given is kept
      {"1..8", {1, 2, 3, 4, 5, 6, 7, 8}},
      {"3..3", {3}},
      {"512..4096+512", {512, 1024, 1536, 2048, 2560, 3072, 3584, 4096}},
      {"1..256x2", {1, 2, 4, 8, 16, 32, 64, 128, 256}},
      {"1..10+4", {1, 5, 9}},
      {"1..100x3", {1, 3, 9, 27, 81}},
      {"1k..4k+1k", {1000, 2000, 3000, 4000}},
      {"1..3,8,16..64x2", {1, 2, 3, 8, 16, 32, 64}},
      {"1 .. 9 + 4", {1, 5, 9}},
  }));
  CAPTURE(text);
  CHECK(parse_count_list(text, "--batch") == values);
}

TEST_CASE("Huge steps end a list instead of overflowing", "[base]") {
  const auto [text, values] = GENERATE(table<std::string, Counts>({
      {"1..8+1000000000000", {1}},
      {"999999999999..1000000000000+1000000000000", {999'999'999'999}},
      {"1..1000000000000x1000000000000", {1, 1'000'000'000'000}},
      {"999999999999..1000000000000x999999999999", {999'999'999'999}},
      {"1..1000000000000x1000001", {1, 1'000'001}},  // 1000001^2 is over the end
      // 1.6e19 is between 2^63 and 2^64: negative if it wrapped round
      {"4000000000..1000000000000x4000000000", {4'000'000'000}},
  }));
  CAPTURE(text);
  CHECK(parse_count_list(text, "--batch") == values);
}

TEST_CASE("A list has at most 100000 values", "[base]") {
  const Counts values = parse_count_list("1..100000", "--batch");
  Counts expected(100'000);
  std::iota(expected.begin(), expected.end(), 1);
  CHECK(values == expected);
  const std::string text = GENERATE(std::string("1..100001"), std::string("1..100000,7"),
                                    std::string("1..1000000000000"), std::string("7,1..100000"),
                                    std::string("1..60000,1..60000"));
  CAPTURE(text);
  CHECK(refusal([&] { return parse_count_list(text, "--batch"); }).what ==
        "--batch: '" + text + "' has more than 100000 values");
}

TEST_CASE("Lists are refused with the reason", "[base]") {
  const auto [text, what, fix] = GENERATE(table<std::string, std::string, std::string>({
      {"", "'' is empty", ""},
      {" ", "is empty", ""},
      {"1,,2", "'1,,2' has an empty item", ""},
      {"1,", "'1,' has an empty item", ""},
      {",1", "',1' has an empty item", ""},
      {"8..1", "'8..1' is descending", "--batch 1..8"},
      {"1,9..3+2", "'9..3+2' is descending", ""},
      {"1..8x1", "'1..8x1' never grows", ""},
      {"1..8x0", "'0' is less than 1", ""},
      {"1..8+0", "'0' is less than 1", ""},
      {"1..8+-1", "'-1' is negative", ""},
      {"0..8", "'0' is less than 1", ""},
      {"-4..8", "'-4' is negative", ""},
      {"1..", "'1..' lacks an end", ""},
      {"..8", "'..8' lacks an end", ""},
      {"1..8x", "does not start with a number", ""},
      {"1..2..3", "'2..3' is not a count", ""},
      {"1..8+1x2", "'1x2' is not a count", ""},
      {"1;8", "'1;8' is not a count", ""},
      {"1..1.5", "'1.5' is not a whole number", ""},
      {"1..1e13", "'1e13' is more than 1000000000000", ""},
  }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal([t = text] { return parse_count_list(t, "--batch"); });
  CHECK_THAT(diagnostic.what, Catch::Matchers::StartsWith("--batch: '") && Contains(what));
  CHECK_THAT(diagnostic.fix, Contains(fix));
}

TEST_CASE("A list of words is split at commas and trimmed", "[base]") {
  using Items = std::vector<std::string_view>;
  CHECK(split_list("h100", "--gpu") == Items{"h100"});
  CHECK(split_list("H100 SXM,\tl4 , a100", "--gpu") == Items{"H100 SXM", "l4", "a100"});
  CHECK_THROWS_WITH(split_list("", "--gpu"), "--gpu: '' is empty");
  CHECK_THROWS_WITH(split_list("h100,,l4", "--gpu"), "--gpu: 'h100,,l4' has an empty item");
  CHECK_THROWS_WITH(split_list("h100, ", "--gpu"), "--gpu: 'h100, ' has an empty item");
}
