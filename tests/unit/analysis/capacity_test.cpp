// What sequences need of each device, and how many of what length there is room for.
#include "analysis/capacity.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "roofline/catalog.hpp"

namespace roofline {
namespace {

/// A catalogue's model on a catalogue's device.
struct Case {
  Model model;
  Device device;
  Setting setting;

  Case(const std::string& model_name, const std::string& device_name,
       const Deployment& deployment = {})
      : model(Catalog().model(model_name)),
        device(Catalog().device(device_name)),
        setting(make_setting(model, device, deployment, {})) {}
};

// Llama-3.1-8B in bf16: 131,072 bytes of K/V a token; gate and up take 4,096 and give 28,672
// elements a token, beside a residual stream of 4,096.
constexpr double kv_of_token = 131'072;
constexpr double activations_of_token = 2 * (4096 + 28'672) + 2 * 4096;

TEST_CASE("K/V is held in whole blocks", "[analysis]") {
  const Case c("llama-3.1-8b", "H100");
  const auto [tokens, block, held] = GENERATE(table<std::int64_t, std::int64_t, std::int64_t>(
      {{2048, 16, 2048}, {2049, 16, 2064}, {17, 16, 32}, {1, 16, 16}, {17, 1, 17}, {65, 64, 128}}));
  CAPTURE(tokens, block);
  Capacity capacity(c.setting, {.overhead = {}, .block_tokens = block});
  const MemoryNeed need = capacity.need(3, tokens);
  CHECK(need.kv == Bytes(3 * kv_of_token * static_cast<double>(held)));
  CHECK(need.weights == Bytes(2 * 8'030'261'248.0));
  CHECK(need.state == Bytes());
}

TEST_CASE("Replicas share the sequences", "[analysis]") {
  const Case c("llama-3.1-8b", "H100", {.data = 3});
  Capacity capacity(c.setting, {});
  CHECK(capacity.need(9, 1024).kv == Bytes(3 * 1024 * kv_of_token));
  CHECK(capacity.need(10, 1024).kv == Bytes(4 * 1024 * kv_of_token));
  CHECK(capacity.need(10, 1024).weights == Bytes(2 * 8'030'261'248.0));
}

TEST_CASE("The largest step is a prefill step of the budget", "[analysis]") {
  const Case c("llama-3.1-8b", "H100");
  const auto [sequences, tokens, budget, new_tokens] = GENERATE(table<int, int, int, int>({
      {1, 3000, 8192, 3000},
      {2, 3000, 8192, 6000},
      {3, 3000, 8192, 8192},  // two prompts, and a chunk of the third
      {9, 3000, 8192, 8192},
      {1, 10'000, 8192, 8192},  // the last chunk of one prompt
      {5, 10'000, 2048, 2048},
  }));
  CAPTURE(sequences, tokens, budget);
  Capacity capacity(c.setting, {.overhead = {}, .batched_tokens = budget});
  CHECK(capacity.need(sequences, tokens).activations == Bytes(new_tokens * activations_of_token));
}

TEST_CASE("The largest step is decode where the budget is small", "[analysis]") {
  // lm_head takes 4,096 and gives 128,256 elements for each of the sequences.
  const Case c("llama-3.1-8b", "H100", {.data = 2});
  Capacity capacity(c.setting, {.overhead = {}, .batched_tokens = 16});
  CHECK(capacity.need(2000, 100).activations == Bytes(1000 * (2 * (4096 + 128'256) + 2 * 4096)));
}

TEST_CASE("What is usable is the engine's share without its overhead", "[analysis]") {
  const Case c("llama-3.1-8b", "H100");
  const double reported = 81'559.0 * 1024 * 1024;
  CHECK(Capacity(c.setting, {}).usable() == Bytes(reported) * 0.9);
  CHECK(Capacity(c.setting, {.utilization = 0.5, .overhead = Bytes(1e9)}).usable() ==
        Bytes(reported) * 0.5 - Bytes(1e9));
  CHECK(Capacity(c.setting, {.overhead = Bytes(1e12)}).usable() == Bytes());
}

TEST_CASE("Counts are exact: one more does not fit", "[analysis]") {
  const auto [model, deployment] = GENERATE(table<std::string, Deployment>({
      {"llama-3.1-8b", {}},
      {"llama-3.1-8b", {.tensor = 2, .data = 3}},
      {"gemma-2-27b", {.tensor = 2}},
      {"mamba-2.8b", {}},
      {"mixtral-8x7b", {.tensor = 2, .pipeline = 2}},
  }));
  const std::int64_t tokens = GENERATE(100, 5000);
  CAPTURE(model, to_string(deployment), tokens);
  const Case c(model, "H100", deployment);
  Capacity capacity(c.setting, {});
  const Bytes held_back = Bytes(1e9);
  const Bytes room = *capacity.usable() - held_back;
  const std::int64_t most = *capacity.most_sequences(tokens, held_back);
  REQUIRE(most > 0);
  CHECK(most % deployment.data == 0);
  CHECK(capacity.need(most, tokens).total() <= room);
  CHECK(capacity.need(most + 1, tokens).total() > room);
  const std::int64_t longest = *capacity.longest(8, held_back);
  REQUIRE(longest > 0);
  CHECK(capacity.need(8, longest).total() <= room);
  if (longest < longest_counted) CHECK(capacity.need(8, longest + 1).total() > room);
  CHECK((model == "mamba-2.8b") == (longest == longest_counted));
}

TEST_CASE("Llama-3-70B over two H100 holds 16 sequences of 2,048", "[analysis]") {
  // 76,968,728,985.6 usable; weights 70,555,025,408, of which norms are whole; activations
  // 8,192 x 2 x (8,192 + 28,672 + 8,192) = 738,197,504; K/V of a token 163,840. What is left is
  // 5,675,506,073.6: 16.9 sequences of 335,544,320, and 2,165.03 blocks of 16 tokens.
  const Case c("llama-3-70b", "H100", {.tensor = 2});
  Capacity capacity(c.setting, {});
  CHECK(capacity.need(16, 2048).weights == Bytes(70'555'025'408.0));
  CHECK(capacity.need(16, 2048).activations == Bytes(738'197'504.0));
  CHECK(capacity.most_sequences(2048) == 16);
  CHECK(capacity.longest(1) == 2165 * 16);
}

TEST_CASE("Nothing fits beside weights that do not", "[analysis]") {
  const Case c("llama-3-70b", "H100");
  Capacity capacity(c.setting, {});
  CHECK(capacity.most_sequences(2048) == 0);
  CHECK(capacity.longest(1) == 0);
}

TEST_CASE("Without a known capacity there are no counts", "[analysis]") {
  Case c("llama-3.1-8b", "H100");
  c.device.capacity.reset();
  c.device.usable.reset();
  Capacity capacity(c.setting, {});
  CHECK_FALSE(capacity.usable());
  CHECK_FALSE(capacity.most_sequences(2048));
  CHECK_FALSE(capacity.longest(1));
  CHECK(capacity.need(1, 2048).kv == Bytes(2048 * kv_of_token));
}

}  // namespace
}  // namespace roofline
