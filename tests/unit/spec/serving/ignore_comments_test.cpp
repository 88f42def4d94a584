// Ignore comments: where they are found, which lines they are about, and which are not well formed.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/error.hpp"
#include "spec/serving/config_node.hpp"

using namespace roofline;

namespace {

IgnoreComment only_ignore(const std::string& text) {
  const std::vector<IgnoreComment> found = read_ignore_comments(text, "f");
  REQUIRE(found.size() == 1);
  return found.front();
}

using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("A comment behind a value is about its line", "[serving]") {
  const IgnoreComment ignore = only_ignore(
      "model: m\nmax-num-seqs: 512  # roofline: ignore[kv-too-small, unknown-key]  short prompts "
      "\n");
  CHECK(ignore == IgnoreComment{.rules = {"kv-too-small", "unknown-key"},
                                .reason = "short prompts",
                                .line = 2,
                                .whole_file = false,
                                .place = {"f", 2, 20, 80}});
}

TEST_CASE("A comment alone is about the next line that is none", "[serving]") {
  const IgnoreComment ignore = only_ignore("a: 1\n  # roofline: ignore[r] w\n# more\n\n  b: 2\n");
  CHECK(ignore.line == 5);
  CHECK(ignore.last_line == 0);
  CHECK(ignore.place == Place{"f", 2, 3, 26});
  CHECK(only_ignore("a: 1\n# roofline: ignore[r] w\n").line == 2);
}

TEST_CASE("Comments one below the other are about the same line", "[serving]") {
  const std::string text =
      "# roofline: ignore[a] x\n# roofline: ignore[b] y\n\nc: 1\n"
      "# roofline: ignore[d] z\ne: 1\n# roofline: ignore[f] w\n";
  std::vector<std::int64_t> lines;
  for (const IgnoreComment& comment : read_ignore_comments(text, "f")) {
    lines.push_back(comment.line);
  }
  CHECK(lines == std::vector<std::int64_t>{4, 4, 6, 7});
}

TEST_CASE("A comment above a block is about all of it", "[serving]") {
  const IgnoreComment ignore =
      only_ignore("args:\n# roofline: ignore[r] w\n- |\n  a\n\n  b\n- c\n");
  CHECK(ignore.line == 3);
  CHECK(ignore.last_line == 6);
}

TEST_CASE("A comment above a command is about its continuation lines", "[serving]") {
  const IgnoreComment ignore = only_ignore(
      "#!/bin/sh\n# roofline: ignore[r] w\nvllm serve m \\\n  --tp 2 \\\n  --x 1\necho\n");
  CHECK(ignore.line == 3);
  CHECK(ignore.last_line == 5);
}

TEST_CASE("Comments of the whole file and without blanks and behind others are read", "[serving]") {
  CHECK(only_ignore("# roofline: ignore-file[r] w\na: 1\n").whole_file);
  CHECK(only_ignore("a: 1 #roofline:ignore[ r ,s]w").rules == Rules{"r", "s"});
  CHECK(only_ignore("a: 1 #roofline:ignore[r]").reason.empty());
  const IgnoreComment second = only_ignore("a: 1 # 32k # roofline: ignore[r] w\r\n");
  CHECK(second.place == Place{"f", 1, 12, 35});
  CHECK(second.reason == "w");
}

TEST_CASE("A # in quotes and blocks and words is no comment", "[serving]") {
  const std::string text =
      GENERATE("a: \"x # roofline: ignore[r] w\"\n", "a: 'it''s # roofline: ignore[r] w'\n",
               "a: \"x\n  # roofline: ignore[r] w\"\n", "a: |\n  x\n  # roofline: ignore[r] w\n",
               "- k: >-\n    # roofline: ignore[r] w\n", "a: x# roofline: ignore[r] w\n",
               "--- |\n# roofline: ignore[r] w\n", "vllm serve 'm # roofline: ignore[r] w'\n",
               "vllm serve \"m\n# roofline: ignore[r] w\"\n", "echo a# roofline: ignore[r]\n",
               "cat <<-'EOF'\n# roofline: ignore[r]\n\tEOF\n", "echo \\# roofline: ignore[r]\n");
  CAPTURE(text);
  CHECK(read_ignore_comments(text, "f").empty());
}

TEST_CASE("Apostrophes and brackets in words hide no comment", "[serving]") {
  const std::string text = GENERATE(
      "a: it's # roofline: ignore[r] w\n", "a: x [y # roofline: ignore[r] w\n",
      "a: b\n  'tis # roofline: ignore[r] w\n", "a: |\n  'x\nb: 1 # roofline: ignore[r] w\n",
      "a: [x, 'y'] # roofline: ignore[r] w\n", "a: [ # roofline: ignore[r] w\n 1]\n",
      "a: | # roofline: ignore[r] w\n  x\n", "\"it's\": 1 # roofline: ignore[r] w\n",
      "echo $# $((1<<3)) # roofline: ignore[r] w\n",
      "cat <<EOF\n'\nEOF\necho # roofline: ignore[r] w\n",
      "export A=\"x: y\"\nvllm serve 'm' # roofline: ignore[r] w\n",
      "# it's\nvllm serve m # roofline: ignore[r] w\n");
  CAPTURE(text);
  CHECK(only_ignore(text).rules == Rules{"r"});
}

TEST_CASE("An ignore comment that is not well formed is refused with the right form", "[serving]") {
  const auto [comment, what] = GENERATE(table<std::string, std::string>({
      {"# roofline: ignore", "'ignore' without the rules in brackets"},
      {"# roofline: ignore kv-too-small", "'ignore' without the rules in brackets"},
      {"# roofline: ignore[kv-too-small", "'ignore' without the rules in brackets"},
      {"# roofline: ignore[]", "a list of rules with an empty one"},
      {"# roofline: ignore[a,]", "a list of rules with an empty one"},
      {"# roofline: ignore[A_b]", "'A_b' is no rule"},
      {"# roofline: ignored[a]", "'ignored' is no comment of roofline"},
      {"# roofline: disable[a]", "'disable' is no comment of roofline"},
  }));
  CAPTURE(comment);
  try {
    (void)read_ignore_comments("a: 1\nb: 2 " + comment + "\n", "f");
    FAIL("was read");
  } catch (const Error& error) {
    CHECK(error.diagnostics().at(0).what == what);
    CHECK(error.diagnostics().at(0).where == "f:2:6");
    CHECK(error.diagnostics().at(0).fix == "# roofline: ignore[kv-too-small] the reason");
  }
}

TEST_CASE("All comments that are not well formed are told at once", "[serving]") {
  try {
    (void)read_ignore_comments("a: 1 # roofline: ignore\nb: 1 # roofline: ignore[]\n", "f");
    FAIL("was read");
  } catch (const Error& error) {
    CHECK(error.diagnostics().size() == 2);
  }
}

TEST_CASE("Prose about roofline is no ignore comment", "[serving]") {
  CHECK(read_ignore_comments("# roofline: our config\n# see roofline: ignore[r]\na: 1\n", "f")
            .empty());
}
