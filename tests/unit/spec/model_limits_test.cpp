// What is out of range in a model that a reader has put together.
#include "spec/model_limits.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

namespace {

Model model_of(const Mixer& mixer, const FeedForward& feed_forward) {
  Model model;
  model.hidden_size = 64;
  model.vocabulary = 100;
  model.layers = {LayerGroup{.count = 2,
                             .mixer = mixer,
                             .feed_forward = feed_forward,
                             .norm_parameters = 0,
                             .extra_maps = {}}};
  return model;
}

const Attention attention{.query_heads = 4, .kv_heads = 2, .head_dim = 16};
const Mlp mlp{.width = 96};

}  // namespace

TEST_CASE("A model within the limits has no problem", "[spec]") {
  CHECK_FALSE(size_problem(model_of(attention, mlp)));
  CHECK_FALSE(size_problem(model_of(LatentAttention{128, 1536, 512, 64, 128, 128},
                                    Experts{.count = 256, .per_token = 8, .width = 2048})));
}

TEST_CASE("Dimensions that no count holds are problems", "[spec]") {
  constexpr std::int64_t huge = 9'000'000'000'000'000'000;
  CHECK(size_problem(model_of(Attention{.query_heads = huge, .kv_heads = 1, .head_dim = 2}, mlp)));
  CHECK(size_problem(model_of(LatentAttention{4, 8, huge, 4, 4, 4}, mlp)));
  CHECK(size_problem(model_of(LatentAttention{4, huge, 8, 4, 4, 4}, mlp)));
  CHECK(size_problem(model_of(LatentAttention{4, 8, 8, huge, huge, huge}, mlp)));
  CHECK(size_problem(model_of(attention, Mlp{.width = huge})));
  CHECK(size_problem(model_of(attention, Experts{.count = huge, .per_token = 1, .width = huge})));
  Model wide = model_of(attention, mlp);
  wide.hidden_size = 1'000'001;
  CHECK(size_problem(wide));
  Model deep = model_of(attention, mlp);
  deep.layers.front().count = 10'001;
  CHECK(size_problem(deep));
}
