#include "analysis/check/requirements.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "analysis/check/resolve.hpp"
#include "roofline/error.hpp"

using namespace roofline;

namespace {

/// Llama 3.1 8B on an L4 with figures that are set by hand.
struct Sample {
  Catalog catalog;
  Launch launch;
  ServingPlan plan;
  ResolvedServing serving;
  LaunchFigures figures;

  explicit Sample(const std::string& requirement, const std::string& value,
                  Engine engine = Engine::vllm) {
    plan.engine = engine;
    plan.place.file = "roofline.yaml";
    plan.max_sequences = {.value = 64, .written = "max-num-seqs", .place = {}, .given = true};
    plan.prompt.value = 1024;
    plan.output.value = 256;
    plan.require.push_back({.name = requirement,
                            .written = requirement,
                            .values = {value},
                            .place = {.file = "roofline.yaml", .line = 3, .column = 5}});
    serving = resolve_serving(plan, catalog.model("llama-3.1-8b"), catalog.device("L4"), catalog);
    ServingPoint point;
    point.concurrency = 8;
    point.ttft = Seconds(0.5);
    point.tpot = Seconds(0.06);
    point.output_tokens_per_second = 130;
    point.requests_per_second = 0.5;
    point.dollars_per_million_tokens = 1.5;
    figures.serving = point;
    figures.decode_intensity = FlopsPerByte(7);
    figures.decode_verdict = "memory-bound";
    figures.prefill_verdict = "compute-bound";
    EngineMemoryBudget memory;
    memory.weights = Bytes(16e9);
    memory.kv = {.value = Bytes(4e9), .low = Bytes(3e9), .high = Bytes(5e9)};
    memory.sequence = Bytes(3.5e9);
    memory.kv_tokens = CountEstimate{.value = 30000, .low = 22000, .high = 38000};
    figures.memory = memory;
  }

  [[nodiscard]] RuleFindings apply(const std::string& rule) const {
    const RuleSubject subject{.launch = &launch,
                              .plan = &plan,
                              .serving = &serving,
                              .memory = &*figures.memory,
                              .figures = &figures,
                              .catalog = &catalog};
    RuleFindings findings;
    apply_requirements(rule, subject, findings);
    return findings;
  }
};

enum class Outcome { kept, uncertain, broken };

Outcome outcome_of(const RuleFindings& findings) {
  if (findings.findings().empty()) return Outcome::kept;
  return findings.findings().front().uncertain ? Outcome::uncertain : Outcome::broken;
}

}  // namespace

TEST_CASE("requirements are kept or broken by figures", "[analysis][check]") {
  using Case = std::tuple<std::string, std::string, std::string, Outcome>;
  const auto [name, value, rule, outcome] = GENERATE(values<Case>({
      {"max-ttft", "500ms", "require-ttft", Outcome::kept},
      {"max-ttft", "499ms", "require-ttft", Outcome::broken},
      {"min-ttft", "1s", "require-ttft", Outcome::broken},
      {"max-tpot", "100ms", "require-tpot", Outcome::kept},
      {"max-tpot", "30ms", "require-tpot", Outcome::broken},
      {"min-throughput", "130", "require-throughput", Outcome::kept},
      {"min-throughput", "131", "require-throughput", Outcome::broken},
      {"min-requests", "0.6", "require-requests", Outcome::broken},
      {"max-cost", "1.5", "require-cost", Outcome::kept},
      {"max-cost", "1.4", "require-cost", Outcome::broken},
      {"min-kv-tokens", "20000", "require-kv-tokens", Outcome::kept},
      {"min-kv-tokens", "25000", "require-kv-tokens", Outcome::uncertain},
      {"min-kv-tokens", "31000", "require-kv-tokens", Outcome::broken},
      {"max-kv-tokens", "35000", "require-kv-tokens", Outcome::uncertain},
      {"min-intensity", "8", "require-intensity", Outcome::broken},
      {"max-weights", "16GB", "require-weights", Outcome::kept},
      {"max-weights", "15GB", "require-weights", Outcome::broken},
      {"decode-verdict", "memory-bound", "require-decode-verdict", Outcome::kept},
      {"decode-verdict", "compute-bound", "require-decode-verdict", Outcome::broken},
      {"prefill-verdict", "memory-bound", "require-prefill-verdict", Outcome::broken},
      {"fits", "true", "require-fits", Outcome::uncertain},
      {"fits", "false", "require-fits", Outcome::broken},
  }));
  CAPTURE(name, value);
  const RuleFindings findings = Sample(name, value).apply(rule);
  CHECK(outcome_of(findings) == outcome);
}

TEST_CASE("a broken requirement says both figures and its place", "[analysis][check]") {
  const RuleFindings findings = Sample("max-cost", "1.4").apply("require-cost");
  REQUIRE(findings.findings().size() == 1);
  const Finding& finding = findings.findings().front();
  CHECK(finding.what ==
        "the cost is at least $1.500 per million tokens, max-cost is $1.400 per million tokens");
  CHECK(finding.why ==
        "at concurrency 8, prompts of 1,024 and outputs of 256 tokens, 0.4400 USD an hour of a "
        "device "
        "(RunPod, 2026-09-09), at full efficiency: no engine does better");
  CHECK(finding.place.line == 3);
  CHECK(finding.subject == "max-cost");
}

TEST_CASE("a broken requirement says how sure its figure is", "[analysis][check]") {
  const auto why = [](const std::string& name, const std::string& value, const std::string& rule) {
    return Sample(name, value).apply(rule).findings().at(0).why;
  };
  CHECK(why("min-kv-tokens", "25000", "require-kv-tokens") ==
        "an estimate: it may be 22,000 to 38,000");
  CHECK(why("min-kv-tokens", "31000", "require-kv-tokens") ==
        "an estimate: it may be 22,000 to 38,000");
  CHECK(why("max-ttft", "100ms", "require-ttft") ==
        "a prompt of 1,024 tokens on idle devices, at full efficiency: no engine does better");
  CHECK(why("max-weights", "10GB", "require-weights").empty());
}

// 16 GB of weights are 8 on each of two devices.
TEST_CASE("a fix of a requirement has the names of its file", "[analysis][check]") {
  const auto fix = [](const Sample& sample) {
    return sample.apply("require-weights").findings().at(0).fix;
  };
  Sample own("max-weights", "10GB");
  CHECK(fix(own) == "tensor-parallel-size 2");
  own.plan.tensor.written = "-tp";
  own.serving.plan.tensor.written = "-tp";
  CHECK(fix(own) == "-tp 2");
  own.serving.plan.tensor.written.clear();
  own.launch.surroundings = {
      {.name = "own-names", .written = "deployments", .values = {"true"}, .place = {}}};
  CHECK(fix(own) == "tp 2");
  CHECK(fix(Sample("max-weights", "10GB", Engine::tensorrt_llm)) == "tensor_parallel_size 2");
  CHECK(fix(Sample("max-weights", "10GB", Engine::llama_cpp)).empty());
}

// Tensor ranks of SGLang hold its replicas of attention: twice as many ranks are twice the number
// that the file has, whatever the replicas. 57.98 GB of experts are 14.5 on each of 4 ranks; on 8
// they are 7.25, with 3.09 GB besides at the most.
TEST_CASE("a fix of attention in data parallel counts all ranks", "[analysis][check]") {
  Sample sample("max-weights", "10.5GB", Engine::sglang);
  sample.plan.tensor = {.value = 2, .written = "tp-size", .place = {}, .given = true};
  sample.plan.data = {.value = 2, .written = "dp-size", .place = {}, .given = true};
  sample.plan.attention_dp = {.value = true, .written = {}, .place = {}, .given = true};
  sample.serving = resolve_serving(sample.plan, sample.catalog.model("qwen3-30b-a3b"),
                                   sample.catalog.device("H100"), sample.catalog);
  CHECK(sample.apply("require-weights").findings().at(0).fix == "tp-size 8");
}

TEST_CASE("more sequences are the fix where room is not what lacks", "[analysis][check]") {
  Sample sample("min-concurrency", "4");
  sample.plan.max_sequences.value = 2;
  sample.serving.plan.max_sequences.value = 2;
  CHECK(sample.apply("require-concurrency").findings().at(0).fix == "max-num-seqs 4");
}

TEST_CASE("a rule without a requirement is skipped", "[analysis][check]") {
  CHECK(Sample("max-cost", "1.4").apply("require-ttft").skipped() == "nothing is required of it");
}

TEST_CASE("requirements are checked before they are used", "[analysis][check]") {
  const auto refused = [](const std::string& name, const std::string& value) {
    try {
      require_requirement({.name = name, .written = name, .values = {value}, .place = {}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("max-ttft", "500ms").empty());
  CHECK(refused("fits", "true").empty());
  CHECK(refused("ttft", "500ms") == "unknown requirement 'ttft'");
  CHECK(refused("fits", "maybe") == "fits: 'maybe' is none of its values");
  CHECK(refused("decode-verdict", "fast") == "decode-verdict: 'fast' is none of its values");
  CHECK_FALSE(refused("max-ttft", "500").empty());
  const std::vector<std::string> names = requirement_names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(names.size() == 21);
}
