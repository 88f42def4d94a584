// Does it fit: verdicts with and without what engines take, what binds, and what would do.
#include "roofline/fit.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/catalog.hpp"

namespace roofline {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double mib = 1024.0 * 1024;

FitRequest request_for(const std::string& model, const std::string& device,
                       const Deployment& deployment = {}, std::int64_t context = 2048) {
  return {.server = {.model = Catalog().model(model),
                     .device = Catalog().device(device),
                     .deployment = deployment},
          .context = context};
}

/// With exactly `memory` usable.
FitRequest with_memory(FitRequest request, Bytes memory) {
  request.server.device.usable = memory;
  request.server.limits.utilization = 1;
  return request;
}

TEST_CASE("A 70B in 16 bits does not fit an H100, and does fit two", "[analysis]") {
  const FitResult one = fit(request_for("llama-3-70b", "H100"));
  CHECK(one.verdict == FitVerdict::does_not_fit);
  CHECK(one.binds == MemoryTerm::weights);
  CHECK(one.need.weights == Bytes(141'107'412'992.0));
  CHECK(one.need.kv == Bytes(671'088'640.0));
  // gate and up over 2,048 tokens, 2 x (8,192 + 57,344) bytes each, and the residual stream
  CHECK(one.need.activations == Bytes(2048.0 * 2 * (8192 + 57'344 + 8192)));
  CHECK(one.usable.value() == Approx(76.9687e9).epsilon(1e-6));
  CHECK(one.sequences == CountRange{0, 0});
  CHECK(one.context == CountRange{0, 0});
  CHECK(one.kv_tokens == CountRange{0, 0});
  CHECK(one.fewest == Deployment{.tensor = 2});
  CHECK(one.fewest_at_best == Deployment{.tensor = 2});

  const FitResult two = fit(request_for("llama-3-70b", "H100", {.tensor = 2}));
  CHECK(two.verdict == FitVerdict::fits);
  CHECK(two.binds == MemoryTerm::kv);
  CHECK(two.least_need() == Bytes(71'075'119'104.0));
  CHECK(two.fewest == Deployment{.tensor = 2});
  CHECK(two.remedies.empty());
  // 3,370,710,466.56 of engine: what is left of 76,968,728,985.6 in blocks of 2,621,440 bytes,
  // beside activations of 2,048 tokens for the first and of 8,192 for the other two.
  CHECK(two.kv_tokens == CountRange{1090 * 16, 2376 * 16});
  CHECK(two.sequences == CountRange{6, 16});
  CHECK(two.context == CountRange{879 * 16, 2165 * 16});
  CHECK(two.max_context == 8192);
}

TEST_CASE("An L4 does not hold 16 GiB of K/V beside an 8B", "[analysis]") {
  const FitResult result = fit(request_for("llama-3.1-8b", "L4", {}, 131'072));
  CHECK(result.verdict == FitVerdict::does_not_fit);
  CHECK(result.need.kv == Bytes(16 * gib));
  CHECK(result.binds == MemoryTerm::kv);
  CHECK(result.fewest == Deployment{.tensor = 2});
  // 9.08 + 17.18 GB and 16.06 + 8.59 GB are more than 21.7; 9.08 + 8.59 GB are not.
  REQUIRE(result.remedies.size() == 1);
  CHECK(result.remedies.front().kind == FitRemedy::Kind::both_8_bit);
}

TEST_CASE("Remedies fit when they are tried", "[analysis]") {
  FitRequest request = request_for("llama-3.1-8b", "L4", {}, 40'000);
  const FitResult result = fit(request);
  REQUIRE(result.verdict != FitVerdict::fits);
  // 16.06 + 2.62 GB, or 9.08 + 5.24 GB, and at most 2 GB besides, of 21.7 GB.
  REQUIRE(result.remedies.size() == 2);
  CHECK(result.remedies[0].kind == FitRemedy::Kind::kv_8_bit);
  CHECK(result.remedies[1].kind == FitRemedy::Kind::weights_8_bit);
  request.server.precision.kv = Catalog().format("fp8");
  const FitResult with_8_bits = fit(request);
  CHECK(with_8_bits.verdict == FitVerdict::fits);
  CHECK(with_8_bits.most_need() == result.remedies[0].need);
}

TEST_CASE("Engines take a context and graphs on GPUs of NVIDIA and AMD", "[analysis]") {
  const auto [device, takes] = GENERATE(table<std::string, bool>(
      {{"H100", true}, {"MI300X", true}, {"tpu-v5p", false}, {"apple-m2-ultra", false}}));
  CAPTURE(device);
  const EngineMemory engine = fit(request_for("llama-3.1-8b", device)).engine;
  // 32 layers x 51 graphs x 0.69 MiB
  CHECK(engine.context == Bytes(takes ? 0.39 * gib : 0));
  CHECK(engine.graphs.value() == Approx(takes ? 32 * 51 * 0.69 * mib : 0));
  CHECK(engine.whole_matrices == Bytes());
}

TEST_CASE("A given overhead leaves nothing open", "[analysis]") {
  FitRequest request = request_for("llama-3.1-8b", "H100");
  request.overhead_known = true;
  request.server.limits.overhead = Bytes(2e9);
  const FitResult result = fit(request);
  CHECK(result.engine == EngineMemory{});
  CHECK(result.usable.value() == Approx(81'559.0 * mib * 0.9 - 2e9));
  CHECK(result.sequences.low == result.sequences.high);
  CHECK(result.context.low == result.context.high);
}

TEST_CASE("Engines keep whole what goes down to a latent and to the router", "[analysis]") {
  // DeepSeek-V3: 61 layers of 7,168 x (1,536 + 512 + 64) in fp8 with scales, 58 routers of
  // 7,168 x 256 in bf16: 7/8 of them more on each of 8 devices.
  FitRequest request = request_for("deepseek-v3", "H200-SXM-141GB", {.tensor = 8});
  const double latent = 61.0 * 7168 * (1536 + 512 + 64) * (8 + 32.0 / 16'384) / 8;
  const double routers = 58.0 * 7168 * 256 * 2;
  CHECK(fit(request).engine.whole_matrices.value() ==
        Approx((latent + routers) * 7 / 8).epsilon(1e-5));
  CHECK(fit(request).engine.graphs.value() == Approx(61 * 51 * 1.39 * mib));
  request.server.deployment = {.pipeline = 8};  // 8 layers of 61 at most, nothing split
  CHECK(fit(request).engine.whole_matrices == Bytes());
  CHECK(fit(request).engine.graphs.value() == Approx(8 * 51 * 1.39 * mib));
}

TEST_CASE("Between the two ends of the need the verdict is uncertain", "[analysis]") {
  const FitRequest request = request_for("llama-3.1-8b", "H100");
  const FitResult known = fit(request);
  const auto verdict = [&](Bytes memory) { return fit(with_memory(request, memory)).verdict; };
  CHECK(verdict(known.most_need()) == FitVerdict::fits);
  CHECK(verdict(known.most_need() - Bytes(1)) == FitVerdict::uncertain);
  CHECK(verdict(known.least_need()) == FitVerdict::uncertain);
  CHECK(verdict(known.least_need() - Bytes(1)) == FitVerdict::does_not_fit);
  const FitResult uncertain = fit(with_memory(request, known.least_need()));
  CHECK(uncertain.sequences == CountRange{0, 1});
  CHECK(uncertain.fewest == Deployment{.tensor = 2});
  CHECK(uncertain.fewest_at_best == Deployment{});
  CHECK(uncertain.context == CountRange{0, 2048});
}

TEST_CASE("What binds is the term that passes what is usable", "[analysis]") {
  FitRequest request = request_for("jamba-1.5-large", "H100", {}, 100'000);
  request.batch = 4;
  request.overhead_known = true;
  const MemoryNeed need = fit(with_memory(request, Bytes(1e12))).need;
  const auto binds = [&](Bytes memory) { return fit(with_memory(request, memory)).binds; };
  REQUIRE(need.state > Bytes());
  CHECK(binds(need.weights - Bytes(1)) == MemoryTerm::weights);
  CHECK(binds(need.weights + need.activations - Bytes(1)) == MemoryTerm::activations);
  CHECK(binds(need.weights + need.activations + need.state - Bytes(1)) == MemoryTerm::state);
  CHECK(binds(need.total() - Bytes(1)) == MemoryTerm::kv);
  CHECK(binds(need.total()) == MemoryTerm::kv);
}

TEST_CASE("The fewest devices divide heads, then layers", "[analysis]") {
  // Qwen2.5-7B has 28 heads, so 3 ways are refused. Of 3 stages one has 10 of 28 layers:
  // 4,661,158,400 bytes, a table of 1,089,994,752, K/V of 41,943,040, activations of 184,549,376.
  FitRequest request = request_for("qwen2.5-7b", "H100");
  request.overhead_known = true;
  CHECK(fit(with_memory(request, Bytes(5'977'645'567))).fewest == Deployment{.tensor = 4});
  CHECK(fit(with_memory(request, Bytes(5'977'645'568))).fewest == Deployment{.pipeline = 3});
}

TEST_CASE("Tensor parallel stays within the fast link where it can", "[analysis]") {
  // 141.1 GB over four devices of 40 GB; a bridge joins two of them.
  FitRequest request = with_memory(request_for("llama-3-70b", "H100"), Bytes(40e9));
  request.overhead_known = true;
  CHECK(fit(request).fewest == Deployment{.tensor = 4});
  request.server.device.interconnect->joins = 2;
  CHECK(fit(request).fewest == Deployment{.tensor = 2, .pipeline = 2});
}

TEST_CASE("Experts are spread where slices of them are refused", "[analysis]") {
  // 236.4 GB in fp8 over 8 devices of 40 GiB: experts' 1,536 over 8 are 192, no whole blocks.
  FitRequest request = with_memory(request_for("qwen3-235b-a22b-fp8", "A100"), Bytes(35e9));
  request.overhead_known = true;
  CHECK(fit(request).fewest == Deployment{.tensor = 8, .expert = 8});
}

TEST_CASE("There may be no number of devices that would do", "[analysis]") {
  FitRequest request = request_for("llama-3.1-8b", "H100");
  request.batch = 100'000'000;
  CHECK_FALSE(fit(request).fewest);
  CHECK_FALSE(fit(request).fewest_at_best);
}

TEST_CASE("The largest counts that can be asked for are answered", "[analysis]") {
  FitRequest request = request_for("llama-3.1-8b", "H100", {}, 1'000'000'000'000);
  request.batch = 1'000'000'000'000;
  const FitResult result = fit(request);
  CHECK(result.verdict == FitVerdict::does_not_fit);
  CHECK(result.need.kv.value() == Approx(131'072e24));
  CHECK(result.kv_tokens == CountRange{0, 0});
  CHECK(result.sequences == CountRange{0, 0});
}

TEST_CASE("A model of states has no K/V tokens and any length", "[analysis]") {
  const FitResult result = fit(request_for("mamba-2.8b", "H100"));
  CHECK(result.verdict == FitVerdict::fits);
  CHECK_FALSE(result.kv_tokens);
  CHECK(result.any_length);
  CHECK(result.binds == MemoryTerm::state);
}

TEST_CASE("An unknown capacity is an error that names the flag", "[analysis]") {
  FitRequest request = request_for("llama-3.1-8b", "H100");
  request.server.device.usable.reset();
  request.server.device.capacity.reset();
  try {
    (void)fit(request);
    FAIL("no error");
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics().front().what == "the memory of H100-SXM5-80GB is not known");
    CHECK(error.diagnostics().front().fix == "--memory 80GB");
  }
}

TEST_CASE("A context beyond what the model is made for is noted", "[analysis]") {
  const auto notes = fit(request_for("llama-3-70b", "H100", {.tensor = 8}, 10'000)).notes;
  const std::string wanted = "context 10000 is beyond the 8192 tokens that llama-3-70b is made for";
  CHECK(std::find(notes.begin(), notes.end(), wanted) != notes.end());
}

}  // namespace
}  // namespace roofline
