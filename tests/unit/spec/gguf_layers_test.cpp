#include "spec/gguf/gguf_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "spec/gguf_models.hpp"

using namespace roofline;
using namespace roofline::gguf;
using namespace gguf_test;

TEST_CASE("biases and fused projections of GGUF files are told by their shapes", "[spec]") {
  Builder builder = start("phi3", 2);
  heads(builder, "phi3");
  add_outside(builder);
  builder.tensor("output.bias", f32, {96}).tensor("rope_factors_long.weight", f32, {8});
  for (const int i : {0, 1}) {
    builder.tensor(blk(i, "attn_qkv.weight"), f16, {64, 128 + 2 * 32})
        .tensor(blk(i, "attn_output.weight"), f16, {128, 64})
        .tensor(blk(i, "ffn_up.weight"), f16, {64, 2 * 96})
        .tensor(blk(i, "ffn_down.weight"), f16, {96, 64});
  }
  builder.tensor(blk(1, "attn_qkv.bias"), f32, {192})
      .tensor(blk(1, "attn_output.bias"), f32, {64})
      .tensor(blk(1, "ffn_up.bias"), f32, {192})
      .tensor(blk(1, "ffn_down.bias"), f32, {64})
      .tensor(blk(1, "attn_norm.weight"), f32, {64})
      .tensor(blk(1, "attn_norm.bias"), f32, {64});
  const Model model = read_gguf(builder.file(), "m.gguf");
  check_sums(model, builder.elements() - 8, builder.bytes() - 32);
  CHECK(model.notes == "tables of rotary frequencies are not counted: 8 elements");
  CHECK(model.final_norm_parameters == 64 + 96);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].mixer == Mixer(Attention{.query_heads = 8, .kv_heads = 2, .head_dim = 16}));
  CHECK(model.layers[0].feed_forward == FeedForward(Mlp{.width = 96}));
  CHECK(model.layers[0].norm_parameters == 0);
  CHECK(
      model.layers[1].mixer ==
      Mixer(Attention{
          .query_heads = 8, .kv_heads = 2, .head_dim = 16, .qkv_bias = true, .output_bias = true}));
  CHECK(model.layers[1].feed_forward == FeedForward(Mlp{.width = 96, .bias = true}));
  CHECK(model.layers[1].norm_parameters == 128);
}

TEST_CASE("GPT-2 in GGUF has learned positions and a plain MLP", "[spec]") {
  Builder builder = start("gpt2", 1);
  builder.number("gpt2.attention.head_count", 4);
  builder.tensor("token_embd.weight", f16, {64, 96}).tensor("position_embd.weight", f32, {64, 32});
  builder.tensor(blk(0, "attn_qkv.weight"), f16, {64, 192})
      .tensor(blk(0, "attn_output.weight"), f16, {64, 64})
      .tensor(blk(0, "ffn_up.weight"), f16, {64, 256})
      .tensor(blk(0, "ffn_up.bias"), f32, {256})
      .tensor(blk(0, "ffn_down.weight"), f16, {256, 64})
      .tensor(blk(0, "ffn_down.bias"), f32, {64});
  const Model model = read_all(builder);
  CHECK(model.learned_positions == 32);
  CHECK(model.layers[0].mixer == Mixer(Attention{.query_heads = 4, .kv_heads = 4, .head_dim = 16}));
  CHECK(model.layers[0].feed_forward ==
        FeedForward(Mlp{.width = 256, .gated = false, .bias = true}));
  CHECK(model.defaults.front() ==
        "gpt2.attention.head_count_kv is absent: 4, the architecture's default");
  CHECK(model.stored->parts[Part::embedding]->name == "F16/F32");
  CHECK(model.stored->parts[Part::embedding]->bits == Approx(16.0 * (96 + 2 * 32) / (96 + 32)));
}

TEST_CASE("head counts of GGUF files may differ from block to block", "[spec]") {
  Builder builder = start("deci", 4);
  builder.numbers("deci.attention.head_count", {8, 0, 8, 0})
      .numbers("deci.attention.head_count_kv", {2, 0, 8, 0});
  add_outside(builder);
  add_attention(builder, 0);
  add_mlp(builder, 0);
  add_mlp(builder, 1);
  builder.tensor(blk(2, "attn_q.weight"), f16, {64, 128})
      .tensor(blk(2, "attn_k.weight"), f16, {64, 128})
      .tensor(blk(2, "attn_v.weight"), f16, {64, 128})
      .tensor(blk(2, "attn_output.weight"), f16, {128, 64});
  builder.tensor(blk(3, "attn_output.weight"), f16, {64, 64});
  add_mlp(builder, 3);
  const Model model = read_all(builder);
  REQUIRE(model.layers.size() == 4);
  CHECK(std::get<Attention>(model.layers[0].mixer).kv_heads == 2);
  CHECK(std::holds_alternative<std::monostate>(model.layers[1].mixer));
  CHECK(std::get<Attention>(model.layers[2].mixer).kv_heads == 8);
  CHECK(std::holds_alternative<std::monostate>(model.layers[2].feed_forward));
  CHECK(model.layers[3].extra_maps.size() == 1);
  CHECK(kv_elements_per_token(model) == 2 * 2 * 16 + 2 * 8 * 16);
}

TEST_CASE("experts of GGUF files are read from three-dimensional tensors", "[spec]") {
  Builder builder = start("qwen2moe", 2);
  heads(builder, "qwen2moe");
  builder.number("qwen2moe.expert_count", 8).number("qwen2moe.expert_used_count", 2);
  add_outside(builder);
  add_attention(builder, 0);
  add_mlp(builder, 0);
  add_attention(builder, 1);
  builder.tensor(blk(1, "ffn_gate_inp.weight"), f32, {64, 8})
      .tensor(blk(1, "exp_probs_b.bias"), f32, {8})
      .tensor(blk(1, "ffn_gate_exps.weight"), q8_0, {64, 32, 8})
      .tensor(blk(1, "ffn_up_exps.weight"), q8_0, {64, 32, 8})
      .tensor(blk(1, "ffn_down_exps.weight"), q8_0, {32, 64, 8})
      .tensor(blk(1, "ffn_gate_inp_shexp.weight"), f32, {64})
      .tensor(blk(1, "ffn_gate_shexp.weight"), f16, {64, 48})
      .tensor(blk(1, "ffn_up_shexp.weight"), f16, {64, 48})
      .tensor(blk(1, "ffn_down_shexp.weight"), f16, {48, 64});
  const Model model = read_all(builder);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].feed_forward == FeedForward(Mlp{.width = 128}));
  CHECK(model.layers[1].feed_forward == FeedForward(Experts{.count = 8,
                                                            .per_token = 2,
                                                            .width = 32,
                                                            .shared_width = 48,
                                                            .shared_gate = true,
                                                            .router_bias = true}));
  CHECK(count_parameters(model).parts[Part::router] == 64 * 8 + 64);
  CHECK(count_parameters(model).parts[Part::experts] == 8 * 3 * 64 * 32);
  CHECK(count_parameters(model).idle == 6 * 3 * 64 * 32);
  CHECK(model.stored->parts[Part::experts]->bits == 8.5);
  CHECK(model.stored->parts[Part::experts]->block_inputs == 32);
  CHECK(model.stored->parts[Part::router]->bits == 32);
}

TEST_CASE("experts that old GGUF files keep apart are the same as together", "[spec]") {
  const auto experts_of = [](bool apart) {
    Builder builder = start("llama", 1);
    heads(builder, "llama");
    builder.number("llama.expert_count", 4).number("llama.expert_used_count", 2);
    add_outside(builder);
    add_attention(builder, 0);
    builder.tensor(blk(0, "ffn_gate_inp.weight"), f32, {64, 4});
    for (int i = 0; apart && i < 4; ++i) {
      builder.tensor(fmt::format("blk.0.ffn_gate.{}.weight", i), f16, {64, 32})
          .tensor(fmt::format("blk.0.ffn_up.{}.weight", i), f16, {64, 32})
          .tensor(fmt::format("blk.0.ffn_down.{}.weight", i), f16, {32, 64});
    }
    if (!apart) {
      builder.tensor(blk(0, "ffn_gate_up_exps.weight"), f16, {64, 64, 4})
          .tensor(blk(0, "ffn_down_exps.weight"), f16, {32, 64, 4});
    }
    return read_all(builder).layers;
  };
  CHECK(experts_of(true) == experts_of(false));
  CHECK(experts_of(true)[0].feed_forward ==
        FeedForward(Experts{.count = 4, .per_token = 2, .width = 32}));
}

TEST_CASE("a dense MLP beside experts is matrices of its own", "[spec]") {
  Builder builder = start("arctic", 1);
  heads(builder, "arctic");
  builder.number("arctic.expert_used_count", 2);
  add_outside(builder);
  add_attention(builder, 0);
  add_mlp(builder, 0);
  builder.tensor(blk(0, "ffn_gate_inp.weight"), f32, {64, 4})
      .tensor(blk(0, "ffn_norm_exps.weight"), f32, {64})
      .tensor(blk(0, "ffn_gate_exps.weight"), f16, {64, 32, 4})
      .tensor(blk(0, "ffn_up_exps.weight"), f16, {64, 32, 4})
      .tensor(blk(0, "ffn_down_exps.weight"), f16, {32, 64, 4});
  const Model model = read_all(builder);
  CHECK(model.layers[0].extra_maps.size() == 3);
  CHECK(count_parameters(model).parts[Part::mlp] == 3 * 64 * 128);
}

TEST_CASE("latent attention is read from old and new GGUF conversions", "[spec]") {
  // Heads 4, query rank 48, latent 32, rope 8, nope 16, value 24.
  const auto read = [](bool absorbed, bool query_rank, bool copy) {
    Builder builder = start("deepseek2", 1);
    builder.number("deepseek2.attention.head_count", 4)
        .number("deepseek2.attention.head_count_kv", absorbed ? 1 : 4)
        .number("deepseek2.attention.key_length", absorbed ? 40 : 24)
        .number("deepseek2.attention.value_length", absorbed ? 32 : 24)
        .number("deepseek2.attention.kv_lora_rank", 32);
    add_outside(builder);
    add_mlp(builder, 0);
    builder.tensor(blk(0, "attn_kv_a_mqa.weight"), f16, {64, 40})
        .tensor(blk(0, "attn_kv_a_norm.weight"), f32, {32})
        .tensor(blk(0, "attn_output.weight"), f16, {96, 64});
    if (query_rank) {
      builder.tensor(blk(0, "attn_q_a.weight"), f16, {64, 48})
          .tensor(blk(0, "attn_q_a_norm.weight"), f32, {48})
          .tensor(blk(0, "attn_q_b.weight"), f16, {48, 96});
    } else {
      builder.tensor(blk(0, "attn_q.weight"), f16, {64, 96});
    }
    if (absorbed) {
      builder.tensor(blk(0, "attn_k_b.weight"), f16, {16, 32, 4})
          .tensor(blk(0, "attn_v_b.weight"), f16, {32, 24, 4});
    }
    if (!absorbed || copy) builder.tensor(blk(0, "attn_kv_b.weight"), f16, {32, 160});
    Model model = read_gguf(builder.file(), "m.gguf");
    const std::uint64_t copied = absorbed && copy ? 32 * 160 : 0;
    check_sums(model, builder.elements() - copied, builder.bytes() - 2 * copied);
    return model;
  };
  const LatentAttention expected{
      .heads = 4, .query_rank = 48, .kv_rank = 32, .rope_dim = 8, .nope_dim = 16, .value_dim = 24};
  CHECK(read(false, true, false).layers[0].mixer == Mixer(expected));
  CHECK(read(true, true, false).layers == read(false, true, false).layers);
  CHECK(kv_elements_per_token(read(true, true, false)) == 40);
  LatentAttention lite = expected;
  lite.query_rank.reset();
  CHECK(read(true, false, false).layers[0].mixer == Mixer(lite));
  const Model with_copy = read(true, true, true);
  CHECK(with_copy.layers == read(false, true, false).layers);
  REQUIRE(with_copy.warnings.size() == 1);
  CHECK_THAT(with_copy.warnings[0], Catch::StartsWith("attn_kv_b.weight is left out: 5,120"));
}

TEST_CASE("Mamba in GGUF is read from its tensors", "[spec]") {
  // Inner 128, state 16, 4 taps, step rank 4.
  Builder builder = start("mamba", 2);
  add_outside(builder, true);
  for (const int i : {0, 1}) {
    builder.tensor(blk(i, "attn_norm.weight"), f32, {64})
        .tensor(blk(i, "ssm_in.weight"), f16, {64, 256})
        .tensor(blk(i, "ssm_conv1d.weight"), f32, {4, 128})
        .tensor(blk(i, "ssm_conv1d.bias"), f32, {128})
        .tensor(blk(i, "ssm_x.weight"), f16, {128, 36})
        .tensor(blk(i, "ssm_dt.weight"), f16, {4, 128})
        .tensor(blk(i, "ssm_dt.bias"), f32, {128})
        .tensor(blk(i, "ssm_a"), f32, {16, 128})
        .tensor(blk(i, "ssm_d"), f32, {128})
        .tensor(blk(i, "ssm_out.weight"), f16, {128, 64});
  }
  builder.tensor(blk(1, "ssm_dt_norm.weight"), f32, {4})
      .tensor(blk(1, "ssm_b_norm.weight"), f32, {16})
      .tensor(blk(1, "ssm_c_norm.weight"), f32, {16});
  const Model model = read_all(builder);
  const Mamba1 plain{.inner = 128, .state = 16, .convolution = 4, .step_rank = 4};
  Mamba1 normed = plain;
  normed.vectors = 36;
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].mixer == Mixer(plain));
  CHECK(model.layers[1].mixer == Mixer(normed));
  CHECK(model.layers[1].norm_parameters == 64);
  CHECK(state_size(model).recurrent == 2 * 128 * 16);
}

TEST_CASE("Mamba 2 in GGUF is read from its tensors and metadata", "[spec]") {
  // 8 heads of 16 channels, state 32, 2 groups, 4 taps.
  Builder builder = start("granitehybrid", 2);
  builder.numbers("granitehybrid.attention.head_count", {0, 8})
      .numbers("granitehybrid.attention.head_count_kv", {0, 2})
      .number("granitehybrid.ssm.time_step_rank", 8)
      .number("granitehybrid.ssm.state_size", 32)
      .number("granitehybrid.ssm.group_count", 2);
  add_outside(builder, true);
  builder.tensor(blk(0, "attn_norm.weight"), f32, {64})
      .tensor(blk(0, "ssm_in.weight"), f16, {64, 2 * 128 + 2 * 2 * 32 + 8})
      .tensor(blk(0, "ssm_conv1d.weight"), f32, {4, 128 + 128})
      .tensor(blk(0, "ssm_conv1d.bias"), f32, {256})
      .tensor(blk(0, "ssm_dt.bias"), f32, {8})
      .tensor(blk(0, "ssm_a"), f32, {1, 8})
      .tensor(blk(0, "ssm_d"), f32, {1, 8})
      .tensor(blk(0, "ssm_norm.weight"), f32, {64, 2})
      .tensor(blk(0, "ssm_out.weight"), f16, {128, 64});
  add_mlp(builder, 0);
  add_attention(builder, 1);
  add_mlp(builder, 1);
  const Model model = read_all(builder);
  CHECK(model.layers[0].mixer ==
        Mixer(Mamba2{.heads = 8, .head_dim = 16, .state = 32, .groups = 2, .convolution = 4}));
  CHECK(model.layers[0].norm_parameters == 128);
  CHECK(std::holds_alternative<Attention>(model.layers[1].mixer));
}

TEST_CASE("gated delta layers in GGUF are read fused or apart", "[spec]") {
  // 2 key heads of 16, 4 value heads of 24, 4 taps; full attention with an output gate.
  const auto read = [](bool fused) {
    Builder builder = start("qwen3next", 2);
    heads(builder, "qwen3next");
    builder.number("qwen3next.attention.key_length", 16)
        .number("qwen3next.ssm.group_count", 2)
        .number("qwen3next.ssm.state_size", 16)
        .number("qwen3next.ssm.time_step_rank", 4)
        .number("qwen3next.ssm.inner_size", 96)
        .number("qwen3next.ssm.conv_kernel", 4);
    add_outside(builder);
    if (fused) {
      builder.tensor(blk(0, "ssm_in.weight"), f16, {64, 2 * 32 + 2 * 96})
          .tensor(blk(0, "ssm_ba.weight"), f16, {64, 8});
    } else {
      builder.tensor(blk(0, "attn_qkv.weight"), f16, {64, 2 * 32 + 96})
          .tensor(blk(0, "attn_gate.weight"), f16, {64, 96})
          .tensor(blk(0, "ssm_alpha.weight"), f16, {64, 4})
          .tensor(blk(0, "ssm_beta.weight"), f16, {64, 4});
    }
    builder.tensor(blk(0, "ssm_conv1d.weight"), f32, {4, 2 * 32 + 96})
        .tensor(blk(0, "ssm_dt.bias"), f32, {4})
        .tensor(blk(0, "ssm_a"), f32, {4})
        .tensor(blk(0, "ssm_norm.weight"), f32, {24})
        .tensor(blk(0, "ssm_out.weight"), f16, {96, 64});
    builder.tensor(blk(1, "attn_q.weight"), f16, {64, 256})
        .tensor(blk(1, "attn_k.weight"), f16, {64, 32})
        .tensor(blk(1, "attn_v.weight"), f16, {64, 32})
        .tensor(blk(1, "attn_output.weight"), f16, {128, 64});
    return read_all(builder);
  };
  const Model model = read(false);
  CHECK(model.layers[0].mixer ==
        Mixer(GatedDelta{
            .key_heads = 2, .key_dim = 16, .value_heads = 4, .value_dim = 24, .convolution = 4}));
  CHECK(model.layers[1].mixer ==
        Mixer(Attention{.query_heads = 8, .kv_heads = 2, .head_dim = 16, .output_gate = true}));
  CHECK(read(true).layers == model.layers);
}

TEST_CASE("gpt-oss in GGUF alternates windows and has sinks and biased experts", "[spec]") {
  Builder builder = start("gpt-oss", 2);
  heads(builder, "gpt-oss");
  builder.number("gpt-oss.attention.sliding_window", 128)
      .number("gpt-oss.expert_count", 4)
      .number("gpt-oss.expert_used_count", 2);
  add_outside(builder);
  for (const int i : {0, 1}) {
    add_attention(builder, i);
    builder.tensor(blk(i, "attn_q.bias"), f32, {128})
        .tensor(blk(i, "attn_k.bias"), f32, {32})
        .tensor(blk(i, "attn_v.bias"), f32, {32})
        .tensor(blk(i, "attn_output.bias"), f32, {64})
        .tensor(blk(i, "attn_sinks.weight"), f32, {8})
        .tensor(blk(i, "ffn_gate_inp.weight"), f32, {64, 4})
        .tensor(blk(i, "ffn_gate_inp.bias"), f32, {4})
        .tensor(blk(i, "ffn_gate_exps.weight"), mxfp4, {64, 32, 4})
        .tensor(blk(i, "ffn_gate_exps.bias"), f32, {32, 4})
        .tensor(blk(i, "ffn_up_exps.weight"), mxfp4, {64, 32, 4})
        .tensor(blk(i, "ffn_up_exps.bias"), f32, {32, 4})
        .tensor(blk(i, "ffn_down_exps.weight"), mxfp4, {32, 64, 4})
        .tensor(blk(i, "ffn_down_exps.bias"), f32, {64, 4});
  }
  const Model model = read_all(builder);
  REQUIRE(model.layers.size() == 2);
  const auto& windowed = std::get<Attention>(model.layers[0].mixer);
  CHECK(windowed.window == 128);
  CHECK(windowed.qkv_bias);
  CHECK(windowed.output_bias);
  CHECK_FALSE(std::get<Attention>(model.layers[1].mixer).window.has_value());
  CHECK(model.layers[0].norm_parameters == 64 + 8);
  CHECK(model.layers[0].feed_forward ==
        FeedForward(
            Experts{.count = 4, .per_token = 2, .width = 32, .bias = true, .router_bias = true}));
  CHECK(count_parameters(model).idle == 2 * 2 * (3 * 64 * 32 + 2 * 32 + 64));
  CHECK(model.stored->parts[Part::experts]->name == "MXFP4");
  CHECK(model.stored->parts[Part::experts]->bits == 4.25);
}

TEST_CASE("windows of GGUF files follow the architecture's pattern", "[spec]") {
  // One letter a block: w with the window, f full.
  const auto [arch, expected] = GENERATE(table<std::string, std::string>({
      {"gemma2", "wfwfwfwf"},
      {"gemma3", "wwwwwfww"},
      {"gpt-oss", "wfwfwfwf"},
      {"cohere2", "wwwfwwwf"},
      {"olmo2", "wwwfwwwf"},
      {"exaone4", "wwwfwwwf"},
      {"smallthinker", "fwwwfwww"},
      {"phi3", "wwwwwwww"},
      {"starcoder2", "wwwwwwww"},
  }));
  Builder builder = llama_like(arch, 8);
  builder.number(arch + ".attention.sliding_window", 100);
  const Model model = read_all(builder);
  const auto windows = std::count(expected.begin(), expected.end(), 'w');
  for (const LayerGroup& group : model.layers) {
    const auto& attention = std::get<Attention>(group.mixer);
    CHECK(group.count == (attention.window ? windows : 8 - windows));
    if (attention.window) CHECK(attention.window == 100);
  }
  CHECK(model.layers.size() == (windows == 8 ? 1 : 2));
  CHECK(std::get<Attention>(model.layers.front().mixer).window.has_value() ==
        (expected.front() == 'w'));
}

TEST_CASE("a window pattern in a GGUF file goes before the architecture's", "[spec]") {
  const auto windows = [](Builder builder) {
    builder.number("gemma3.attention.sliding_window", 100);
    std::int64_t count = 0;
    for (const LayerGroup& group : read_all(builder).layers) {
      if (std::get<Attention>(group.mixer).window) count += group.count;
    }
    return count;
  };
  CHECK(windows(llama_like("gemma3", 6)) == 5);
  CHECK(windows(llama_like("gemma3", 6).number("gemma3.attention.sliding_window_pattern", 2)) == 3);
  CHECK(windows(llama_like("gemma3", 6).number("gemma3.attention.sliding_window_pattern", 1)) == 0);
  CHECK(windows(llama_like("gemma3", 6)
                    .flags("gemma3.attention.sliding_window_pattern",
                           {true, false, false, false, true, true})) == 3);
  CHECK(refusal(llama_like("gemma3", 6)
                    .number("gemma3.attention.sliding_window", 100)
                    .flags("gemma3.attention.sliding_window_pattern", {true}))
            .what == "gemma3.attention.sliding_window_pattern has 1 numbers for 6 blocks");
}

TEST_CASE("a window of 0 is none and that of old Gemma 2 files is noted", "[spec]") {
  Builder phi = llama_like("phi3", 1);
  phi.number("phi3.attention.sliding_window", 0);
  CHECK_FALSE(std::get<Attention>(read_all(phi).layers[0].mixer).window.has_value());
  const Model gemma = read_all(llama_like("gemma2", 2));
  CHECK(std::get<Attention>(gemma.layers[0].mixer).window == 4096);
  CHECK(gemma.defaults.front() ==
        "gemma2.attention.sliding_window is absent: 4096, the architecture's default");
}

TEST_CASE("Llama 4 in GGUF attends chunks in three of four blocks", "[spec]") {
  const auto chunk = [](Builder builder) {
    const Model model = read_all(builder);
    CHECK(model.layers.front().count == (model.layers.size() == 1 ? 4 : 3));
    return std::get<Attention>(model.layers.front().mixer).chunk;
  };
  CHECK(chunk(llama_like("llama4", 4)) == 8192);
  CHECK(chunk(llama_like("llama4", 4).number("llama4.attention.chunk_size", 512)) == 512);
  CHECK(chunk(llama_like("llama4", 4).number("llama4.attention.sliding_window", 0)) ==
        std::nullopt);
}

TEST_CASE("a window whose pattern nobody knows is refused", "[spec]") {
  Builder builder = llama_like("llama", 2);
  builder.number("llama.attention.sliding_window", 100);
  CHECK(refusal(builder).what == "llama.attention.sliding_window is there, without a pattern");
  builder.number("llama.attention.sliding_window_pattern", 2);
  CHECK(refusal(builder).what == "it was read");
}

TEST_CASE("Gemma 3n in GGUF has a second table and layers that reuse the cache", "[spec]") {
  // Four layers, of which two own a cache; 2 altup inputs, per-layer width 8, laurel rank 4.
  Builder builder = start("gemma3n", 4);
  heads(builder, "gemma3n");
  builder.number("gemma3n.attention.shared_kv_layers", 2);
  add_outside(builder, true);
  builder.tensor("per_layer_token_embd.weight", f16, {4 * 8, 90})
      .tensor("per_layer_model_proj.weight", f16, {64, 32})
      .tensor("per_layer_proj_norm.weight", f32, {8})
      .tensor("altup_proj.weight", f16, {64, 64, 1})
      .tensor("altup_unembd_proj.weight", f16, {64, 64, 1});
  for (int i = 0; i < 4; ++i) {
    add_attention(builder, i);
    add_mlp(builder, i);
    builder.tensor(blk(i, "inp_gate.weight"), f16, {64, 8})
        .tensor(blk(i, "proj.weight"), f16, {8, 64})
        .tensor(blk(i, "laurel_l.weight"), f16, {64, 4})
        .tensor(blk(i, "laurel_r.weight"), f16, {4, 64})
        .tensor(blk(i, "altup_router.weight"), f16, {64, 2})
        .tensor(blk(i, "altup_predict_coef.weight"), f32, {2, 4})
        .tensor(blk(i, "altup_correct_coef.weight"), f32, {2, 2})
        .tensor(blk(i, "altup_correct_scale.weight"), f32, {64})
        .tensor(blk(i, "altup_router_norm.weight"), f32, {64});
  }
  const Model model = read_all(builder);
  CHECK(model.lookup_width == 32);
  CHECK(model.lookup_rows == 90);
  CHECK(model.extra_maps.size() == 3);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].count == 2);
  CHECK(model.layers[0].extra_maps.size() == 7);
  CHECK(std::get<Attention>(model.layers[1].mixer).reuses_cache);
  CHECK(kv_elements_per_token(model) == 2 * 2 * 2 * 16);
}

TEST_CASE("expert counts of a GGUF file must agree", "[spec]") {
  const auto with = [](std::uint32_t count, std::uint32_t used, int apart) {
    Builder builder = start("llama", 1);
    heads(builder, "llama");
    builder.number("llama.expert_count", count).number("llama.expert_used_count", used);
    add_outside(builder);
    add_attention(builder, 0);
    builder.tensor(blk(0, "ffn_gate_inp.weight"), f32, {64, 4});
    for (int i = 0; i < 4; ++i) {
      const int index = i == 3 ? apart : i;
      builder.tensor(fmt::format("blk.0.ffn_gate.{}.weight", index), f16, {64, 32})
          .tensor(fmt::format("blk.0.ffn_up.{}.weight", index), f16, {64, 32})
          .tensor(fmt::format("blk.0.ffn_down.{}.weight", index), f16, {32, 64});
    }
    return refusal(builder).what;
  };
  CHECK(with(4, 2, 3) == "it was read");
  CHECK(with(8, 2, 3) == "blk.0: has 4 experts, 8 by llama.expert_count");
  CHECK(with(4, 5, 3) == "blk.0: a token passes 5 of 4 experts");
  CHECK(with(4, 0, 3) == "blk.0: a token passes 0 of 4 experts");
  CHECK(with(4, 2, 7) == "blk.0: ffn_gate has 4 experts, numbered up to 7");
}
