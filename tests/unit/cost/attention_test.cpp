// Softmax attention by layer: windows and chunks, output gates, and layers that attend the K/V of
// another.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

/// H 4, H_kv 2, d 3.
Attention small_attention() {
  return {.query_heads = 4, .kv_heads = 2, .head_dim = 3, .window = {}, .chunk = {}};
}

Attention with_window(std::int64_t window) {
  Attention attention = small_attention();
  attention.window = window;
  return attention;
}

Attention with_chunk(std::int64_t chunk) {
  Attention attention = small_attention();
  attention.chunk = chunk;
  return attention;
}

/// h 8, V 20.
Model model_of(const Attention& attention, std::int64_t count = 1) {
  return make_model(8, 20, {layers(count, attention, nothing)});
}

/// True if the query at `query` attends the key at `key`.
bool attends(const Attention& attention, std::int64_t query, std::int64_t key) {
  if (key > query) return false;
  if (attention.chunk) return key / *attention.chunk == query / *attention.chunk;
  return !attention.window || key > query - *attention.window;
}

struct Counted {
  double pairs = 0;
  double touched = 0;
};

/// Over all sequences of a step, token by token.
Counted count_tokens(const Attention& attention, const Step& step) {
  Counted counted;
  for (const StepGroup& group : step.groups) {
    const std::int64_t end = group.cached_tokens + group.new_tokens;
    for (std::int64_t key = 0; key < end; ++key) {
      std::int64_t queries = 0;
      for (std::int64_t query = group.cached_tokens; query < end; ++query) {
        if (attends(attention, query, key)) ++queries;
      }
      counted.pairs += static_cast<double>(group.count * queries);
      if (queries > 0) counted.touched += static_cast<double>(group.count);
    }
  }
  return counted;
}

TEST_CASE("Attention of every kind of layer equals counting its tokens", "[cost]") {
  const Attention attention =
      GENERATE(small_attention(), with_window(1), with_window(16), with_window(17),
               with_window(1000), with_chunk(1), with_chunk(16), with_chunk(17), with_chunk(1000));
  // Decode, prompts within and beyond 16 tokens, prefixes that end before, at and after 16 or 32.
  const auto new_tokens = GENERATE(as<std::int64_t>(), 1, 4, 16, 17, 50);
  const auto cached_tokens = GENERATE(as<std::int64_t>(), 0, 15, 16, 17, 31, 32, 33);
  Step step;
  step.groups = {{.count = 3, .new_tokens = new_tokens, .cached_tokens = cached_tokens},
                 {.count = 2, .new_tokens = 1, .cached_tokens = 40}};
  CAPTURE(attention.window.value_or(0), attention.chunk.value_or(0), new_tokens, cached_tokens);
  const Counted counted = count_tokens(attention, step);
  const std::vector<Operator> operators = operators_of(model_of(attention, 7), step);
  const Operator& op = find(operators, "attention");
  CHECK(op.flops == Flops(4 * 12 * counted.pairs * 7));        // 4 H d A
  CHECK(op.kv == Bytes(2 * counted.touched * 2 * 2 * 3 * 7));  // c s 2 H_kv d
  const auto tokens = static_cast<double>(3 * new_tokens + 2);
  CHECK(op.activations == Bytes(2 * tokens * 2 * 12 * 7));  // a n q 2 H d
  CHECK(op.window == (attention.chunk ? attention.chunk : attention.window));
  CHECK(op.operands == Operands::cache);
  CHECK(op.layers == 7);
}

TEST_CASE("Without a mask every layer attends all tokens and touches no more", "[cost]") {
  const Attention attention = GENERATE(small_attention(), with_window(10), with_chunk(16));
  Step step{.groups = {{.count = 2, .new_tokens = 40, .cached_tokens = 5}}, .causal = true};
  const std::vector<Operator> causal = operators_of(model_of(attention), step);
  step.causal = false;
  const std::vector<Operator> whole = operators_of(model_of(attention), step);
  CHECK(find(whole, "attention").flops == Flops(4.0 * 12 * 2 * 40 * 45));
  CHECK(find(whole, "attention").kv == find(causal, "attention").kv);
  CHECK(find(whole, "qkv") == find(causal, "qkv"));
}

TEST_CASE("Each group of layers has its own window", "[cost]") {
  Model model = model_of(with_chunk(16), 3);
  model.layers.push_back(layers(1, small_attention(), nothing));
  const std::vector<Operator> operators = operators_of(model, decode_step(1, 17));
  REQUIRE(operators.size() == 8);
  CHECK(operators[2].window == 16);
  CHECK(operators[2].layers == 3);
  CHECK(operators[2].kv == Bytes(2.0 * 1 * 12 * 3));  // the 17th token starts a chunk
  CHECK_FALSE(operators[5].window);
  CHECK(operators[5].layers == 1);
  CHECK(operators[5].kv == Bytes(2.0 * 17 * 12));
}

TEST_CASE("An output gate doubles the query projection and nothing else", "[cost]") {
  Attention gated = small_attention();
  gated.output_gate = true;
  const Step step = decode_step(5, 9);
  const std::vector<Operator> plain = operators_of(model_of(small_attention()), step);
  const std::vector<Operator> with_gate = operators_of(model_of(gated), step);
  CHECK(find(plain, "qkv").outputs == 12 + 12);
  CHECK(find(with_gate, "qkv").outputs == 2 * 12 + 12);
  CHECK(find(with_gate, "qkv").weights == Bytes(2.0 * 8 * 36));
  CHECK(find(with_gate, "attention") == find(plain, "attention"));
  CHECK(find(with_gate, "o") == find(plain, "o"));
}

TEST_CASE("A layer that attends another's K/V projects queries alone", "[cost]") {
  Attention shared = small_attention();
  shared.reuses_cache = true;
  const Step step = GENERATE(decode_step(5, 9), prefill_step(2, 30));
  const std::vector<Operator> owner = operators_of(model_of(small_attention()), step);
  const std::vector<Operator> sharing = operators_of(model_of(shared), step);
  CHECK(names_of(sharing) ==
        std::vector<std::string_view>{"embedding", "q", "attention", "o", "lm_head"});
  CHECK(find(sharing, "q").inputs == 8);
  CHECK(find(sharing, "q").outputs == 12);
  CHECK(find(sharing, "q").weights == Bytes(2.0 * 8 * 12));
  CHECK(find(sharing, "q").part == Part::mixer);
  // It reads the owner's cache all the same.
  CHECK(find(sharing, "attention") == find(owner, "attention"));
  CHECK(find(sharing, "o") == find(owner, "o"));
}

TEST_CASE("A sharing layer with an output gate projects queries and gates", "[cost]") {
  Attention shared = small_attention();
  shared.reuses_cache = true;
  shared.output_gate = true;
  const std::vector<Operator> operators = operators_of(model_of(shared), decode_step(1, 1));
  CHECK(find(operators, "q").outputs == 24);
}

TEST_CASE("Biases cost nothing in a step", "[cost]") {
  Attention biased = small_attention();
  biased.qkv_bias = true;
  biased.output_bias = true;
  const Step step = decode_step(4, 10);
  CHECK(operators_of(model_of(biased), step) == operators_of(model_of(small_attention()), step));
}

}  // namespace
}  // namespace roofline
