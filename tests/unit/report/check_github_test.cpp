// check as annotations of GitHub Actions: escapes, the worst first, what is not shown.
#include <catch2/catch.hpp>

#include "check_results.hpp"

using namespace roofline;
using namespace roofline::report;

TEST_CASE("Annotations with the worst first", "[report]") {
  CHECK(written(one_of_each(), CheckFormat::github) ==
        "::error file=broken.yaml,line=3,col=8,endLine=3,endColumn=9,title=not-judged::"
        "cannot be judged: no such model 'x'%0Awhy: the catalogue has none%0Afix: -m DIR%0A"
        "did you mean: y, z%0Aall of them: roofline list models\n"
        "::error file=deploy/prod.yaml,line=7,col=16,endLine=7,endColumn=22,title=kv-too-small::"
        "K/V cache holds 39,154 tokens, max-model-len is 131,072%0A"
        "why: a sequence of 131,072 tokens takes 17.18 GB, 5.132 GB are left%0A"
        "fix: max-model-len 39154 or less, or tensor-parallel-size 4\n"
        "::warning file=deploy/prod.yaml,line=9,col=1,endLine=9,endColumn=14,title=unknown-key::"
        "vLLM has no setting 'max-modle-len'%0Afix: max-model-len\n"
        "::notice file=dir/a%2Cb%3Ac 100%25.yaml,line=2,col=3,endLine=2,endColumn=4,"
        "title=unknown-key::a < b & \"c\" is 50%25: d, e?[31m%0Awhy: one%0Atwo \xff%0A"
        "fix: 'x' > y\n"
        "1 error, 1 warning, 1 note in 3 files; 1 file could not be judged\n");
}

TEST_CASE("A percent sign is escaped once", "[report]") {
  CheckedFile file = broken_file();
  file.not_judged.front() = {.what = "50%0A, 100%25"};
  CHECK_THAT(written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::github),
             Catch::Contains("title=not-judged::cannot be judged: 50%250A, 100%2525\n"));
}

TEST_CASE("What GitHub does not show is announced", "[report]") {
  const auto [errors, warnings, said] = GENERATE(table<int, int, std::string>({
      {10, 10, ""},
      {11, 0, "11 errors: GitHub shows 10 annotations of a kind, 1 is in this log alone\n"},
      {13, 12,
       "13 errors: GitHub shows 10 annotations of a kind, 3 are in this log alone\n"
       "12 warnings: GitHub shows 10 annotations of a kind, 2 are in this log alone\n"},
  }));
  CheckedFile file = prod_file();
  file.findings.clear();
  for (int i = 0; i < warnings; ++i) file.findings.push_back(unknown_key());
  for (int i = 0; i < errors; ++i) file.findings.push_back(kv_too_small());
  const std::string text =
      written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::github);
  CHECK_THAT(text, Catch::StartsWith("::error file=deploy/prod.yaml,line=7"));
  const std::size_t announced = text.find('\n', text.rfind("::")) + 1;
  CHECK(text.substr(announced, text.rfind('\n', text.size() - 2) + 1 - announced) == said);
}
