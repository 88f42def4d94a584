// Name normalisation, edit distance, and which names are suggested in what order.
#include "base/closest.hpp"

#include <catch2/catch.hpp>
#include <tuple>

using namespace roofline;
using Names = std::vector<std::string>;

TEST_CASE("A name is the same in any case and with any separator", "[base]") {
  const auto [written, normalized] = GENERATE(table<std::string, std::string>({
      {"H100", "h100"},
      {"H100 SXM5_80GB", "h100-sxm5-80gb"},
      {"h100-sxm5-80gb", "h100-sxm5-80gb"},
      {"a_b c-d", "a-b-c-d"},
      {"meta-llama/Llama-3.1-8B", "meta-llama/llama-3.1-8b"},
      {"Xeon 8480+", "xeon-8480+"},
      {"\xC3\x84", "\xC3\x84"},  // no letter of ASCII
      {"", ""},
  }));
  CHECK(normalized_name(written) == normalized);
}

TEST_CASE("Edit distance counts insert and delete and replace and swap as one", "[base]") {
  const auto [a, b, distance] = GENERATE(table<std::string, std::string, std::size_t>({
      {"", "", 0},
      {"abc", "", 3},
      {"same", "same", 0},
      {"abc", "abcd", 1},
      {"abcd", "acd", 1},
      {"h100", "h200", 1},
      {"kitten", "sitting", 3},
      {"saturday", "sunday", 3},
      {"ab", "ba", 1},
      {"decode", "decoed", 1},
      {"abcd", "badc", 2},
      {"a-rather-long-name", "a-rahter-long-nmae", 2},
      {"ca", "abc", 3},  // no edit inside a swapped pair
      {"Case", "case", 1},
  }));
  CHECK(edit_distance(a, b) == distance);
  CHECK(edit_distance(b, a) == distance);
}

TEST_CASE("Suggestions are nearest first and then alphabetical", "[base]") {
  const Names names{"h100-nvl", "h200", "h100", "b100", "h100-sxm", "t4"};
  // h100 0, b100 and h200 1, the two longer ones by their prefix: 4 letters more each.
  CHECK(closest("h100", names, 9) == Names{"h100", "b100", "h200", "h100-nvl", "h100-sxm"});
}

TEST_CASE("Three suggestions unless another limit is given", "[base]") {
  const Names names{"ab", "ac", "ad", "ae", "af"};
  CHECK(closest("aa", names) == Names{"ab", "ac", "ad"});
  CHECK(closest("aa", names, 1) == Names{"ab"});
  CHECK(closest("aa", names, 0).empty());
  CHECK(closest("aa", names, 99) == names);
}

TEST_CASE("The distance allowed is a third of the word and at least one", "[base]") {
  const auto [word, name, near] = GENERATE(table<std::string, std::string, bool>({
      {"a", "b", true},             // 1 of max(1, 0)
      {"a", "bc", false},           // 2
      {"abcde", "abcdx", true},     // 1 of 1
      {"abcde", "abcxy", false},    // 2 of 1
      {"abcdef", "abcdxy", true},   // 2 of 2
      {"abcdef", "abcxyz", false},  // 3 of 2
      {"batch", "btach", true},     // a swap is 1
      {"abcdefghi", "abcdef", true},
      {"abcdefghi", "abcde", false},
  }));
  CHECK(closest(word, {name}) == (near ? Names{name} : Names{}));
}

TEST_CASE("A name that starts with the word is suggested however long it is", "[base]") {
  CHECK(closest("ll", {"llama-3.1-405b", "mistral-llama"}) == Names{"llama-3.1-405b"});
  // The other way round is no prefix: the word goes on after the name.
  CHECK(closest("llama-3.1-405b", {"llama"}).empty());
}

TEST_CASE("Suggestions compare normalised names and give them as written", "[base]") {
  CHECK(closest("h100_sxm", {"H100 SXM"}) == Names{"H100 SXM"});
}

TEST_CASE("A name that is there twice is suggested once", "[base]") {
  CHECK(closest("h10", {"h100", "h20", "h100"}) == Names{"h100", "h20"});
}

TEST_CASE("No suggestion for an empty word or an overlong one or without names", "[base]") {
  CHECK(closest("", {"a", "b"}).empty());
  CHECK(closest(std::string(65, 'a'), {std::string(65, 'a')}).empty());
  CHECK(closest(std::string(64, 'a'), {std::string(64, 'a'), std::string(65, 'a')}) ==
        Names{std::string(64, 'a')});
  CHECK(closest("h100", {}).empty());
}
