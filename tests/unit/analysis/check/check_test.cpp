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
      "         {rule: unknown-key, path: a.yaml, reason: r}]\n"
      "rules: {decode-memory-bound: warning}\n",
      "roofline.yaml");
  const CheckResult result = check(request);
  CHECK(find(result, "kv-too-small") == nullptr);
  REQUIRE(find(result, "decode-memory-bound") != nullptr);
  CHECK(find(result, "decode-memory-bound")->severity == Severity::warning);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes.front() == "roofline.yaml:2:10: nothing is ignored by unknown-key in a.yaml");
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

TEST_CASE("names in variables and templates are told as such", "[analysis][check]") {
  const auto [model, what] = GENERATE(table<std::string, std::string>({
      {"$MODEL", "the model is in $MODEL, which nothing in the file sets"},
      {"'{{ .Values.m }}'", "the model is in {{ .Values.m }}, which was not rendered"},
  }));
  const CheckResult result = check(request_of("vllm serve " + model + " --max-model-len 8192\n"));
  REQUIRE(result.files.at(0).not_judged.size() == 1);
  CHECK(result.files[0].not_judged[0].what == what);
}

TEST_CASE("a GPU that a flag names has no place of its own", "[analysis][check]") {
  CheckRequest request = request_of(llama);
  request.flags.gpu = "NOPE";
  const CheckResult result = check(request);
  REQUIRE(result.files.at(0).not_judged.size() == 1);
  CHECK(result.files[0].not_judged[0].where.starts_with("a.yaml"));
}

TEST_CASE("words of a variable that nothing sets are noted", "[analysis][check]") {
  CheckRequest request =
      request_of("vllm serve meta-llama/Llama-3.1-8B --max-model-len 4096 $EXTRA\n");
  const CheckResult result = check(request);
  CHECK(result.judged());
  REQUIRE(find(result, "unknown-key") != nullptr);
  CHECK(find(result, "unknown-key")->severity == Severity::note);
  CHECK(find(result, "unknown-key")->what == "$EXTRA may hold any option, and is taken for empty");
}

TEST_CASE("a mapping where one value belongs is refused", "[analysis][check]") {
  const CheckResult result = check(request_of(llama + "max-model-len: {a: 1}\n"));
  REQUIRE(result.files.at(0).not_judged.size() == 1);
  CHECK(result.files[0].not_judged[0].what == "max-model-len.a: it has one value, not keys");
}

TEST_CASE("a file starts so many engines at most", "[analysis][check]") {
  std::string text;
  for (int i = 0; i < 1001; ++i) text += "vllm serve meta-llama/Llama-3.1-8B\n";
  const CheckResult result = check(request_of(text));
  REQUIRE(result.files.at(0).not_judged.size() == 1);
  CHECK(result.files[0].not_judged[0].what == "'a.yaml' starts more than 1000 engines");
}

TEST_CASE("a config that a command line names joins it", "[analysis][check]") {
  CheckRequest request = request_of("", "");
  request.files = {
      {.file = "run/start.sh", .text = "vllm serve --config conf/v.yaml --max-model-len 4096\n"},
      {.file = "run/conf/v.yaml", .text = llama + "max-model-len: 131072\nmax-num-sekz: 8\n"}};
  request.flags.gpu = "L4";
  const CheckResult result = check(request);
  CHECK(result.judged());
  REQUIRE(result.files.size() == 2);
  REQUIRE(result.files[0].launches.size() == 1);
  CHECK(result.files[0].launches[0].figures.model == "llama-3.1-8b");
  // The command line's length beats the file's, and what is wrong in the file is said there.
  CHECK(find(result, "kv-too-small") == nullptr);
  CHECK(result.files[1].launches.empty());
  REQUIRE(result.files[1].findings.size() == 1);
  CHECK(result.files[1].findings[0].rule == "unknown-key");
  CHECK(result.files[1].findings[0].severity == Severity::error);
  CHECK(result.files[1].findings[0].place.line == 4);

  request.files.pop_back();
  const CheckResult alone = check(request);
  REQUIRE_FALSE(alone.judged());
  CHECK(alone.files[0].not_judged[0].what == "--config conf/v.yaml was not read");
  CHECK(alone.files[0].not_judged[0].fix == "roofline check run/start.sh conf/v.yaml");
}

TEST_CASE("TensorRT-LLM's options beat its command line", "[analysis][check]") {
  CheckRequest request = request_of("", "");
  request.files = {{.file = "a.sh",
                    .text = "trtllm-serve meta-llama/Llama-3.1-8B --max_seq_len 8192 "
                            "--extra_llm_api_options x.yaml\n"},
                   {.file = "x.yaml",
                    .text = "max_seq_len: 4096\nkv_cache_config: {dtype: fp8}\n"
                            "cuda_graph_config: {max_batch_size: 256}\n"}};
  request.flags.gpu = "H100";
  const CheckResult result = check(request);
  CHECK(result.judged());
  // 4096 tokens of 32 layers x 2 x 8 x 128 bytes.
  CHECK(memory(result).sequence == Bytes(4096.0 * 65536));
}

TEST_CASE("the project says what a name means and what need not be judged", "[analysis][check]") {
  CheckRequest request = request_of("model: org/own\nmax-model-len: 4096\n");
  CHECK_FALSE(check(request).judged());
  request.project = read_project("models: {org/own: qwen3-8b}\n", "roofline.yaml");
  CHECK(check(request).files.at(0).launches.at(0).figures.model == "qwen3-8b");
  request.project =
      read_project("ignore: [{rule: not-judged, path: a.yaml, reason: old}]\n", "roofline.yaml");
  const CheckResult ignored = check(request);
  CHECK(ignored.judged());
  CHECK(ignored.notes.front().starts_with("a.yaml was not judged (old): "));
}

TEST_CASE("a requirement names its file where that is another one", "[analysis][check]") {
  CheckRequest request = request_of(llama + "max-model-len: 4096\n");
  request.project = read_project("gpu: L4\nrequire: {max-ttft: 1ms}\n", "roofline.yaml");
  const CheckResult result = check(request);
  const Finding* finding = find(result, "require-ttft");
  REQUIRE(finding != nullptr);
  CHECK(finding->place.file == "a.yaml");
  CHECK(finding->what.find("max-ttft of roofline.yaml:2") != std::string::npos);
}

TEST_CASE("a requirement that cannot be judged is not passed over", "[analysis][check]") {
  // Speculative decoding leaves no floor for a token; nobody lists a price for a B100.
  const auto [config, gpu, requirement, why] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"speculative-config: {method: ngram, num_speculative_tokens: 3}\n", "L4", "max-tpot",
           "a step of speculative decoding has several tokens, how many is not known"},
          {"", "B100-192GB", "max-cost", "the cost is not known"},
      }));
  CAPTURE(requirement);
  CheckRequest request = request_of(llama + "max-model-len: 4096\n" + config, gpu);
  const std::string value = requirement == "max-cost" ? "1" : "1ms";
  request.flags.require.push_back(
      {.name = requirement, .written = "--require", .values = {value}, .place = {}});
  const CheckResult result = check(request);
  REQUIRE(result.files.at(0).not_judged.size() == 1);
  CHECK(result.files[0].not_judged[0].what == requirement + " cannot be judged");
  CHECK(result.files[0].not_judged[0].why == why);
}

TEST_CASE("a deployment's wrong requirement is refused and hides nothing", "[analysis][check]") {
  CheckRequest request = request_of("", "");
  request.files = {{.file = "roofline.yaml",
                    .text = "deployments:\n"
                            "  - {name: a, model: qwen3-8b, gpu: L4, max-model-len: 400000,\n"
                            "     require: {max-ttfd: 1s, max-tpot: 5, max-ttft: 1ms}}\n"}};
  const CheckResult result = check(request);
  REQUIRE(result.files.at(0).not_judged.size() == 2);
  CHECK(result.files[0].not_judged[0].what == "unknown requirement 'max-ttfd'");
  CHECK(result.files[0].not_judged[0].where == "roofline.yaml:3:26");
  CHECK(result.files[0].not_judged[1].what == "max-tpot: '5' has no unit");
  CHECK(find(result, "kv-too-small") != nullptr);
  CHECK(find(result, "require-ttft") != nullptr);
}

TEST_CASE("a cost says the price that it is reckoned with", "[analysis][check]") {
  CheckRequest request = request_of(llama + "max-model-len: 4096\n");
  request.flags.require.push_back(
      {.name = "max-cost", .written = "--require", .values = {"0.001"}, .place = {}});
  const CheckResult listed = check(request);
  REQUIRE(find(listed, "require-cost") != nullptr);
  CHECK(find(listed, "require-cost")->why.find(" USD an hour of a device (") != std::string::npos);
  request.flags.workload.push_back(
      {.name = "price", .written = "price", .values = {"2.5"}, .place = {}});
  const CheckResult given = check(request);
  REQUIRE(find(given, "require-cost") != nullptr);
  CHECK(find(given, "require-cost")->why.find(", 2.500 USD an hour of a device, at full") !=
        std::string::npos);
}

TEST_CASE("SGLang starts with a length that does not fit if nobody asked for it",
          "[analysis][check]") {
  CheckRequest request =
      request_of("model-path: meta-llama/Llama-3.1-8B\nmem-fraction-static: 0.85\n");
  request.type = ConfigType::sglang;
  const CheckResult result = check(request);
  REQUIRE(find(result, "kv-too-small") != nullptr);
  CHECK(find(result, "kv-too-small")->severity == Severity::note);
}

TEST_CASE("every rule has an outcome and a page", "[analysis][check]") {
  const CheckResult result = check(request_of(llama + "max-model-len: 4096\n"));
  CHECK(result.files.at(0).launches.at(0).outcomes.size() == check_rules().size());
}
