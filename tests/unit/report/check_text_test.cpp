// check in text: lines that editors parse, why and fix, where to read more, the count.
#include <catch2/catch.hpp>

#include "check_results.hpp"

using namespace roofline;
using namespace roofline::report;

TEST_CASE("A finding is a line with its place and its details under it", "[report]") {
  const CheckResult result{.files = {prod_file()}, .regressions = {}, .notes = {}};
  CHECK(written(result, CheckFormat::text) ==
        "deploy/prod.yaml:7:16: error: K/V cache holds 39,154 tokens, max-model-len is 131,072 "
        "[kv-too-small]\n"
        "  why: a sequence of 131,072 tokens takes 17.18 GB, 5.132 GB are left\n"
        "  fix: max-model-len 39154 or less, or tensor-parallel-size 4  (roofline explain "
        "kv-too-small)\n"
        "deploy/prod.yaml:9:1: warning: vLLM has no setting 'max-modle-len' [unknown-key]\n"
        "  fix: max-model-len  (roofline explain unknown-key)\n"
        "1 error, 1 warning, 0 notes in 1 file\n");
}

TEST_CASE("A rule's page is named once and where there is room", "[report]") {
  Finding bare = unknown_key();
  bare.fix.clear();
  Finding wide = kv_too_small();
  wide.why.clear();
  wide.fix = std::string(80, 'x');
  CheckResult result;
  result.files = {{.file = "a.yaml",
                   .type = ConfigType::vllm,
                   .launches = {},
                   .findings = {bare, unknown_key(), wide},
                   .not_judged = {}}};
  CHECK(written(result, CheckFormat::text) ==
        "deploy/prod.yaml:9:1: warning: vLLM has no setting 'max-modle-len' [unknown-key]\n"
        "  (roofline explain unknown-key)\n"
        "deploy/prod.yaml:9:1: warning: vLLM has no setting 'max-modle-len' [unknown-key]\n"
        "  fix: max-model-len\n"
        "deploy/prod.yaml:7:16: error: K/V cache holds 39,154 tokens, max-model-len is 131,072 "
        "[kv-too-small]\n"
        "  fix: " +
            std::string(80, 'x') +
            "\n"
            "  (roofline explain kv-too-small)\n"
            "1 error, 2 warnings, 0 notes in 1 file\n");
}

TEST_CASE("Details are wrapped at 100 columns and under themselves", "[report]") {
  Finding finding = unknown_key();
  finding.why = std::string(60, 'a') + ' ' + std::string(40, 'b') + "\nnext";
  finding.fix.clear();
  CheckResult result;
  result.files = {{.file = "a.yaml",
                   .type = ConfigType::vllm,
                   .launches = {},
                   .findings = {finding},
                   .not_judged = {}}};
  CHECK_THAT(written(result, CheckFormat::text),
             Catch::Contains("\n  why: " + std::string(60, 'a') + "\n       " +
                             std::string(40, 'b') + "\n       next  (roofline explain"));
}

TEST_CASE("Colour is around the severity alone", "[report]") {
  CheckReportOptions options;
  options.color = true;
  CheckResult result = one_of_each();
  const std::string text = write_check(result, CheckFormat::text, options);
  CHECK_THAT(text, Catch::Contains("prod.yaml:7:16: \033[1;31merror:\033[0m K/V"));
  CHECK_THAT(text, Catch::Contains("prod.yaml:9:1: \033[1;33mwarning:\033[0m vLLM"));
  CHECK_THAT(text, Catch::Contains(":2:3: \033[1mnote:\033[0m a < b"));
}

TEST_CASE("What a file says does not steer the terminal", "[report]") {
  const CheckResult result{.files = {hostile_file()}, .regressions = {}, .notes = {}};
  const std::string text = written(result, CheckFormat::text);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find('\a') == std::string::npos);
  CHECK_THAT(text, Catch::Contains("a < b & \"c\" is 50%: d, e?[31m [unknown-key]\n"));
}

TEST_CASE("What could not be judged is counted", "[report]") {
  CHECK_THAT(
      written(one_of_each(), CheckFormat::text),
      Catch::EndsWith("\n1 error, 1 warning, 1 note in 3 files; 1 file could not be judged\n"));
  CHECK(written({}, CheckFormat::text) == "0 errors, 0 warnings, 0 notes in 0 files\n");
}

TEST_CASE("With passes: the figures of a launch and what its rules said", "[report]") {
  CheckReportOptions options;
  options.passes = true;
  CHECK(write_check(clean(), CheckFormat::text, options) ==
        "./deploy/prod.yaml: chat: vllm 0.21.0, llama-3.1-8b on 1 x L4\n"
        "  memory       19.83 GiB allowed of 22.03 GiB on a device\n"
        "  weights      14.96 GiB\n"
        "  activations  1.118 GiB (953.7 MiB to 1.304 GiB)\n"
        "  graphs       0 B\n"
        "  other        95.37 MiB (47.68 MiB to 190.7 MiB)\n"
        "  K/V          4.780 GiB (4.377 GiB to 5.029 GiB), a sequence takes 16.00 GiB\n"
        "  K/V tokens   39,154 (36,000 to 41,000)\n"
        "  longest      39,154 (36,000 to 41,000) tokens in a sequence\n"
        "  sequences    0 of max-model-len\n"
        "  at           8 sequences in flight\n"
        "  TTFT         at least 250.0 ms\n"
        "  TPOT         at least 62.50 ms\n"
        "  output       at most 128.0 tok/s, 0.5000 requests/s\n"
        "  cost         at least 1.750 USD per 1M output tokens\n"
        "  prefill      compute-bound\n"
        "  decode       memory-bound, 7.500 FLOP/byte\n"
        "  passed       duplicate-key, kv-too-small, unknown-key, weights-too-large\n"
        "  ignored      ignored-key: the fork reads it\n"
        "  skipped      not-divisible: one device\n"
        "  skipped      utilization-too-high, utilization-too-low: the engine chooses its share\n"
        "  note         the version is assumed\n"
        "0 errors, 0 warnings, 0 notes in 1 file\n");
}

TEST_CASE("A launch that is not resolved has no figures", "[report]") {
  CheckedLaunch launch;
  launch.engine = Engine::sglang;
  CheckResult result;
  result.files = {{.file = "a.sh",
                   .type = ConfigType::shell,
                   .launches = {launch},
                   .findings = {},
                   .not_judged = {}}};
  CheckReportOptions options;
  options.passes = true;
  CHECK(write_check(result, CheckFormat::text, options) ==
        "a.sh: sglang\n0 errors, 0 warnings, 0 notes in 1 file\n");
}
