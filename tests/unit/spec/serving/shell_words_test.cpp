// Shell scripts taken apart. What the words are was printed by bash and by dash, but for what they
// would have to run or look up in their environment.
#include "spec/serving/shell_words.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

namespace {

using Texts = std::vector<std::string>;

std::vector<Texts> split(std::string_view script, const ShellVariables& variables = {}) {
  std::vector<Texts> commands;
  for (const ShellCommand& command : split_shell(script, "serve.sh", variables)) {
    Texts texts;
    for (const ShellWord& word : command.words) texts.push_back(word.text);
    commands.push_back(texts);
  }
  return commands;
}

Texts words(std::string_view script, const ShellVariables& variables = {}) {
  const std::vector<Texts> commands = split(script, variables);
  REQUIRE(commands.size() == 1);
  return commands[0];
}

// What the word of `p WORD` behind `script` leaves open.
Texts unresolved(std::string_view script) {
  const std::vector<ShellCommand> commands = split_shell(script, "serve.sh");
  REQUIRE_FALSE(commands.empty());
  REQUIRE(commands.back().words.size() == 2);
  return commands.back().words[1].unresolved;
}

Diagnostic refusal(std::string_view script) {
  try {
    (void)split_shell(script, "serve.sh");
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("Quotes and backslashes are those of a POSIX shell", "[spec][shell]") {
  const auto [script, expected] = GENERATE(table<std::string, Texts>({
      {"p a  b\tc", {"p", "a", "b", "c"}},
      {"p 'a b' \"c d\" e\\ f", {"p", "a b", "c d", "e f"}},
      {"p ''\"\" x", {"p", "", "x"}},
      {"p a'b'\"c\"\\d", {"p", "abcd"}},
      {"p '{\"method\": \"eagle\"}'", {"p", "{\"method\": \"eagle\"}"}},
      {"p \"{\\\"n\\\": 3}\"", {"p", "{\"n\": 3}"}},
      {"p \"\\a\\\\\\$\" 'a\\'", {"p", "\\a\\$", "a\\"}},
      {"p $'a\\tb\\x41\\101\\'' $'\\q'", {"p", "a\tbAA'", "\\q"}},
      {"p $\"a b\"", {"p", "a b"}},
      {"p a#b # c 'd", {"p", "a#b"}},
      {"p $ a$", {"p", "$", "a$"}},
      {"p *z* {\"k\":1} ~/x", {"p", "*z*", "{k:1}", "~/x"}},
      {"p gr\xc3\xbc\xc3\x9f", {"p", "gr\xc3\xbc\xc3\x9f"}},
  }));
  CAPTURE(script);
  CHECK(words(script) == expected);
}

TEST_CASE("A backslash at the end of a line joins it with the next", "[spec][shell]") {
  CHECK(words("p a \\\n  --b 1\\\n2") == Texts{"p", "a", "--b", "12"});
  CHECK(words("p a \\\r\n  --b\r\n") == Texts{"p", "a", "--b"});
  CHECK(words("p \"a\\\nb\" 'c\\\nd'") == Texts{"p", "ab", "c\\\nd"});
  CHECK(words("p a \\") == Texts{"p", "a"});
  CHECK(words("p a \\\n") == Texts{"p", "a"});
  // A comment ends the line, and with it the command.
  CHECK(split("p a \\\n  # --b 1 \\\n  --c") == std::vector<Texts>{{"p", "a"}, {"--c"}});
}

TEST_CASE("Blanks behind a backslash are refused with their place", "[spec][shell]") {
  const Diagnostic refused = refusal("vllm serve m \\\n  --tp 2 \\ \n  --dtype auto\n");
  CHECK(refused.what == "blanks between '\\' and the end of the line");
  CHECK(refused.where == "serve.sh:2:10");
  CHECK(refusal("p a\\\t\r\nb").where == "serve.sh:1:4");
  CHECK(words("p a\\ b") == Texts{"p", "a b"});
}

TEST_CASE("Operators part commands", "[spec][shell]") {
  CHECK(split("a 1; b & c && d || e | f\ng") ==
        std::vector<Texts>{{"a", "1"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}, {"g"}});
  CHECK(split("(a; b) |& c") == std::vector<Texts>{{"a"}, {"b"}, {"c"}});
  CHECK(split("a 'x;y' \"z&&\" \\; b") == std::vector<Texts>{{"a", "x;y", "z&&", ";", "b"}});
  CHECK(split("\n\n# nothing\n").empty());
}

TEST_CASE("Redirections and here-documents are dropped", "[spec][shell]") {
  CHECK(words("p a > log 2>&1 b >>x <y &>z 3<> w >| v <<< 'here it is' c") ==
        Texts{"p", "a", "b", "c"});
  CHECK(split("cat > f <<EOF\nit's $A\nEOF\np 1") == std::vector<Texts>{{"cat"}, {"p", "1"}});
  CHECK(split("cat <<-'E F' | q\n\tit's\n\tE F\np 1") ==
        std::vector<Texts>{{"cat"}, {"q"}, {"p", "1"}});
  CHECK(split("cat <<A <<\"B\"\n1'\nA\n2'\nB\np") == std::vector<Texts>{{"cat"}, {"p"}});
  CHECK(split("cat <<EOF\nnever ends") == std::vector<Texts>{{"cat"}});
  CHECK(split("p a2>x") == std::vector<Texts>{{"p", "a2"}});
}

TEST_CASE("Keywords are no part of a command", "[spec][shell]") {
  CHECK(split("if true; then a; elif false; then b; else c; fi") ==
        std::vector<Texts>{{"true"}, {"a"}, {"false"}, {"b"}, {"c"}});
  CHECK(split("while ! x; do a; done; until y; do b; done") ==
        std::vector<Texts>{{"x"}, {"a"}, {"y"}, {"b"}});
  CHECK(split("for i in 1 2; do a $i; done") == std::vector<Texts>{{"a", "$i"}});
  CHECK(split("case $1 in x|y) a;; (z) b;; *) c; esac; d").size() >= 4);
  CHECK(split("serve() {\n  a if then\n}\n") == std::vector<Texts>{{"a", "if", "then"}});
  CHECK(split("function f {\n a\n}") == std::vector<Texts>{{"a"}});
  CHECK(split("((i = 1 << 2))\na") == std::vector<Texts>{{"a"}});
  CHECK(split("$ vllm serve m") == std::vector<Texts>{{"vllm", "serve", "m"}});
}

TEST_CASE("Variables are those that the script sets", "[spec][shell]") {
  const auto [script, expected] = GENERATE(table<std::string, Texts>({
      {"A=4\np $A ${A} \"$A\" x$A'$A'", {"p", "4", "4", "4", "x4$A"}},
      {"A='v w'\np $A \"$A\" x${A}y", {"p", "v", "w", "v w", "xv", "wy"}},
      {"A='  v '\np x$A$A", {"p", "x", "v", "v"}},
      {"A=\np $A \"$A\" '' $A", {"p", "", ""}},
      {"A=1 B=2\nA=$B$A\np $A", {"p", "21"}},
      {"A=1; A+=2\np $A", {"p", "12"}},
      {"export A=1 B='2 3'\np $A $B", {"p", "1", "2", "3"}},
      {"readonly A=1; declare -r B=2\np $A $B", {"p", "1", "2"}},
      {"p ${A:-4} ${A-5} \"${A:-x y}\"", {"p", "4", "5", "x y"}},
      {"A=\np ${A:-4} x${A-5}", {"p", "4", "x"}},
      {"p ${A:---tp 4 --x 'a b'}", {"p", "--tp", "4", "--x", "a b"}},
      {"B=3\np ${A:-${B:-4}} ${A:-$B}", {"p", "3", "3"}},
      {"p ${A:=7} $A", {"p", "7", "7"}},
      {": ${A:=7}\n: ${A:=8}\nA=$A\n", {":", "7"}},
      {"A=1\np ${A:+--x} ${B:+--y} \"${B:+z}\" ${A:?no}", {"p", "--x", "", "1"}},
      {"A=1\nA=2 p $A", {"p", "1"}},
      {"A=1\nunset A\np ${A:-2}", {"p", "2"}},
      {"(A=2); p ${A:-1}", {"p", "1"}},
      {"{ A=2; }; p $A", {"p", "2"}},
  }));
  CAPTURE(script);
  CHECK(split(script).back() == expected);
}

TEST_CASE("Arrays keep their elements apart", "[spec][shell]") {
  CHECK(words("A=(--a 'b c' # why\n  --d)\nA+=(\"$X\")\np \"${A[@]}\" \"x${A[*]}\"") ==
        Texts{"p", "--a", "b c", "--d", "$X", "x--a", "b c", "--d", "$X"});
  CHECK(words("A=(1 '2 3')\np ${A[@]} $A") == Texts{"p", "1", "2", "3", "1"});
  CHECK(words("A=()\np \"${A[@]}\" x") == Texts{"p", "x"});
  const ShellCommand command = split_shell("A=(--a 12)\np \"${A[@]}\"", "f")[0];
  CHECK(command.words[2].begin == 7);
  CHECK(command.words[2].end == 9);
}

TEST_CASE("What nothing in the script says is left as it stands and named", "[spec][shell]") {
  const auto [script, text, names] = GENERATE(table<std::string, std::string, Texts>({
      {"p $CTX", "$CTX", {"CTX"}},
      {"p x${CTX}y", "x${CTX}y", {"CTX"}},
      {"p \"${CTX:?set it}\"", "${CTX:?set it}", {"CTX"}},
      {"A=$CTX\np $A", "$CTX", {"CTX"}},
      {"p $(nproc --all)", "$(nproc --all)", {"$(nproc --all)"}},
      {"A=$(echo \"a )\" $(b))\np $A", "$(echo \"a )\" $(b))", {"$(echo \"a )\" $(b))"}},
      {"p `a b`", "`a b`", {"`a b`"}},
      {"p $((1 + (2*3)))", "$((1 + (2*3)))", {"$((1 + (2*3)))"}},
      {"A=1\np ${A%x}", "${A%x}", {"${A%x}"}},
      {"A=1\np ${#A}", "${#A}", {"${#A}"}},
      {"p ${A[0]}", "${A[0]}", {"${A[0]}"}},
      {"p \"$@\"", "$@", {"$@"}},
      {"p $1", "$1", {"$1"}},
      {"p <(a b)", "<(a b)", {"<(a b)"}},
      {"read A\np $A", "$A", {"A"}},
  }));
  CAPTURE(script);
  CHECK(split(script).back() == Texts{"p", text});
  CHECK(unresolved(script) == names);
  CHECK(unresolved("p a").empty());
}

TEST_CASE("Of words that a value is split into each has its own open names", "[spec][shell]") {
  const std::vector<ShellCommand> commands =
      split_shell("A=\"--tp $TP --n $(nproc --all) --x 1\"\np $A", "f");
  const std::vector<ShellWord>& words = commands.at(0).words;
  REQUIRE(words.size() == 7);
  CHECK(words[2].unresolved == Texts{"TP"});
  CHECK(words[3].unresolved.empty());
  CHECK(words[4].text == "$(nproc --all)");
  CHECK(words[4].unresolved == Texts{"$(nproc --all)"});
  CHECK(words[6].unresolved.empty());
}

TEST_CASE("What a branch sets is certain inside it alone", "[spec][shell]") {
  const auto [script, expected] = GENERATE(table<std::string, std::string>({
      {"A=1\nif x; then A=2; fi\np $A", "$A"},
      {"A=1\nif x; then A=2; p $A; fi", "2"},
      {"A=1\nif x; then A=2; else p $A; fi", "1"},
      {"A=1\nif x; then A=1; fi\np $A", "1"},
      {"if x; then if y; then A=1; fi; fi\np $A", "$A"},
      {"case $X in a) A=1;; *) p ${A:-2};; esac", "2"},
      {"case $X in a) A=1;; esac; p $A", "$A"},
      {"for i in 1 2; do A=$i; done\np $A", "$A"},
      {"A=1\n[ -n \"$X\" ] && A=2\np $A", "$A"},
      {"A=1\n[[ -n $X ]] || A=2\np $A", "$A"},
      {"cd x && A=2\np $A", "2"},
      {"x &&\nA=2 && p $A", "2"},
      {"A=1\nif x; then A=2; fi\nA=3\np $A", "3"},
  }));
  CAPTURE(script);
  CHECK(split(script).back() == Texts{"p", expected});
}

TEST_CASE("A command runs with what is exported or set in front of it", "[spec][shell]") {
  const auto commands = split_shell(
      "A=1\nexport B=2\nB=3\nC=4 D='5 6' p\nexport A\np\ndeclare -x E=7\n(export F=8; p)\np", "f");
  const auto values = [&](std::size_t command) {
    std::map<std::string, std::string> result;
    for (const auto& [name, variable] : commands.at(command).environment) {
      result[name] = variable.value;
    }
    return result;
  };
  using Values = std::map<std::string, std::string>;
  REQUIRE(commands.size() == 4);
  CHECK(values(0) == Values{{"B", "3"}, {"C", "4"}, {"D", "5 6"}});
  CHECK(values(1) == Values{{"A", "1"}, {"B", "3"}});
  CHECK(values(2) == Values{{"A", "1"}, {"B", "3"}, {"E", "7"}, {"F", "8"}});
  CHECK(values(3) == Values{{"A", "1"}, {"B", "3"}, {"E", "7"}});
  CHECK(commands[0].environment.at("D").begin == 23);
  CHECK(commands[0].environment.at("D").end == 30);
}

TEST_CASE("Variables that are given come as Kubernetes and compose write them", "[spec][shell]") {
  const ShellVariables given{{"TP", {.value = "4"}}, {"ARGS", {.value = "--a b"}}};
  CHECK(words("p $TP $(TP) \"$(TP)\" x'$(TP)'y", given) == Texts{"p", "4", "4", "4", "x4y"});
  CHECK(words("p $(ARGS) \"$(ARGS)\"", given) == Texts{"p", "--a", "b", "--a b"});
  CHECK(words("p '$(OTHER) $(TP'", given) == Texts{"p", "$(OTHER) $(TP"});
  CHECK(words("p $$(TP) $$TP $${TP:-5} $$", given) == Texts{"p", "$(TP)", "4", "4", "$$"});
  CHECK(split_shell("p", "f", given).at(0).environment.empty());
  CHECK(split_shell("TP=5\np", "f", given).at(0).environment.at("TP").value == "5");
}

TEST_CASE("Words know where they stand", "[spec][shell]") {
  const std::string script = "A='x y'\nvllm \"serve\" m \\\n  $A";
  const std::vector<ShellWord> words = split_shell(script, "f").at(0).words;
  REQUIRE(words.size() == 5);
  CHECK(script.substr(words[0].begin, words[0].end - words[0].begin) == "vllm");
  CHECK(script.substr(words[1].begin, words[1].end - words[1].begin) == "\"serve\"");
  for (const std::size_t i : {3U, 4U}) {
    CHECK(script.substr(words[i].begin, words[i].end - words[i].begin) == "$A");
  }
}

TEST_CASE("What never ends is refused where it starts", "[spec][shell]") {
  const auto [script, what, where] = GENERATE(table<std::string, std::string, std::string>({
      {"a\np 'b\nc", "the ' that opens here is never closed", "serve.sh:2:3"},
      {"p \"b", "the \" that opens here is never closed", "serve.sh:1:3"},
      {"p $'b", "the $' that opens here is never closed", "serve.sh:1:3"},
      {"p x$(b", "the $( that opens here is never closed", "serve.sh:1:4"},
      {"p $(b ')", "the ' that opens here is never closed", "serve.sh:1:7"},
      {"p ${b", "the ${ that opens here is never closed", "serve.sh:1:3"},
      {"p ${b:-c", "the ${ that opens here is never closed", "serve.sh:1:3"},
      {"p `b", "the ` that opens here is never closed", "serve.sh:1:3"},
      {"A=(b", "the ( that opens here is never closed", "serve.sh:1:3"},
      {"A=(b; c)", "the ( that opens here is never closed", "serve.sh:1:3"},
  }));
  CAPTURE(script);
  const Diagnostic refused = refusal(script);
  CHECK(refused.what == what);
  CHECK(refused.where == where);
  CHECK_FALSE(refused.fix.empty());
}

TEST_CASE("A script inside a file has its messages where it stands there", "[spec][shell]") {
  const PlaceOfOffset place_of = [](std::size_t offset) {
    return Place{.file = "pod.yaml", .line = 7, .column = 10 + static_cast<std::int64_t>(offset)};
  };
  try {
    (void)split_shell("p 'b", "pod.yaml", {}, place_of);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostics()[0].where == "pod.yaml:7:12");
  }
}

TEST_CASE("Scripts that grow without end are refused", "[spec][shell]") {
  const std::string what = "the script's words and variables take more than 16 MiB";
  std::string doubling = "A=0123456789\n";
  for (int i = 0; i < 60; ++i) doubling += "A=$A$A\n";
  CHECK(refusal(doubling).what == what);
  std::string words = "A='a b c d e f g h'\n";
  for (int i = 0; i < 40; ++i) words += "A=\"$A $A\"\np $A\n";
  CHECK(refusal(words).what == what);
  std::string arrays = "A=(a)\n";
  for (int i = 0; i < 40; ++i) arrays += "A=(\"${A[@]}\" \"${A[@]}\")\n";
  CHECK(refusal(arrays).what == what);
  std::string exports;
  for (int i = 0; i < 4000; ++i)
    exports += "export A" + std::string(1, char('a' + i % 26)) +
               std::string(static_cast<std::size_t>(i / 26), 'b') + "=1\np\n";
  CHECK(refusal(exports).what == what);
  std::string defaults = "p ";
  std::string blocks;
  for (int i = 0; i < 200; ++i) defaults += "${A:-";
  for (int i = 0; i < 200; ++i) blocks += "{ ";
  CHECK(refusal(defaults).what == "${...} nest deeper than 100");
  CHECK(refusal(blocks).what == "blocks nest deeper than 100");
}
