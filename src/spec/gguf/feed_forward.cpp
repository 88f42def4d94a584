#include "spec/gguf/feed_forward.hpp"

#include <fmt/format.h>

#include <string>

namespace roofline::gguf {
namespace {

/// The matrices of an MLP whose tensors' names end with `suffix` ("", "_exps", "_shexp").
struct MlpShape {
  std::int64_t width = 0;  ///< of one
  bool gated = false;
  bool bias = false;
};

void check_inputs(const Block& block, const std::string& name, std::int64_t inputs,
                  std::int64_t expected) {
  if (inputs != expected) {
    block.fail(fmt::format("{} has {} inputs, not {}", name, inputs, expected));
  }
}

/// Gate and up are apart, or one matrix of twice the width (ffn_up or ffn_gate_up); `count` is the
/// number of MLPs side by side.
MlpShape take_mlp(Block& block, const std::string& suffix, Part part, const BlockPlace& place,
                  std::int64_t count) {
  const auto name = [&](std::string_view kind) {
    return fmt::format("ffn_{}{}.weight", kind, suffix);
  };
  MlpShape shape;
  shape.width = block.take(name("down"), part).inputs();
  const std::string first = name(block.has(name("gate_up")) ? "gate_up" : "up");
  const BlockTensor& up = block.take(first, part);
  const BlockTensor* gate = block.take_if(name("gate"), part);
  const bool fused = gate == nullptr && up.outputs() == 2 * count * shape.width;
  shape.gated = gate != nullptr || fused;
  check_inputs(block, first, up.inputs(), place.hidden);
  if (gate != nullptr) check_inputs(block, name("gate"), gate->inputs(), place.hidden);
  const auto bias = [&](std::string_view kind) {
    return block.has(fmt::format("ffn_{}{}.bias", kind, suffix));
  };
  shape.bias = (bias("up") || bias("gate_up")) && bias("down") && (gate == nullptr || bias("gate"));
  return shape;
}

Mlp read_mlp(Block& block, const BlockPlace& place) {
  const MlpShape shape = take_mlp(block, "", Part::mlp, place, 1);
  return {.width = shape.width, .gated = shape.gated, .bias = shape.bias};
}

std::int64_t read_per_token(const Block& block, Metadata& metadata, const BlockPlace& place,
                            std::int64_t count) {
  const auto stated = metadata.optional_count_of("expert_count", place.index, place.blocks);
  if (stated && *stated != count) {
    block.fail(
        fmt::format("has {} experts, {} by {}", count, *stated, metadata.full("expert_count")));
  }
  const auto used = metadata.optional_count_of("expert_used_count", place.index, place.blocks);
  if (!used) metadata.fail(fmt::format("{} is missing", metadata.full("expert_used_count")));
  if (*used == 0 || *used > count) {
    block.fail(fmt::format("a token passes {} of {} experts", *used, count));
  }
  return *used;
}

void take_shared(Block& block, const BlockPlace& place, Experts& experts) {
  if (!block.has("ffn_down_shexp.weight")) return;
  const MlpShape shared = take_mlp(block, "_shexp", Part::shared_experts, place, 1);
  if (shared.gated != experts.gated) {
    block.fail("a gated MLP beside a plain one, as shared and routed experts, is not supported");
  }
  experts.shared_width = shared.width;
  experts.shared_gate = block.take_if("ffn_gate_inp_shexp.weight", Part::router) != nullptr;
}

Experts read_experts(Block& block, Metadata& metadata, const BlockPlace& place) {
  Experts experts;
  experts.count = block.find("ffn_down_exps.weight")->dims[2];
  experts.per_token = read_per_token(block, metadata, place, experts.count);
  const MlpShape shape = take_mlp(block, "_exps", Part::experts, place, experts.count);
  experts.width = shape.width;
  experts.gated = shape.gated;
  experts.bias = shape.bias;
  const BlockTensor& router = block.take("ffn_gate_inp.weight", Part::router);
  check_inputs(block, "ffn_gate_inp.weight", router.inputs(), place.hidden);
  experts.router_bias = block.has("ffn_gate_inp.bias") || block.has("exp_probs_b.bias");
  take_shared(block, place, experts);
  return experts;
}

/// A dense MLP beside the experts (Arctic): matrices of their own.
void take_dense_beside(Block& block, LayerGroup& group) {
  const auto take = [&](std::string_view tensor, std::string_view map) {
    if (const BlockTensor* matrix = block.take_if(tensor, Part::mlp)) {
      group.extra_maps.push_back(
          {.name = map, .inputs = matrix->inputs(), .outputs = matrix->outputs()});
    }
  };
  take("ffn_gate.weight", "dense gate");
  take("ffn_up.weight", "dense up");
  take("ffn_down.weight", "dense down");
}

}  // namespace

void read_feed_forward(Block& block, Metadata& metadata, const BlockPlace& place,
                       LayerGroup& group) {
  if (block.has("ffn_down_exps.weight")) {
    group.feed_forward = read_experts(block, metadata, place);
    take_dense_beside(block, group);
  } else if (block.has("ffn_down.weight")) {
    group.feed_forward = read_mlp(block, place);
  }
}

}  // namespace roofline::gguf
