// Families whose layers keep a state instead of a cache: Mamba 1 and 2, the gated delta rule,
// lightning attention; counts and states from small dimensions worked out by hand.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/families.hpp"

using namespace roofline;
using namespace roofline::huggingface;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

using Reader = Model (*)(Config&);

/// h 40, V 100, 4 layers, 6 heads of 8 that share 2 K/V heads, an MLP of 24.
json config(const std::string& changes) {
  json result = json::parse(R"({
    "model_type": "x", "hidden_size": 40, "vocab_size": 100, "num_hidden_layers": 4,
    "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 24,
    "torch_dtype": "bfloat16"})");
  result.merge_patch(json::parse(changes));
  return result;
}

Model read(Reader reader, const std::string& changes) {
  Config keys(JsonNode::parse(config(changes).dump(), "m.json"));
  keys.set_family("x");
  return reader(keys);
}

std::string refusal(Reader reader, const std::string& changes) {
  try {
    (void)read(reader, changes);
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().at(0);
    return first.where + ": " + first.what;
  }
  return {};
}

std::string with(std::string keys, const std::string& more) {
  return keys.insert(keys.rfind('}'), ", " + more);
}

// q and o 2 x 40 x 48, k and v 2 x 40 x 16.
constexpr std::int64_t attention = 5120;
constexpr std::int64_t embedding = 4000;
constexpr std::int64_t outside = 2 * embedding + 40;

constexpr std::int64_t mlp(std::int64_t width) {
  return 3 * 40 * width;
}

/// Total, those that a token passes, K/V elements a token, recurrent and convolution state.
using Figures = std::array<std::int64_t, 5>;
Figures figures(const Model& model) {
  const ParameterCount count = count_parameters(model);
  const StateSize state = state_size(model);
  return {count.total(), count.active(), kv_elements_per_token(model), state.recurrent,
          state.convolution};
}

/// in 2 x 40 i, convolution (c + 1) i, rank r: i (r + 2 n) + r i + i, A and D i n + i, out 40 i.
constexpr std::int64_t mamba1(std::int64_t i, std::int64_t n, std::int64_t c, std::int64_t r) {
  return 80 * i + (c + 1) * i + i * (r + 2 * n) + r * i + i + i * n + i + 40 * i;
}

/// w = i + 2 g n; in 40 (i + w + heads), convolution (c + 1) w, 3 heads, norm i, out 40 i.
constexpr std::int64_t mamba2(std::int64_t heads, std::int64_t d, std::int64_t n, std::int64_t g,
                              std::int64_t c) {
  const std::int64_t i = heads * d;
  const std::int64_t w = i + 2 * g * n;
  return 40 * (i + w + heads) + (c + 1) * w + 3 * heads + i + 40 * i;
}

}  // namespace

TEST_CASE("Mamba is mixers and norms alone", "[spec]") {
  // inner 2 x 40, state 16, 4 taps, rank 40 / 16 rounded up: all of them defaults
  const std::int64_t layers = 4 * (mamba1(80, 16, 4, 3) + 40);
  const Figures expected{outside - embedding + layers, outside - embedding + layers, 0, 4 * 80 * 16,
                         4 * 80 * 3};
  CHECK(figures(read(read_mamba, R"({"intermediate_size": null})")) == expected);
  CHECK(figures(read(read_mamba, R"({"intermediate_size": null, "time_step_rank": "auto",
      "expand": 2, "state_size": 16, "conv_kernel": 4})")) == expected);

  SECTION("intermediate_size wins over expand, as in Falcon-Mamba's files") {
    const Model model = read(read_mamba, R"({"intermediate_size": 72, "expand": 16, "state_size": 6,
        "conv_kernel": 5, "time_step_rank": 7, "tie_word_embeddings": false})");
    const std::int64_t total = outside + 4 * (mamba1(72, 6, 5, 7) + 40);
    CHECK(figures(model) == Figures{total, total, 0, 4 * 72 * 6, 4 * 72 * 4});
  }
  SECTION("use_bias adds biases of 2 x 80 and 40") {
    const Model model = read(read_mamba, R"({"intermediate_size": null, "use_bias": true})");
    CHECK(count_parameters(model).total() == expected[0] + 4 * 200);
  }
  SECTION("a convolution without bias is not known") {
    CHECK_THAT(refusal(read_mamba, R"({"use_conv_bias": false})"), Contains("use_conv_bias"));
  }
}

// A mixer of the first has 105,308,160 parameters and a norm of 4096; of the second
// 109,635,968 and 4096; both tables, a final norm.
TEST_CASE("Models of the sizes of Falcon-Mamba 7B and Codestral-Mamba 7B", "[spec]") {
  const Model falcon = read(read_mamba, R"({"hidden_size": 4096, "vocab_size": 65024,
      "num_hidden_layers": 64, "intermediate_size": 8192, "expand": 16, "state_size": 16,
      "conv_kernel": 4, "time_step_rank": 256, "tie_word_embeddings": false})");
  CHECK(count_parameters(falcon).total() == 7'272'665'088);
  const Model codestral = read(read_mamba2, R"({"hidden_size": 4096, "vocab_size": 32768,
      "num_hidden_layers": 64, "intermediate_size": null, "expand": 2, "num_heads": 128,
      "head_dim": 64, "n_groups": 8, "state_size": 128, "conv_kernel": 4})");
  CHECK(count_parameters(codestral).total() == 7'285'403'648);
}

TEST_CASE("Mamba 2 shares B and C between groups", "[spec]") {
  const std::string keys = R"({"intermediate_size": null, "num_heads": 10, "head_dim": 8,
      "n_groups": 3, "state_size": 6, "conv_kernel": 5, "expand": 2})";
  const std::int64_t total = outside + 4 * (mamba2(10, 8, 6, 3, 5) + 40);
  CHECK(figures(read(read_mamba2, keys)) ==
        Figures{total, total, 0, 4 * 80 * 6, 4 * (80 + 36) * 4});
  // biases: into 80 + 116 + 10, out of it 40
  CHECK(count_parameters(read(read_mamba2, with(keys, R"("use_bias": true)"))).total() ==
        total + 4 * 246);
  CHECK_THAT(refusal(read_mamba2, with(keys, R"("expand": 3)")),
             Contains("10 heads of 8 are not the mixer's 120 channels"));
}

// Attention on layer 1 of each 4, experts on layer 0 of each 2.
TEST_CASE("Jamba mixes Mamba and attention, experts and dense MLPs by periods", "[spec]") {
  const std::string keys = R"({"attn_layer_period": 4, "attn_layer_offset": 1,
      "expert_layer_period": 2, "expert_layer_offset": 0, "num_experts": 8,
      "num_experts_per_tok": 3, "mamba_expand": 3, "mamba_d_state": 6, "mamba_d_conv": 5,
      "mamba_dt_rank": "auto"})";
  // three norms inside: the rank 3 and 2 x 6
  const std::int64_t mixers = 3 * (mamba1(120, 6, 5, 3) + 15) + attention;
  const std::int64_t experts = 2 * (8 * mlp(24) + 320);
  const std::int64_t total = outside + mixers + experts + 2 * mlp(24) + 4 * 80;
  const Model model = read(read_jamba, keys);
  CHECK(figures(model) ==
        Figures{total, total - 2 * 5 * mlp(24), 2 * 16, 3 * 120 * 6, 3 * 120 * 4});
  CHECK(model.layers.size() == 3);

  // biases 2 x 120 and 40
  CHECK(count_parameters(read(read_jamba, with(keys, R"("mamba_proj_bias": true)"))).total() ==
        total + 3 * 280);
  CHECK(count_parameters(read(read_jamba, with(keys, R"("num_experts": 1,
        "num_experts_per_tok": 1)")))
            .total() == outside + mixers + 4 * mlp(24) + 4 * 80);
  CHECK_THAT(refusal(read_jamba, with(keys, R"("attn_layer_offset": 4)")),
             Contains("attn_layer_offset 4 is not below attn_layer_period 4"));
  CHECK_THAT(refusal(read_jamba, with(keys, R"("sliding_window": 8)")), Contains("sliding_window"));
}

TEST_CASE("Granite's hybrid has a shared MLP on every layer", "[spec]") {
  const std::string keys = R"({"layer_types": ["mamba", "mamba", "attention", "mamba"],
      "num_local_experts": 8, "num_experts_per_tok": 3, "shared_intermediate_size": 72,
      "mamba_n_heads": 10, "mamba_d_head": "auto", "mamba_d_state": 6, "mamba_n_groups": 3,
      "mamba_d_conv": 5, "mamba_expand": 2, "tie_word_embeddings": true})";
  const std::int64_t mixers = 3 * mamba2(10, 8, 6, 3, 5) + attention;
  const std::int64_t shared = 4 * (mlp(72) + 80);
  const std::int64_t total = outside - embedding + mixers + shared + 4 * (8 * mlp(24) + 320);
  const Model model = read(read_granitemoehybrid, keys);
  CHECK(figures(model) ==
        Figures{total, total - 4 * 5 * mlp(24), 2 * 16, 3 * 80 * 6, 3 * (80 + 36) * 4});

  SECTION("which is all of it where there are no experts") {
    const Model dense = read(read_granitemoehybrid, with(keys, R"("num_local_experts": 0)"));
    CHECK(count_parameters(dense).total() == outside - embedding + mixers + shared);
    CHECK(std::get<Mlp>(dense.layers[0].feed_forward).width == 72);
  }
  SECTION("biases of the Mamba projections") {
    const Model biased = read(read_granitemoehybrid, with(keys, R"("mamba_proj_bias": true)"));
    CHECK(count_parameters(biased).total() == total + 3 * 246);
  }
  SECTION("what does not fit is refused") {
    CHECK_THAT(refusal(read_granitemoehybrid, with(keys, R"("mamba_d_head": 9)")),
               Contains("10 Mamba heads of 9"));
    CHECK_THAT(refusal(read_granitemoehybrid, with(keys, R"("mamba_conv_bias": false)")),
               Contains("mamba_conv_bias"));
    CHECK_THAT(refusal(read_granitemoehybrid, with(keys, R"("layer_types": ["mamba"])")),
               Contains("1 entries for 4 layers"));
    CHECK_THAT(refusal(read_granitemoehybrid,
                       with(keys, R"("layer_types": ["mamba", "mlp", "mamba", "mamba"])")),
               Contains("unknown layer type 'mlp'"));
  }
}

// Six blocks: two of Mamba, one of each other kind, one norm of 40 each.
TEST_CASE("Nemotron-H's blocks are one thing each", "[spec]") {
  const std::string keys = R"({"num_hidden_layers": 5, "hybrid_override_pattern": "M-*EM",
      "n_routed_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 20,
      "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 72, "mamba_num_heads": 10,
      "mamba_head_dim": 8, "ssm_state_size": 6, "n_groups": 3, "conv_kernel": 5, "expand": 7})";
  const std::int64_t experts = 8 * 2 * 40 * 20 + 2 * 40 * 72 + 320;
  const std::int64_t total =
      outside + 2 * mamba2(10, 8, 6, 3, 5) + 2 * 40 * 24 + attention + experts + 5 * 40;
  const Model model = read(read_nemotron_h, keys);
  CHECK(figures(model) ==
        Figures{total, total - 5 * 2 * 40 * 20, 2 * 16, 2 * 80 * 6, 2 * (80 + 36) * 4});
  CHECK(layer_count(model) == 5);
  CHECK(std::holds_alternative<std::monostate>(model.layers.at(0).feed_forward));
  CHECK(std::holds_alternative<std::monostate>(model.layers.at(2).mixer));

  SECTION("names of blocks do as well") {
    const Model named = read(read_nemotron_h, with(keys, R"("hybrid_override_pattern": null,
        "layers_block_type": ["mamba", "mlp", "attention", "moe", "mamba"])"));
    CHECK(figures(named) == figures(model));
  }
  SECTION("heads may be wider than hidden_size says, under either name") {
    const Model wide = read(read_nemotron_h, with(keys, R"("num_attention_heads": 4,
        "head_dim": null, "attention_head_dim": 32)"));
    CHECK(kv_elements_per_token(wide) == 2 * 2 * 32);
  }
  SECTION("what is not known is refused") {
    CHECK_THAT(refusal(read_nemotron_h, with(keys, R"("hybrid_override_pattern": "M-*XM")")),
               Contains("unknown block 'X'"));
    CHECK_THAT(refusal(read_nemotron_h, with(keys, R"("hybrid_override_pattern": "M-")")),
               Contains("2 blocks for 5 layers"));
    CHECK_THAT(refusal(read_nemotron_h, with(keys, R"("moe_latent_size": 16)")),
               Contains("moe_latent_size"));
    CHECK_THAT(refusal(read_nemotron_h, with(keys, R"("use_bias": true)")), Contains("use_bias"));
    CHECK_THAT(refusal(read_nemotron_h, with(keys, R"("mlp_bias": true)")), Contains("mlp_bias"));
  }
  SECTION("prediction layers are named") {
    CHECK(read(read_nemotron_h, with(keys, R"("num_nextn_predict_layers": 1)")).left_out.at(0) ==
          "1 multi-token-prediction layer is left out of the step");
  }
}

const std::string delta_keys =
    R"("linear_num_key_heads": 3, "linear_key_head_dim": 5, "linear_num_value_heads": 6,
       "linear_value_head_dim": 7, "linear_conv_kernel_dim": 5)";

// keys 15, values 42: in 40 x (2 x 15 + 2 x 42) + 40 x 2 x 6, convolution 72 x 5, A and dt 12,
// norm 7, out 42 x 40. Full layers: queries twice as wide (40 x 48 more), norms 2 x 8.
constexpr std::int64_t delta = 4560 + 480 + 360 + 12 + 7 + 1680;
constexpr std::int64_t gated_attention = attention + 1920 + 16;

TEST_CASE("Qwen3-Next has the gated delta rule on three layers of four", "[spec]") {
  const std::string keys = "{" + delta_keys +
                           R"(, "num_experts": 8, "num_experts_per_tok": 3,
      "moe_intermediate_size": 24, "shared_expert_intermediate_size": 20,
      "intermediate_size": 56})";
  const std::int64_t experts = 8 * mlp(24) + mlp(20) + 40 + 320;
  const std::int64_t total = outside + 3 * delta + gated_attention + 4 * (experts + 80);
  const Model model = read(read_qwen3_next, keys);
  CHECK(figures(model) ==
        Figures{total, total - 4 * 5 * mlp(24), 2 * 16, 3 * 6 * 5 * 7, 3 * 72 * 4});

  SECTION("its prediction layer is not in config.json") {
    // 7056 + 80 + 26,200 + 25,920 - 25,920: attention, norms, experts; a map 3200; norms 120
    CHECK(7056 + 80 + experts + 3200 + 120 == 36'256);
    CHECK_THAT(model.left_out.at(0), Contains("(36,256 parameters)"));
  }
  SECTION("the interval or the list of layers decides") {
    CHECK(kv_elements_per_token(
              read(read_qwen3_next, with(keys, R"("full_attention_interval": 3)"))) == 2 * 16);
    CHECK(kv_elements_per_token(read(
              read_qwen3_next,
              with(keys, R"("layer_types": ["full_attention", "full_attention", "full_attention",
                  "linear_attention"])"))) == 3 * 2 * 16);
  }
  SECTION("dense layers") {
    const Model some = read(read_qwen3_next, with(keys, R"("mlp_only_layers": [0])"));
    CHECK(count_parameters(some).total() == total - experts + mlp(56));
  }
  SECTION("biases: doubled queries too") {
    const Model biased = read(read_qwen3_next, with(keys, R"("attention_bias": true)"));
    CHECK(count_parameters(biased).total() == total + 2 * 48 + 2 * 16 + 40);
  }
}

TEST_CASE("Qwen3.5 is the same with a dense MLP or experts", "[spec]") {
  const Model dense = read(read_qwen3_5, "{" + delta_keys + R"(, "mtp_num_hidden_layers": 1})");
  CHECK(count_parameters(dense).total() ==
        outside + 3 * delta + gated_attention + 4 * (mlp(24) + 80));
  CHECK(dense.left_out ==
        std::vector<std::string>{"1 multi-token-prediction layer is left out of the step"});
  const Model sparse = read(read_qwen3_5_moe, "{" + delta_keys + R"(, "num_experts": 8,
      "num_experts_per_tok": 3, "moe_intermediate_size": 24, "intermediate_size": null,
      "shared_expert_intermediate_size": 20})");
  CHECK(count_parameters(sparse).total() ==
        outside + 3 * delta + gated_attention + 4 * (8 * mlp(24) + mlp(20) + 40 + 320 + 80));
  CHECK_THAT(refusal(read_qwen3_5, "{" + delta_keys + R"(, "attn_output_gate": false})"),
             Contains("attn_output_gate"));
}

// Lightning: q, k, v, the gate and o 5 x 40 x 48, a norm of 48, a state of 6 x 8 x 8.
TEST_CASE("MiniMax has lightning attention where its list has 0", "[spec]") {
  const std::string keys = R"({"num_local_experts": 8, "num_experts_per_tok": 3,
      "attn_type_list": [0, 0, 1, 0], "shared_intermediate_size": 0})";
  const std::int64_t total =
      outside + 3 * (5 * 40 * 48 + 48) + attention + 4 * (8 * mlp(24) + 320 + 80);
  const Figures expected{total, total - 4 * 5 * mlp(24), 2 * 16, 3 * 6 * 8 * 8, 0};
  CHECK(figures(read(read_minimax, keys)) == expected);
  CHECK(figures(read(read_minimax, with(keys, R"("attn_type_list": null, "layer_types":
      ["linear_attention", "linear_attention", "full_attention", "linear_attention"])"))) ==
        expected);
  CHECK_THAT(refusal(read_minimax, with(keys, R"("attn_type_list": null)")),
             Contains("attn_type_list"));
  CHECK_THAT(refusal(read_minimax, with(keys, R"("attn_type_list": [0, 0, 2, 0])")),
             Contains("out of range"));
  CHECK_THAT(refusal(read_minimax, with(keys, R"("shared_intermediate_size": 8)")),
             Contains("other than 0"));
}
