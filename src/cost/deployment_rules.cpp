// Which ways of spreading a model engines refuse, why, and the nearest that they take.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

/// What of a model does not divide as a deployment asks for.
struct Refusal {
  enum class Kind { heads, kv_heads, width, outputs, inputs } kind = Kind::heads;
  std::string_view noun;
  std::int64_t size = 0;
  std::int64_t ways = 1;  ///< or the block that parts of `size` do not divide by

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

std::string text_of(const Refusal& refusal) {
  const std::string size = format_count(static_cast<double>(refusal.size));
  switch (refusal.kind) {
    case Refusal::Kind::kv_heads:
      return fmt::format("{} {} and {} devices: neither divides the other", size, refusal.noun,
                         refusal.ways);
    case Refusal::Kind::width:
      return fmt::format("{} {} does not divide by {}", refusal.noun, size, refusal.ways);
    case Refusal::Kind::outputs:
      return fmt::format("{}: {} outputs a device are no whole blocks of {}", refusal.noun, size,
                         refusal.ways);
    case Refusal::Kind::inputs:
      return fmt::format("{}: {} inputs a device are no whole blocks of {}", refusal.noun, size,
                         refusal.ways);
    case Refusal::Kind::heads:
      break;
  }
  return fmt::format("{} {} do not divide by {}", size, refusal.noun, refusal.ways);
}

/// Engines round experts in mxfp4 up to whole blocks on each device.
bool is_padded(const NumberFormat& format) {
  constexpr std::int64_t mxfp4_block = 32;
  return format.element == MatrixType::fp4 && format.block_inputs == mxfp4_block;
}

/// What tensor parallelism asks of a model's layers, refusals gathered once each.
class TensorRules {
 public:
  TensorRules(const Precision& precision, const Deployment& deployment)
      : precision_(precision), ways_(deployment.tensor), slices_(deployment.expert_slices()) {}

  void check(const LayerGroup& group) {
    std::visit([&](const auto& mixer) { check(mixer); }, group.mixer);
    std::visit([&](const auto& layer) { check(layer); }, group.feed_forward);
  }
  [[nodiscard]] const std::vector<Refusal>& refusals() const { return refusals_; }

 private:
  using Kind = Refusal::Kind;

  void refuse(const Refusal& refusal) {
    const bool known = std::find(refusals_.begin(), refusals_.end(), refusal) != refusals_.end();
    if (!known) refusals_.push_back(refusal);
  }
  /// True if `size` divides; what does not is refused.
  bool divides(Kind kind, std::string_view noun, std::int64_t size, std::int64_t ways) {
    if (size % ways == 0) return true;
    refuse({kind, noun, size, ways});
    return false;
  }
  void outputs(std::string_view noun, Part part, std::int64_t on_each_device) {
    divides(Kind::outputs, noun, on_each_device, precision_.weights[part].block_outputs);
  }
  void inputs(std::string_view noun, Part part, std::int64_t on_each_device) {
    divides(Kind::inputs, noun, on_each_device, precision_.weights[part].block_inputs);
  }

  void check(const std::monostate& /*none*/) {}
  void check(const Attention& a) {
    if (ways_ == 1) return;
    const bool whole_heads = divides(Kind::heads, "query heads", a.query_heads, ways_);
    const bool replicated = ways_ % a.kv_heads == 0;
    if (!replicated && a.kv_heads % ways_ != 0) {
      refuse({Kind::kv_heads, "K/V heads", a.kv_heads, ways_});
    } else {
      outputs("k and v", Part::mixer, (replicated ? 1 : a.kv_heads / ways_) * a.head_dim);
    }
    if (!whole_heads) return;
    const std::int64_t query = a.query_heads / ways_ * a.head_dim;
    outputs("q", Part::mixer, (a.output_gate ? 2 : 1) * query);
    inputs("o", Part::mixer, query);
  }
  void check(const LatentAttention& a) {
    if (ways_ == 1 || !divides(Kind::heads, "heads", a.heads, ways_)) return;
    const std::int64_t heads = a.heads / ways_;
    outputs(a.query_rank ? "q_b" : "q", Part::mixer, heads * (a.nope_dim + a.rope_dim));
    outputs("kv_b", Part::mixer, heads * (a.nope_dim + a.value_dim));
    inputs("o", Part::mixer, heads * a.value_dim);
  }
  void check(const Mamba1& m) { check_state(Kind::width, "Mamba width", m.inner, 1); }
  void check(const Mamba2& m) { check_state(Kind::heads, "Mamba heads", m.heads, m.head_dim); }
  void check(const GatedDelta& g) {
    if (ways_ == 1) return;
    divides(Kind::heads, "key heads", g.key_heads, ways_);
    check_state(Kind::heads, "value heads", g.value_heads, g.value_dim);
  }
  void check(const LinearAttention& l) {
    check_state(Kind::heads, "linear attention heads", l.heads, l.head_dim);
  }
  /// `units` of `width` channels each: what the state's projections are cut along.
  void check_state(Kind kind, std::string_view noun, std::int64_t units, std::int64_t width) {
    if (ways_ == 1 || !divides(kind, noun, units, ways_)) return;
    outputs("the input projection", Part::mixer, units / ways_ * width);
    inputs("out", Part::mixer, units / ways_ * width);
  }
  void check(const Mlp& mlp) {
    check_mlp("MLP width", mlp.gated ? "gate and up" : "up", "down", mlp.width, ways_, Part::mlp);
  }
  void check(const Experts& e) {
    check_mlp("experts' width", e.gated ? "experts' gate and up" : "experts' up", "experts' down",
              e.width, slices_, Part::experts);
    if (e.shared_width == 0) return;
    check_mlp("shared experts' width", e.gated ? "shared gate and up" : "shared up", "shared down",
              e.shared_width, ways_, Part::shared_experts);
  }
  void check_mlp(std::string_view noun, std::string_view up, std::string_view down,
                 std::int64_t width, std::int64_t ways, Part part) {
    if (ways == 1 || !divides(Kind::width, noun, width, ways)) return;
    if (is_padded(precision_.weights[part])) return;
    outputs(up, part, width / ways);
    inputs(down, part, width / ways);
  }

  const Precision& precision_;
  std::int64_t ways_;
  std::int64_t slices_;
  std::vector<Refusal> refusals_;
};

std::vector<Refusal> tensor_refusals(const Model& model, const Precision& precision,
                                     const Deployment& deployment) {
  TensorRules rules(precision, deployment);
  for (const LayerGroup& group : model.layers) rules.check(group);
  return rules.refusals();
}

std::string joined_text(const std::vector<Refusal>& refusals) {
  std::string text;
  for (const Refusal& refusal : refusals) {
    text += (text.empty() ? "" : "; ") + text_of(refusal);
  }
  return text;
}

/// Why routed experts cannot be spread so; empty if they can.
std::string expert_refusal(const Model& model, const Deployment& d) {
  if (d.expert == 1) return {};
  bool any = false;
  for (const LayerGroup& group : model.layers) {
    const auto* experts = std::get_if<Experts>(&group.feed_forward);
    if (experts == nullptr) continue;
    any = true;
    if (experts->count % d.expert == 0) continue;
    return fmt::format("{} experts do not divide by {}", experts->count, d.expert);
  }
  if (!any) return "it has no routed experts";
  if (d.tensor % d.expert == 0) return {};
  if (d.expert % d.tensor != 0) {
    return fmt::format("experts over {} and matrices over {} devices: neither divides the other",
                       d.expert, d.tensor);
  }
  if (d.data % (d.expert / d.tensor) == 0) return {};
  return fmt::format("tp {} times dp {} is {} devices, which experts over {} do not divide",
                     d.tensor, d.data, d.tensor * d.data, d.expert);
}

/// The largest number of devices that tensor parallelism could ask for.
std::int64_t most_ways(const Model& model) {
  struct Units {
    std::int64_t operator()(const std::monostate& /*none*/) const { return 1; }
    std::int64_t operator()(const Attention& a) const { return a.query_heads; }
    std::int64_t operator()(const LatentAttention& a) const { return a.heads; }
    std::int64_t operator()(const Mamba1& m) const { return m.inner; }
    std::int64_t operator()(const Mamba2& m) const { return m.heads; }
    std::int64_t operator()(const GatedDelta& g) const { return g.value_heads; }
    std::int64_t operator()(const LinearAttention& l) const { return l.heads; }
  };
  std::int64_t most = 1;
  for (const LayerGroup& group : model.layers) {
    most = std::max(most, std::visit(Units{}, group.mixer));
  }
  return most;
}

/// A way of sharing, by its field and its flag.
struct Way {
  std::int64_t Deployment::*field;
  const char* flag;
};
constexpr Way tensor_way{&Deployment::tensor, "--tp"};
constexpr Way expert_way{&Deployment::expert, "--ep"};
constexpr Way pipeline_way{&Deployment::pipeline, "--pp"};

class Rules {
 public:
  Rules(const Model& model, const Precision& precision) : model_(model), precision_(precision) {}

  [[nodiscard]] bool tensor_and_expert(const Deployment& d) const {
    return expert_refusal(model_, d).empty() && tensor_refusals(model_, precision_, d).empty();
  }

  /// "--tp 4 or --tp 16": the nearest values of one way that do, the others kept; empty if none.
  [[nodiscard]] std::string nearest(const Deployment& wrong, const Way& way,
                                    std::int64_t most) const {
    // Experts over all replicas: both are asked for at once.
    const bool own_replicas =
        way.field == &Deployment::expert && wrong.data == wrong.joined_replicas() && wrong.data > 1;
    const auto passes = [&](std::int64_t value) {
      Deployment d = wrong;
      d.*way.field = value;
      if (own_replicas) d.data = d.joined_replicas();
      return tensor_and_expert(d);
    };
    std::string text;
    std::int64_t value = std::min(wrong.*way.field - 1, most);
    while (value >= 1 && !passes(value)) --value;
    if (value >= 1) text = fmt::format("{} {}", way.flag, value);
    value = wrong.*way.field + 1;
    while (value <= most && !passes(value)) ++value;
    if (value <= most) {
      text += fmt::format("{}{} {}", text.empty() ? "" : " or ", way.flag, value);
    }
    return text;
  }

  /// nearest() for tensor parallel; and whole experts on each device, where they do instead.
  [[nodiscard]] std::string nearest_tensor(const Deployment& wrong) const {
    std::string text = nearest(wrong, tensor_way, most_ways(model_));
    Deployment whole_experts = wrong;
    whole_experts.expert = wrong.tensor;
    if (wrong.expert == 1 && tensor_and_expert(whole_experts)) {
      text += fmt::format("{}--ep {}", text.empty() ? "" : " or ", wrong.tensor);
    }
    return text;
  }

  /// The largest tensor and expert parallel that do, neither above what was asked for.
  [[nodiscard]] std::string both(Deployment d) const {
    const std::int64_t asked = std::min<std::int64_t>(d.expert, 4096);
    for (d.tensor = std::min(d.tensor, most_ways(model_)); d.tensor > 1; --d.tensor) {
      Deployment whole_experts = d;
      whole_experts.expert = d.tensor;
      if (!tensor_refusals(model_, precision_, whole_experts).empty()) continue;
      for (d.expert = asked; d.expert >= 1; --d.expert) {
        if (tensor_and_expert(d)) return fmt::format("--tp {} --ep {}", d.tensor, d.expert);
      }
    }
    return "--tp 1 --ep 1";
  }

 private:
  const Model& model_;
  const Precision& precision_;
};

std::int64_t most_experts(const Model& model) {
  std::int64_t most = 1;
  for (const LayerGroup& group : model.layers) {
    const auto* experts = std::get_if<Experts>(&group.feed_forward);
    if (experts != nullptr) most = std::max(most, experts->count);
  }
  return most;
}

}  // namespace

bool can_deploy(const Model& model, const Precision& precision, const Deployment& deployment) {
  return expert_refusal(model, deployment).empty() &&
         tensor_refusals(model, precision, deployment).empty() &&
         deployment.pipeline <= layer_count(model);
}

std::vector<Diagnostic> deployment_problems(const Model& model, const Precision& precision,
                                            const Deployment& deployment) {
  std::vector<Diagnostic> problems;
  const std::vector<Refusal> tensor = tensor_refusals(model, precision, deployment);
  const std::string expert = expert_refusal(model, deployment);
  const Rules rules(model, precision);
  std::string joint;  // where no value of one of them alone does
  if (!tensor.empty() && !expert.empty()) joint = rules.both(deployment);
  if (!tensor.empty()) {
    std::string fix = joint.empty() ? rules.nearest_tensor(deployment) : joint;
    if (fix.empty()) fix = rules.both(deployment);
    problems.push_back({.what = fmt::format("{} cannot be split over {} devices (tp {})",
                                            model.name, deployment.tensor, deployment.tensor),
                        .why = joined_text(tensor),
                        .fix = std::move(fix)});
  }
  if (!expert.empty()) {
    std::string fix =
        joint.empty() ? rules.nearest(deployment, expert_way, most_experts(model)) : joint;
    if (fix.empty()) fix = rules.both(deployment);
    problems.push_back({.what = fmt::format("{} cannot spread its experts over {} devices (ep {})",
                                            model.name, deployment.expert, deployment.expert),
                        .why = expert,
                        .fix = std::move(fix)});
  }
  const std::int64_t layers = layer_count(model);
  if (deployment.pipeline > layers) {
    problems.push_back({.what = fmt::format("{} cannot be cut into {} stages (pp {})", model.name,
                                            deployment.pipeline, deployment.pipeline),
                        .why = fmt::format("it has {} layers", layers),
                        .fix = fmt::format("{} {}", pipeline_way.flag, layers)});
  }
  return problems;
}

}  // namespace roofline
