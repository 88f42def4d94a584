// check in JSON: every key in its order, with SI values.
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "check_results.hpp"

using namespace roofline;
using namespace roofline::report;

TEST_CASE("Nothing checked is a whole object", "[report]") {
  CHECK(written({}, CheckFormat::json) == R"({
  "schema_version": 1,
  "command": "check",
  "files": [],
  "regressions": [],
  "notes": [],
  "summary": {
    "errors": 0,
    "warnings": 0,
    "notes": 0,
    "files": 0,
    "not_judged": 0
  }
}
)");
}

TEST_CASE("All that is known of a launch in the order that is promised", "[report]") {
  CheckResult result{.files = {prod_file()}, .regressions = {}, .notes = {"passed by"}};
  result.files.front().findings.resize(1);
  result.files.front().findings.front().uncertain = true;
  result.files.front().launches.front().outcomes.resize(2);
  result.regressions = {{.file = "./deploy/prod.yaml",
                         .launch = "chat",
                         .figure = "kv_tokens",
                         .before = 52000,
                         .now = 39000,
                         .change = -0.25}};
  CHECK(written(result, CheckFormat::json) == R"({
  "schema_version": 1,
  "command": "check",
  "files": [
    {
      "file": "deploy/prod.yaml",
      "type": "vllm",
      "launches": [
        {
          "name": "chat",
          "engine": "vllm",
          "engine_version": "0.21.0",
          "line": 5,
          "column": 3,
          "model": "llama-3.1-8b",
          "gpu": "L4",
          "devices": 1,
          "memory_total_bytes": 23659151360,
          "memory_allowed_bytes": 21293236224,
          "weight_bytes": 16060522496,
          "activation_bytes": 1200000000,
          "activation_low_bytes": 1000000000,
          "activation_high_bytes": 1400000000,
          "graph_bytes": 0,
          "graph_low_bytes": 0,
          "graph_high_bytes": 0,
          "other_bytes": 100000000,
          "other_low_bytes": 50000000,
          "other_high_bytes": 200000000,
          "kv_bytes": 5132000000,
          "kv_low_bytes": 4700000000,
          "kv_high_bytes": 5400000000,
          "sequence_bytes": 17179869184,
          "kv_per_token_bytes": 131072,
          "kv_tokens": 39154,
          "kv_tokens_low": 36000,
          "kv_tokens_high": 41000,
          "longest_sequence_tokens": 39154,
          "longest_sequence_tokens_low": 36000,
          "longest_sequence_tokens_high": 41000,
          "full_sequences": 0,
          "full_sequences_low": 0,
          "full_sequences_high": 0,
          "shrinks": false,
          "concurrency": 8,
          "ttft_s": 0.25,
          "tpot_s": 0.0625,
          "decode_step_s": 0.05,
          "prompt_share_s": 0.125,
          "requests_per_s": 0.5,
          "output_tok_per_s": 128,
          "input_tok_per_s": 512,
          "usd_per_million_tokens": 1.75,
          "decode_intensity_flop_per_byte": 7.5,
          "decode_verdict": "memory-bound",
          "prefill_verdict": "compute-bound",
          "outcomes": [
            {
              "rule": "duplicate-key",
              "outcome": "passed"
            },
            {
              "rule": "ignored-key",
              "outcome": "ignored",
              "reason": "the fork reads it"
            }
          ],
          "notes": [
            "the version is assumed"
          ]
        }
      ],
      "findings": [
        {
          "rule": "kv-too-small",
          "severity": "error",
          "uncertain": true,
          "launch": "chat",
          "line": 7,
          "column": 16,
          "end_column": 22,
          "what": "K/V cache holds 39,154 tokens, max-model-len is 131,072",
          "why": "a sequence of 131,072 tokens takes 17.18 GB, 5.132 GB are left",
          "fix": "max-model-len 39154 or less, or tensor-parallel-size 4",
          "subject": "max-model-len"
        }
      ],
      "not_judged": []
    }
  ],
  "regressions": [
    {
      "file": "deploy/prod.yaml",
      "launch": "chat",
      "figure": "kv_tokens",
      "before": 52000,
      "now": 39000,
      "change": -0.25
    }
  ],
  "notes": [
    "passed by"
  ],
  "summary": {
    "errors": 1,
    "warnings": 0,
    "notes": 0,
    "files": 1,
    "not_judged": 0
  }
}
)");
}

TEST_CASE("What could not be judged is in the json", "[report]") {
  const auto root = nlohmann::json::parse(written(one_of_each(), CheckFormat::json));
  CHECK(root["summary"] == nlohmann::json::parse(R"({"errors": 1, "warnings": 1, "notes": 1,
                                                     "files": 3, "not_judged": 1})"));
  const auto& broken = root["files"][1];
  CHECK(broken.count("type") == 0);
  CHECK(broken["not_judged"] == nlohmann::json::parse(R"([{"what": "no such model 'x'",
      "where": "broken.yaml:3:8", "why": "the catalogue has none", "fix": "-m DIR",
      "suggestions": ["y", "z"]}])"));
  const auto& hostile = root["files"][2];
  CHECK(hostile["file"] == "dir/a,b:c 100%.yaml");
  CHECK(hostile["findings"][0]["why"] == "one\ntwo\x07 \xef\xbf\xbd");
}

TEST_CASE("A finding says which file it is in where that is another", "[report]") {
  CheckedFile file = prod_file();
  file.findings.front().place.file = "roofline.yaml";
  const auto root = nlohmann::json::parse(
      written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::json));
  CHECK(root["files"][0]["findings"][0]["file"] == "roofline.yaml");
  CHECK(root["files"][0]["findings"][1].count("file") == 0);
}

TEST_CASE("A launch without figures has no keys for them", "[report]") {
  CheckedLaunch launch;
  launch.engine = Engine::vllm;
  CheckedFile file = prod_file();
  file.launches = {launch};
  const auto root = nlohmann::json::parse(
      written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::json));
  CHECK(root["files"][0]["launches"][0] == nlohmann::json::parse(R"({"name": "",
      "engine": "vllm", "line": 1, "column": 1, "devices": 1, "outcomes": [], "notes": []})"));
}
