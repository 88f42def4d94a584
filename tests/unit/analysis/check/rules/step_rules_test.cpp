// Rules about steps: their tokens, the positions of a sequence, and what bounds decode.
#include <catch2/catch.hpp>

#include "analysis/check/rule_subject.hpp"
#include "analysis/check/rules/rules.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

RuleCase with_step(
    std::int64_t tokens, std::int64_t length, bool chunked,
    const std::function<void(ServingPlan&)>& change = [](ServingPlan&) {}) {
  return served_case("Llama-3.1-8B", "H100", [&](ServingPlan& plan) {
    plan.batched_tokens = given(tokens, "max-num-batched-tokens", 5);
    plan.max_model_len = given(length, "max-model-len", 4);
    plan.chunked_prefill = given(chunked, "enable-chunked-prefill", 6);
    plan.max_sequences = given<std::int64_t>(64, "max-num-seqs", 7);
    change(plan);
  });
}

TEST_CASE("A whole prompt has to fit in a step where it is not cut", "[check]") {
  const Finding finding =
      only_finding(rules::batched_tokens_too_small, with_step(2048, 8192, false));
  CHECK(finding.what == "max-num-batched-tokens 2048 is below max-model-len 8192");
  CHECK_THAT(finding.why, Contains("not cut into chunks") && EndsWith("vLLM refuses to start"));
  CHECK(finding.place == at(5));
  CHECK(finding.subject == "max-model-len");
  CHECK(finding.fix ==
        "enable-chunked-prefill true or max-num-batched-tokens 8192 or max-model-len 2048");
  CHECK_FALSE(finding.uncertain);
}

TEST_CASE("A step has a token of each sequence", "[check]") {
  const Finding finding = only_finding(rules::batched_tokens_too_small, with_step(32, 8192, true));
  CHECK(finding.what == "max-num-batched-tokens 32 is below max-num-seqs 64");
  CHECK(finding.fix == "max-num-batched-tokens 64 or max-num-seqs 32");
}

TEST_CASE("Steps that are large enough, or that the engine chooses", "[check]") {
  CHECK(passes(rules::batched_tokens_too_small, with_step(2048, 8192, true)));
  CHECK(passes(rules::batched_tokens_too_small, with_step(8192, 8192, false)));
  RuleCase made = with_step(2048, 8192, false);
  made.serving->plan.batched_tokens.given = false;
  CHECK_FALSE(apply(rules::batched_tokens_too_small, made).skipped().empty());
  made = with_step(2048, 8192, false);
  made.serving->plan.engine = Engine::sglang;
  CHECK(apply(rules::batched_tokens_too_small, made).skipped() ==
        "SGLang cuts prompts as it has to");
}

RuleCase with_length(std::int64_t length, Engine engine = Engine::vllm) {
  return served_case(
      "Llama-3.1-8B", "H100",
      [&](ServingPlan& plan) { plan.max_model_len = given(length, "max-model-len", 4); }, engine);
}

TEST_CASE("A length beyond the model's positions", "[check]") {
  const Finding finding = only_finding(rules::context_beyond_model, with_length(200000));
  CHECK(finding.what == "max-model-len 200000 is beyond the 131072 positions of llama-3.1-8b");
  CHECK_THAT(finding.why, Contains("VLLM_ALLOW_LONG_MAX_MODEL_LEN=1"));
  CHECK(finding.place == at(4));
  CHECK(finding.fix == "max-model-len 131072");
  CHECK_FALSE(finding.uncertain);
  CHECK(only_finding(rules::context_beyond_model, with_length(200000, Engine::tensorrt_llm))
            .uncertain);
}

TEST_CASE("A length that the model has, or that is asked for in so many words", "[check]") {
  CHECK(passes(rules::context_beyond_model, with_length(131072)));
  RuleCase made = with_length(200000);
  made.launch.settings = {{.name = "hf-overrides.rope_scaling.factor",
                           .written = "--hf-overrides",
                           .values = {"2.0"},
                           .place = at(5)}};
  CHECK(apply(rules::context_beyond_model, made).skipped() == "longer positions are asked for");
  made.launch.settings.clear();
  made.launch.surroundings = {{.name = "VLLM_ALLOW_LONG_MAX_MODEL_LEN",
                               .written = "VLLM_ALLOW_LONG_MAX_MODEL_LEN",
                               .values = {"1"},
                               .place = at(5)}};
  CHECK(apply(rules::context_beyond_model, made).skipped() == "longer positions are asked for");
  made.launch.surroundings.front().values = {"0"};
  CHECK(apply(rules::context_beyond_model, made).findings().size() == 1);
}

RuleCase with_batch(const std::string& model, std::int64_t most, std::int64_t prompt,
                    std::int64_t output) {
  RuleCase made = served_case(model, "H100", [&](ServingPlan& plan) {
    plan.max_sequences = given(most, "max-num-seqs", 7);
    plan.prompt = given(prompt);
    plan.output = given(output);
  });
  made.memory = budget_of({gib(40), gib(40), gib(40)}, {8192, 8192, 8192});
  return made;
}

// 32 layers of 218,103,808 elements and an lm_head of 525,336,576: 7,504,658,432 elements.
// 8 x 2 of them and 4 x 8 x 32 x 128 x 1152 x 32 FLOP of attention: 124,906,373,120 FLOP.
// 15,009,316,864 bytes of weights and 8 x 1152 x 131,072 of K/V: 16,217,276,416 bytes.
TEST_CASE("Decode that is memory-bound at the configured batch", "[check]") {
  const Finding finding =
      only_finding(rules::decode_memory_bound, with_batch("Llama-3.1-8B", 8, 1024, 256));
  // 989.4 TFLOP/s over 3.35 TB/s.
  CHECK(finding.what == "decode is memory-bound at 8 sequences: 7.702 FLOP/byte, ridge 295.3");
  CHECK(finding.place == at(7));
  CHECK_THAT(finding.why, Contains("as many as max-num-seqs allows, at context 1152"));
  // A sequence adds 15.6 GFLOP and 151 MB: 103 FLOP/byte is the most that any batch reaches.
  CHECK_THAT(finding.why, Contains("no batch makes it compute-bound at this context"));
}

TEST_CASE("The cache may hold fewer than may run", "[check]") {
  RuleCase made = with_batch("Llama-3.1-8B", 256, 1024, 256);
  // 1,280 tokens take 160 MiB: 6 and a half of them.
  made.memory->kv = {gib(6.5 * 160 / 1024), gib(1), gib(1)};
  const Finding finding = only_finding(rules::decode_memory_bound, made);
  CHECK_THAT(finding.what, Contains("at 6 sequences"));
  CHECK_THAT(finding.why, Contains("as many as the K/V cache holds"));
}

// 69,501,714,432 elements that each sequence multiplies, 3.020 GFLOP of attention and 377.5 MB of
// K/V a sequence: b (139.0 + 3.020) GFLOP over 139.0 GB + b 377.5 MB is 295.34 at b = 1344.6.
TEST_CASE("The batch that is compute-bound may be more than the cache holds", "[check]") {
  CHECK_THAT(
      only_finding(rules::decode_memory_bound, with_batch("Llama-3.1-70B", 8, 1024, 256)).why,
      EndsWith("it is compute-bound from 1345 sequences on, more than the K/V cache holds"));
}

TEST_CASE("Replicas of SGLang's attention share the running requests", "[check]") {
  RuleCase made = served_case(
      "DeepSeek-V3", "H200",
      [](ServingPlan& plan) {
        plan.tensor = given<std::int64_t>(8);
        plan.data = given<std::int64_t>(8);
        plan.attention_dp = given(true);
        plan.max_sequences = given<std::int64_t>(16, "--max-running-requests", 7);
        plan.prompt = given<std::int64_t>(1024);
        plan.output = given<std::int64_t>(256);
      },
      Engine::sglang);
  made.memory = budget_of({gib(40), gib(40), gib(40)}, {8192, 8192, 8192});
  const Finding finding = only_finding(rules::decode_memory_bound, made);
  CHECK_THAT(finding.what, Contains("at 16 sequences"));
  CHECK_THAT(finding.why, Contains("as many as --max-running-requests allows"));
}

TEST_CASE("Decode that is compute-bound is not reported", "[check]") {
  // 2 x 7.5 G x 900 FLOP over 15 GB of weights and 900 x 16 tokens: far above the ridge.
  CHECK(passes(rules::decode_memory_bound, with_batch("Llama-3.1-8B", 900, 8, 8)));
}

}  // namespace
}  // namespace roofline
