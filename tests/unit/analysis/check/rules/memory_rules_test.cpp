// Rules about memory, on budgets whose figures are chosen: texts follow from them. Fixes are tried
// on the engines' own memory: 8B weights in bf16 take 15.0 GiB, a token of K/V 128 KiB.
#include <catch2/catch.hpp>

#include "analysis/check/rule_subject.hpp"
#include "analysis/check/rules/rules.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

constexpr auto model = "Llama-3.1-8B";

RuleCase with_length(const std::string& gpu, std::int64_t length) {
  return served_case(model, gpu, [&](ServingPlan& plan) {
    plan.max_model_len = given(length, "max_model_len", 3);
    plan.model = given<std::string>(model, "model", 2);
  });
}

TEST_CASE("A cache that cannot hold one sequence is said as the engine says it", "[check]") {
  RuleCase made = with_length("L4", 131072);
  made.memory = budget_of({gib(4), gib(3.75), gib(4.25)}, {32768, 16384, 34816});
  const Finding finding = only_finding(rules::kv_too_small, made);
  CHECK(finding.what == "K/V cache holds 32768 tokens, max_model_len is 131072");
  CHECK(finding.why ==
        "one sequence of that length needs 16.00 GiB on each device; 4.000 GiB (3.750 GiB to "
        "4.250 GiB) is left of 20.00 GiB");
  CHECK(finding.place == at(3));
  CHECK(finding.subject == "max-model-len");
  CHECK_FALSE(finding.uncertain);
  // In fp8 a sequence takes 8 GiB of the 5 that an L4 leaves; two of them leave 12 each.
  CHECK(finding.fix == "max_model_len 16384 or tensor-parallel-size 2");
}

TEST_CASE("A deployment of the project's own file is told in its own names", "[check]") {
  RuleCase made = served_case(model, "L4", [](ServingPlan&) {});
  made.memory = budget_of({gib(4), gib(4), gib(4)}, {16384, 16384, 16384});
  made.launch.surroundings = {
      {.name = "own-names", .written = "deployments", .values = {"true"}, .place = at(1)}};
  CHECK(only_finding(rules::kv_too_small, made).fix == "max-model-len 16384 or tp 2");
}

TEST_CASE("A shorter length that is not held after all is tried again", "[check]") {
  RuleCase made = with_length("L4", 131072);
  // An L4 holds some 36,000 tokens beside the weights, not 100,000.
  made.memory = budget_of({gib(12.5), gib(12.5), gib(12.5)}, {100000, 100000, 100000});
  const Finding finding = only_finding(rules::kv_too_small, made);
  CHECK(finding.what == "K/V cache holds 100000 tokens, max_model_len is 131072");
  CHECK_THAT(finding.fix, StartsWith("max_model_len ") && !Contains("100000"));
}

TEST_CASE("GPUs that a fix needs are part of it", "[check]") {
  RuleCase made = with_length("L4", 131072);
  made.plan.gpus = given<std::int64_t>(1, "nvidia.com/gpu", 9);
  made.serving->plan.gpus = made.plan.gpus;
  made.memory = budget_of({gib(4), gib(4), gib(4)}, {32768, 32768, 32768});
  CHECK_THAT(only_finding(rules::kv_too_small, made).fix,
             Contains("tensor-parallel-size 2 and nvidia.com/gpu 2"));
}

// A sequence of 24576 tokens takes 3 GiB, and half of it in fp8: more than 1.5 are left of either.
TEST_CASE("K/V in fp8 is no fix where the GPU has no fp8", "[check]") {
  const auto fix_on = [](const std::string& gpu) {
    RuleCase made = with_length(gpu, 24576);
    made.memory = budget_of({gib(2), gib(2), gib(2)}, {16384, 16384, 16384});
    return only_finding(rules::kv_too_small, made).fix;
  };
  CHECK_THAT(fix_on("L4"), Contains("kv-cache-dtype fp8"));
  CHECK_THAT(fix_on("A10G"), Contains("tensor-parallel-size 2") && !Contains("fp8"));
}

TEST_CASE("Between the ends of the interval a cache may hold a sequence", "[check]") {
  RuleCase made = with_length("L4", 32768);
  made.memory = budget_of({gib(4), gib(3.75), gib(4.25)}, {32768, 30720, 32768});
  const Finding finding = only_finding(rules::kv_too_small, made);
  CHECK(finding.what == "K/V cache may hold only 30720 tokens, max_model_len is 32768");
  CHECK(finding.uncertain);
}

TEST_CASE("An engine that shrinks what it allocates does not fail", "[check]") {
  RuleCase made = served_case(
      model, "L4",
      [](ServingPlan& plan) { plan.max_model_len = given<std::int64_t>(131072, "-c"); },
      Engine::llama_cpp);
  made.memory = budget_of({gib(4), gib(4), gib(4)}, {32768, 32768, 32768});
  made.memory->shrinks = true;
  const Finding finding = only_finding(rules::kv_too_small, made);
  CHECK(finding.what ==
        "llama.cpp keeps layers in host memory: 32768 tokens fit on the GPU, -c is 131072");
  CHECK(finding.uncertain);
  CHECK(finding.severity == Severity::note);
  made.serving->plan.max_model_len = {.value = 131072};
  CHECK(only_finding(rules::kv_too_small, made).what ==
        "llama.cpp shrinks ctx-size to 32768 tokens, the model has 131072");
  made.memory->kv = {gib(-1), gib(-1), gib(-1)};
  CHECK(only_finding(rules::weights_too_large, made).uncertain);
}

TEST_CASE("Of a length that vLLM chooses itself nothing fails", "[check]") {
  RuleCase made = served_case(model, "L4", [](ServingPlan&) {});
  made.memory = budget_of({gib(4), gib(4), gib(4)}, {32768, 32768, 32768});
  CHECK_FALSE(only_finding(rules::kv_too_small, made).uncertain);
  made.launch.settings = {
      {.name = "max-model-len", .written = "--max-model-len", .values = {"auto"}, .place = at(2)}};
  CHECK(only_finding(rules::kv_too_small, made).what ==
        "vLLM shrinks max-model-len to 32768 tokens, the model has 131072");
}

TEST_CASE("llama.cpp divides its context by its slots", "[check]") {
  RuleCase made = served_case(
      model, "L4",
      [](ServingPlan& plan) {
        plan.max_model_len = given<std::int64_t>(65536, "-c");
        plan.kv_token_limit = given<std::int64_t>(131072, "-c");
        plan.max_sequences = given<std::int64_t>(2, "-np");
      },
      Engine::llama_cpp);
  made.memory = budget_of({gib(4), gib(4), gib(4)}, {16384, 16384, 16384});
  const Finding finding = only_finding(rules::kv_too_small, made);
  CHECK(finding.what == "K/V cache holds 16384 tokens, each slot's part of -c is 65536");
  CHECK_THAT(finding.fix, StartsWith("-c 32768"));
}

TEST_CASE("A cache that holds one sequence for sure is large enough", "[check]") {
  RuleCase made = with_length("L4", 8192);
  made.memory = budget_of({gib(4), gib(3.75), gib(4.25)}, {8192, 8192, 8192});
  CHECK(passes(rules::kv_too_small, made));
}

TEST_CASE("Without K/V or room for any a cache is not judged", "[check]") {
  RuleCase made = with_length("L4", 8192);
  made.memory = budget_of({gib(-1), gib(-1.25), gib(-0.75)}, {0, 0, 0});
  CHECK(apply(rules::kv_too_small, made).skipped() == "nothing is left for K/V at all");
  made.memory->kv_tokens.reset();
  CHECK(apply(rules::kv_too_small, made).skipped() == "a model without K/V");
  made.memory.reset();
  CHECK(apply(rules::kv_too_small, made).skipped() == "its memory is not known");
}

TEST_CASE("Weights that leave nothing for K/V", "[check]") {
  RuleCase made = with_length("T4", 8192);
  made.memory = budget_of({gib(-1), gib(-1.25), gib(-0.75)}, {0, 0, 0});
  const Finding finding = only_finding(rules::weights_too_large, made);
  CHECK(finding.what == "nothing is left for K/V: weights take 15.00 GiB, vLLM may use 18.00 GiB");
  CHECK(finding.why ==
        "beside them activations take 512.0 MiB, graphs 256.0 MiB, the rest 128.0 MiB; the device "
        "has 20.00 GiB");
  CHECK(finding.place == at(2));
  // 15 GiB: two T4 hold 7.5 GiB each; fp8 weights need a GPU of compute capability 8.0.
  CHECK(finding.fix == "tensor-parallel-size 2");
}

TEST_CASE("Weights that leave something, or may, are not too large", "[check]") {
  RuleCase made = with_length("L4", 8192);
  made.memory = budget_of({gib(-0.25), gib(-0.5), gib(0.25)}, {0, 0, 2048});
  CHECK(passes(rules::weights_too_large, made));
  made.memory.reset();
  CHECK(apply(rules::weights_too_large, made).skipped() == "its memory is not known");
}

/// 1,024 tokens of a sequence take 128 MiB: 10 and a half of them, 9 and a half at least.
RuleCase with_sequences(std::int64_t most, double high = 11.5) {
  RuleCase made = served_case(model, "H100", [&](ServingPlan& plan) {
    plan.prompt = given<std::int64_t>(1000);
    plan.output = given<std::int64_t>(24);
    plan.max_sequences = given(most, "max-num-seqs", 4);
  });
  made.memory = budget_of({gib(10.5 / 8), gib(9.5 / 8), gib(high / 8)}, {8192, 8192, 8192});
  return made;
}

TEST_CASE("A cache that holds fewer than half of the sequences that may run", "[check]") {
  const Finding finding = only_finding(rules::kv_below_max_num_seqs, with_sequences(64));
  CHECK(finding.what == "K/V cache holds 10 sequences of 1024 tokens, max-num-seqs allows 64");
  CHECK_THAT(finding.why, Contains("1000 prompt and 24 output tokens each"));
  CHECK(finding.place == at(4));
  CHECK_FALSE(finding.uncertain);
  CHECK(finding.fix == "max-num-seqs 10 or kv-cache-dtype fp8");
  CHECK(only_finding(rules::kv_below_max_num_seqs, with_sequences(22, 11.5)).uncertain);
}

TEST_CASE("The share of sequences that has to find room is told in percent", "[check]") {
  RuleCase made = with_sequences(64);
  made.threshold = 0.29;  // 100 * 0.29 is not 29
  CHECK_THAT(only_finding(rules::kv_below_max_num_seqs, made).why, Contains("fewer than 29 % of"));
}

TEST_CASE("A cache that holds half of the sequences will do", "[check]") {
  CHECK(passes(rules::kv_below_max_num_seqs, with_sequences(20)));
  RuleCase made = with_sequences(20);
  made.threshold = 0.75;
  CHECK(apply(rules::kv_below_max_num_seqs, made).findings().size() == 1);
}

TEST_CASE("Sequences are judged at stated lengths and limits alone", "[check]") {
  RuleCase made = with_sequences(64);
  made.plan.max_sequences.given = false;
  CHECK_FALSE(apply(rules::kv_below_max_num_seqs, made).skipped().empty());
  made = with_sequences(64);
  made.plan.output.given = false;
  CHECK_FALSE(apply(rules::kv_below_max_num_seqs, made).skipped().empty());
}

RuleCase with_share(double share, std::int64_t longest, Engine engine = Engine::vllm) {
  RuleCase made = served_case(
      model, "L4",
      [&](ServingPlan& plan) {
        plan.max_model_len = given<std::int64_t>(8192);
        plan.memory_share = given(share, "gpu-memory-utilization", 5);
      },
      engine);
  made.memory = budget_of({gib(4), gib(4), gib(4)}, {longest, longest, longest});
  made.memory->allowed = gib(20 * share);
  return made;
}

TEST_CASE("A share that leaves too little for what lives outside it", "[check]") {
  const Finding tight = only_finding(rules::utilization_too_high, with_share(0.98, 8192));
  CHECK(tight.what == "gpu-memory-utilization 0.98 is above 0.95");
  CHECK(tight.why ==
        "409.6 MiB of 20.00 GiB are left for the CUDA context: about 512.0 MiB, and memory "
        "fragments");
  CHECK(tight.place == at(5));
  CHECK_FALSE(tight.uncertain);
  CHECK(tight.fix == "gpu-memory-utilization 0.95");
  CHECK(only_finding(rules::utilization_too_high, with_share(0.97, 8192)).uncertain);
}

TEST_CASE("A share within the limit leaves enough", "[check]") {
  CHECK(passes(rules::utilization_too_high, with_share(0.95, 8192)));
  RuleCase made = with_share(0.93, 8192);
  made.threshold = 0.9;
  CHECK(apply(rules::utilization_too_high, made).findings().size() == 1);
}

TEST_CASE("Of SGLang activations and graphs live outside its share too", "[check]") {
  // 0.97 leaves 0.6 GiB; the context takes 0.5, activations 0.5 and graphs 0.25.
  CHECK_FALSE(
      only_finding(rules::utilization_too_high, with_share(0.97, 8192, Engine::sglang)).uncertain);
}

TEST_CASE("Memory that is left unused", "[check]") {
  const Finding spare = only_finding(rules::utilization_too_low, with_share(0.5, 8192));
  CHECK(spare.what == "gpu-memory-utilization 0.5 leaves memory unused");
  CHECK_THAT(spare.why, Contains("10.00 GiB of 20.00 GiB are not used"));
  CHECK(spare.uncertain);
  CHECK(spare.fix == "gpu-memory-utilization 0.9");
  // With too small a cache any share below the usual one is in the way.
  const Finding needed = only_finding(rules::utilization_too_low, with_share(0.8, 4096));
  CHECK_FALSE(needed.uncertain);
  CHECK(needed.fix == "gpu-memory-utilization 0.9");
}

TEST_CASE("A share that is usual, or low where nothing lacks, is not too low", "[check]") {
  CHECK(passes(rules::utilization_too_low, with_share(0.6, 8192)));
  CHECK(passes(rules::utilization_too_low, with_share(0.9, 4096)));
}

TEST_CASE("A share that the engine chooses or replaces is not judged", "[check]") {
  RuleCase made = with_share(0.98, 8192);
  made.plan.kv_memory = given(gib(2));
  CHECK_FALSE(apply(rules::utilization_too_high, made).skipped().empty());
  CHECK_FALSE(apply(rules::utilization_too_low, made).skipped().empty());
  made.plan.memory_share.given = false;
  CHECK(apply(rules::utilization_too_high, made).skipped() == "the engine chooses its share");
}

}  // namespace
}  // namespace roofline
