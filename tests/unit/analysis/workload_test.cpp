// The steps that workloads are: sequences of several lengths, cached prefixes, a chunk beside
// decode, drafts that are verified; and whose logits are asked for.
#include <catch2/catch.hpp>
#include <vector>

#include "roofline/analyze.hpp"

namespace roofline {
namespace {

using Groups = std::vector<StepGroup>;
using AllSequences = std::vector<Sequences>;

TEST_CASE("Decode has a group for each length", "[analysis]") {
  const Decode decode{.batch = 8, .context = 512, .others = {{2, 4096}, {1, 1}}};
  const Step step = step_of(decode);
  CHECK(step.groups == Groups{{.count = 8, .new_tokens = 1, .cached_tokens = 511, .logit_rows = 1},
                              {.count = 2, .new_tokens = 1, .cached_tokens = 4095, .logit_rows = 1},
                              {.count = 1, .new_tokens = 1, .cached_tokens = 0, .logit_rows = 1}});
  CHECK(new_tokens(step) == 11);
  CHECK(sequences_of(decode) == AllSequences{{8, 512}, {2, 4096}, {1, 1}});
}

TEST_CASE("A prompt computes what is not cached and asks for one row of logits", "[analysis]") {
  const Prefill prefill{.batch = 3, .context = 1000, .cached = 400, .others = {{1, 401}}};
  const Step step = step_of(prefill);
  CHECK(step.groups ==
        Groups{{.count = 3, .new_tokens = 600, .cached_tokens = 400, .logit_rows = 1},
               {.count = 1, .new_tokens = 1, .cached_tokens = 400, .logit_rows = 1}});
  CHECK(step.causal);
  CHECK(new_tokens(step) == 1801);
  CHECK(sequences_of(prefill) == AllSequences{{3, 1000}, {1, 401}});
  CHECK_FALSE(
      step_of(Prefill{.batch = 1, .context = 10, .causal = false, .others = {{2, 5}}}).causal);
}

TEST_CASE("A chunk of a prompt runs beside decode", "[analysis]") {
  const Mixed mixed{
      .batch = 32, .context = 2048, .chunk = 512, .position = 1024, .others = {{4, 100}}};
  const Step step = step_of(mixed);
  CHECK(step.groups ==
        Groups{{.count = 32, .new_tokens = 1, .cached_tokens = 2047, .logit_rows = 1},
               {.count = 4, .new_tokens = 1, .cached_tokens = 99, .logit_rows = 1},
               {.count = 1, .new_tokens = 512, .cached_tokens = 1024, .logit_rows = 1}});
  CHECK(new_tokens(step) == 32 + 4 + 512);
}

TEST_CASE("Verification computes drafts and asks for the logits of all", "[analysis]") {
  const Verify verify{.batch = 5, .context = 2048, .drafts = 4, .others = {{2, 10}}};
  const Step step = step_of(verify);
  CHECK(step.groups == Groups{{.count = 5, .new_tokens = 5, .cached_tokens = 2047, .logit_rows = 5},
                              {.count = 2, .new_tokens = 5, .cached_tokens = 9, .logit_rows = 5}});
  CHECK(new_tokens(step) == 35);
  CHECK(sequences_of(verify) == AllSequences{{5, 2048}, {2, 10}});
  CHECK(step_of(Verify{.batch = 7, .context = 99, .drafts = 0}) ==
        step_of(Decode{.batch = 7, .context = 99}));
}

TEST_CASE("Steps are of models and kernels are not", "[analysis]") {
  CHECK(needs_model(Mixed{}));
  CHECK(needs_model(Verify{}));
  CHECK_FALSE(needs_model(MatmulShape{}));
  CHECK(sequences_of(MatmulShape{}).empty());
  CHECK(sequences_of(TextbookDecode{}).empty());
  CHECK(step_of(AttentionShape{}).groups.empty());
}

TEST_CASE("Verified drafts cost lm_head a row each and K/V once", "[analysis]") {
  // h 64, V 320, one layer of 4 heads of 8; 3 sequences of 4 new tokens at positions 10 to 13.
  Model model;
  model.hidden_size = 64;
  model.vocabulary = 320;
  LayerGroup layer;
  layer.count = 1;
  layer.mixer =
      Attention{.query_heads = 4, .kv_heads = 4, .head_dim = 8, .window = {}, .chunk = {}};
  model.layers = {layer};
  const NumberFormat fp16 = plain_format(MatrixType::fp16);
  const Precision precision{.weights_name = "fp16",
                            .weights = PerPart<NumberFormat>(fp16),
                            .kv = fp16,
                            .activations = fp16};
  std::vector<Operator> operators;
  list_operators(model, step_of(Verify{.batch = 3, .context = 11, .drafts = 3}), precision, {},
                 operators);
  CHECK(operators.back().name == "lm_head");
  CHECK(operators.back().rows == 12);
  CHECK(operators.back().flops == Flops(2.0 * 12 * 64 * 320));
  for (const Operator& op : operators) {
    if (op.name != "attention") continue;
    CHECK(op.kv == Bytes(2.0 * 3 * 14 * 2 * 4 * 8));
    CHECK(op.flops == Flops(4.0 * 3 * 32 * (11 + 12 + 13 + 14)));
  }
}

}  // namespace
}  // namespace roofline
