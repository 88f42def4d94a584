// Results of check made by hand: what the tests of its formats share.
#pragma once

#include <string>

#include "report/check_report.hpp"

namespace roofline::report {

inline Finding kv_too_small() {
  return {.rule = "kv-too-small",
          .severity = Severity::error,
          .launch = "chat",
          .place = {"deploy/prod.yaml", 7, 16, 22},
          .what = "K/V cache holds 39,154 tokens, max-model-len is 131,072",
          .why = "a sequence of 131,072 tokens takes 17.18 GB, 5.132 GB are left",
          .fix = "max-model-len 39154 or less, or tensor-parallel-size 4",
          .subject = "max-model-len"};
}

inline Finding unknown_key() {
  return {.rule = "unknown-key",
          .severity = Severity::warning,
          .launch = "chat",
          .place = {"deploy/prod.yaml", 9, 1, 14},
          .what = "vLLM has no setting 'max-modle-len'",
          .why = {},
          .fix = "max-model-len",
          .subject = "max-modle-len"};
}

inline EngineMemoryBudget l4_budget() {
  const auto around = [](double value, double low, double high) {
    return BytesEstimate{Bytes(value), Bytes(low), Bytes(high)};
  };
  return {.total = Bytes(23659151360),
          .allowed = Bytes(21293236224),
          .weights = Bytes(16060522496),
          .activations = around(1.2e9, 1.0e9, 1.4e9),
          .graphs = around(0, 0, 0),
          .other = around(1e8, 5e7, 2e8),
          .kv = around(5132000000, 4.7e9, 5.4e9),
          .sequence = Bytes(17179869184),
          .kv_tokens = CountEstimate{39154, 36000, 41000},
          .kv_per_token = Bytes(131072),
          .longest = {39154, 36000, 41000},
          .full_sequences = {0, 0, 0},
          .shrinks = false,
          .assumptions = {}};
}

inline ServingPoint eight_sequences() {
  ServingPoint point;
  point.concurrency = 8;
  point.decode = Seconds(0.05);
  point.prompt_share = Seconds(0.125);
  point.ttft = Seconds(0.25);
  point.tpot = Seconds(0.0625);
  point.requests_per_second = 0.5;
  point.output_tokens_per_second = 128;
  point.input_tokens_per_second = 512;
  point.dollars_per_million_tokens = 1.75;
  return point;
}

inline CheckedLaunch chat() {
  CheckedLaunch launch;
  launch.name = "chat";
  launch.engine = Engine::vllm;
  launch.version = "0.21.0";
  launch.place = {"deploy/prod.yaml", 5, 3, 20};
  launch.figures.model = "llama-3.1-8b";
  launch.figures.gpu = "L4";
  launch.figures.memory = l4_budget();
  launch.figures.serving = eight_sequences();
  launch.figures.decode_intensity = FlopsPerByte(7.5);
  launch.figures.decode_verdict = "memory-bound";
  launch.figures.prefill_verdict = "compute-bound";
  using Kind = RuleOutcome::Kind;
  launch.outcomes = {{"duplicate-key", Kind::passed, ""},
                     {"ignored-key", Kind::ignored, "the fork reads it"},
                     {"kv-too-small", Kind::found, ""},
                     {"not-divisible", Kind::skipped, "one device"},
                     {"unknown-key", Kind::found, ""},
                     {"utilization-too-high", Kind::skipped, "the engine chooses its share"},
                     {"utilization-too-low", Kind::skipped, "the engine chooses its share"},
                     {"weights-too-large", Kind::passed, ""},
                     {"yaml-surprise", Kind::off, ""}};
  launch.notes = {"the version is assumed"};
  return launch;
}

inline CheckedFile prod_file() {
  return {.file = "./deploy/prod.yaml",
          .type = ConfigType::vllm,
          .launches = {chat()},
          .findings = {kv_too_small(), unknown_key()},
          .not_judged = {}};
}

inline CheckedFile broken_file() {
  return {.file = "broken.yaml",
          .type = std::nullopt,
          .launches = {},
          .findings = {},
          .not_judged = {{.what = "no such model 'x'",
                          .where = "broken.yaml:3:8",
                          .why = "the catalogue has none",
                          .fix = "-m DIR",
                          .suggestions = {"y", "z"},
                          .list_command = "roofline list models"}}};
}

/// Everything in it that some format must escape.
inline CheckedFile hostile_file() {
  Finding finding = unknown_key();
  finding.severity = Severity::note;
  finding.launch = "<a>&\"b\"";
  finding.place = {R"(dir\a,b:c 100%.yaml)", 2, 3, 3};
  finding.what = "a < b & \"c\" is 50%: d, e\x1b[31m";
  finding.why = "one\ntwo\x07 \xff";
  finding.fix = "'x' > y";
  return {.file = R"(dir\a,b:c 100%.yaml)",
          .type = ConfigType::shell,
          .launches = {},
          .findings = {finding},
          .not_judged = {}};
}

inline CheckResult one_of_each() {
  return {.files = {prod_file(), broken_file(), hostile_file()},
          .regressions = {},
          .notes = {"2 files were passed by"}};
}

inline CheckResult clean() {
  CheckedFile file = prod_file();
  file.findings.clear();
  for (RuleOutcome& outcome : file.launches.front().outcomes) {
    if (outcome.kind == RuleOutcome::Kind::found) outcome.kind = RuleOutcome::Kind::passed;
  }
  return {.files = {file}, .regressions = {}, .notes = {}};
}

inline std::string written(const CheckResult& result, CheckFormat format) {
  return write_check(result, format, {});
}

}  // namespace roofline::report
