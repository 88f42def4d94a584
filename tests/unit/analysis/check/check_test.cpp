#include "roofline/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace roofline;

namespace {

const Catalog& catalog() {
  static const Catalog all;
  return all;
}

CheckRequest request_of(const std::string& text, const std::string& gpu = "L4") {
  CheckRequest request;
  request.files.push_back({.file = "a.yaml", .text = text});
  request.catalog = &catalog();
  if (!gpu.empty()) request.flags.gpu = gpu;
  return request;
}

const Finding* find(const CheckResult& result, const std::string& rule) {
  for (const CheckedFile& file : result.files) {
    for (const Finding& finding : file.findings) {
      if (finding.rule == rule) return &finding;
    }
  }
  return nullptr;
}

const RuleOutcome& outcome(const CheckResult& result, const std::string& rule) {
  const std::vector<RuleOutcome>& outcomes = result.files.at(0).launches.at(0).outcomes;
  const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                  [&](const RuleOutcome& one) { return one.rule == rule; });
  REQUIRE(found != outcomes.end());
  return *found;
}

const EngineMemoryBudget& memory(const CheckResult& result) {
  return *result.files.at(0).launches.at(0).figures.memory;
}

const std::string llama = "model: meta-llama/Llama-3.1-8B\ndtype: bfloat16\n";

}  // namespace

// 32 layers x 2 x 8 K/V heads x 128 x 2 bytes = 131,072 a token, 16 GiB at 131,072 tokens.
TEST_CASE("Llama 3.1 8B at its full length is refused on an L4", "[analysis][check]") {
  const CheckResult result = check(request_of(llama + "max-model-len: 131072\n"));
  CHECK(result.judged());
  CHECK(memory(result).kv_per_token == Bytes(131072));
  CHECK(memory(result).sequence == Bytes(16.0 * 1024 * 1024 * 1024));
  const Finding* finding = find(result, "kv-too-small");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == Severity::error);
  CHECK(finding->place == Place{.file = "a.yaml", .line = 3, .column = 16, .end_column = 22});
}

TEST_CASE("Qwen3 8B on 3 GPUs is refused for its 32 heads", "[analysis][check]") {
  const CheckResult result = check(request_of("model: Qwen/Qwen3-8B\ntensor-parallel-size: 3\n"));
  const Finding* finding = find(result, "not-divisible");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == Severity::error);
  CHECK(finding->why.find("32 query heads do not divide by 3") != std::string::npos);
  CHECK(finding->place.line == 2);
}

// (512 + 64) x 2 bytes x 61 layers on each device, whatever tp is.
TEST_CASE("tensor parallel does not divide a latent K/V cache", "[analysis][check]") {
  const CheckResult result =
      check(request_of("model: deepseek-ai/DeepSeek-V3\ntensor-parallel-size: 8\n"
                       "max-model-len: 32768\n",
                       "H200"));
  CHECK(memory(result).kv_per_token == Bytes(70272));
  const Finding* finding = find(result, "latent-kv-not-divided");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == Severity::note);
}

TEST_CASE("a fix that is printed works", "[analysis][check]") {
  const CheckResult result = check(request_of(llama + "max-model-len: 131072\n"));
  const std::int64_t longest = memory(result).longest.low;
  CHECK(find(check(request_of(llama + "max-model-len: " + fmt::format("{}\n", longest))),
             "kv-too-small") == nullptr);
  const CheckResult beyond =
      check(request_of(llama + "max-model-len: " + fmt::format("{}\n", longest + 16)));
  REQUIRE(find(beyond, "kv-too-small") != nullptr);
  CHECK(find(beyond, "kv-too-small")->severity == Severity::warning);
}

TEST_CASE("a comment ignores a rule on its line, with a reason", "[analysis][check]") {
  const CheckResult result = check(request_of(
      llama + "max-model-len: 131072  # roofline: ignore[kv-too-small] short prompts\n"));
  CHECK(find(result, "kv-too-small") == nullptr);
  CHECK(find(result, "unused-ignore") == nullptr);
  CHECK(outcome(result, "kv-too-small").kind == RuleOutcome::Kind::ignored);
  CHECK(outcome(result, "kv-too-small").reason == "short prompts");
}

TEST_CASE("ignores without use or reason are findings", "[analysis][check]") {
  const CheckResult unused =
      check(request_of("# roofline: ignore[kv-too-small] why\n" + llama + "max-model-len: 4096\n"));
  REQUIRE(find(unused, "unused-ignore") != nullptr);
  CHECK(find(unused, "unused-ignore")->place.line == 1);
  const CheckResult silent =
      check(request_of(llama + "# roofline: ignore[kv-too-small]\nmax-model-len: 131072\n"));
  CHECK(find(silent, "kv-too-small") == nullptr);
  REQUIRE(find(silent, "ignore-without-reason") != nullptr);
  const CheckResult unknown =
      check(request_of("# roofline: ignore[kv-to-small] why\n" + llama + "max-model-len: 4096\n"));
  REQUIRE(find(unknown, "unused-ignore") != nullptr);
  CHECK(find(unknown, "unused-ignore")->fix == "kv-too-small");
}

TEST_CASE("the project ignores by path and sets severities", "[analysis][check]") {
  CheckRequest request = request_of(llama + "max-model-len: 131072\n");
  request.project = read_project(
      "ignore: [{rule: kv-too-small, path: \"*.yaml\", reason: r},\n"
      "         {rule: unknown-key, reason: r}]\n"
      "rules: {decode-memory-bound: warning}\n",
      "roofline.yaml");
  const CheckResult result = check(request);
  CHECK(find(result, "kv-too-small") == nullptr);
  REQUIRE(find(result, "decode-memory-bound") != nullptr);
  CHECK(find(result, "decode-memory-bound")->severity == Severity::warning);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes.front() == "roofline.yaml:2:10: nothing is ignored by unknown-key");
}

TEST_CASE("a rule that is off says nothing", "[analysis][check]") {
  CheckRequest request = request_of(llama + "max-model-len: 131072\n");
  request.flags.rules.push_back(
      {.rule = "kv-too-small", .severity = Severity::off, .threshold = std::nullopt});
  const CheckResult result = check(request);
  CHECK(find(result, "kv-too-small") == nullptr);
  CHECK(outcome(result, "kv-too-small").kind == RuleOutcome::Kind::off);
}

TEST_CASE("what is not said comes from flags, then the project", "[analysis][check]") {
  CheckRequest request = request_of("max-model-len: 8192\nmax-num-seqs: 8\n", "");
  request.type = ConfigType::vllm;
  const CheckResult nothing = check(request);
  CHECK_FALSE(nothing.judged());
  REQUIRE(nothing.files.at(0).not_judged.size() == 2);
  CHECK(nothing.files[0].not_judged[0].what == "the model is not said here");
  CHECK(nothing.files[0].not_judged[1].what == "the GPU is not said here");

  request.project = read_project("gpu: L4\npaths: {\"a*\": {model: qwen3-8b}}\n", "roofline.yaml");
  const CheckResult both = check(request);
  CHECK(both.judged());
  CHECK(both.files.at(0).launches.at(0).figures.model == "qwen3-8b");
  CHECK(both.files[0].launches[0].figures.gpu == "L4");

  request.flags.gpu = "H100";
  CHECK(check(request).files.at(0).launches.at(0).figures.gpu == "H100-SXM5-80GB");
}

TEST_CASE("a search passes by what starts no engine", "[analysis][check]") {
  CheckRequest request = request_of("a: 1\n");
  CHECK_FALSE(check(request).judged());
  request.files.front().searched = true;
  const CheckResult result = check(request);
  CHECK(result.judged());
  CHECK(result.files.empty());
  CHECK(result.notes.front() == "1 file that starts no engine was passed by");
}

TEST_CASE("every rule has an outcome and a page", "[analysis][check]") {
  const CheckResult result = check(request_of(llama + "max-model-len: 4096\n"));
  CHECK(result.files.at(0).launches.at(0).outcomes.size() == check_rules().size());
}
