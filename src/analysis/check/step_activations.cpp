#include "analysis/check/step_activations.hpp"

#include <algorithm>
#include <variant>

#include "analysis/check/engine_kv.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

/// Elements a token of a layer's widest tensor and of what it is turned into, on one device.
class Width {
 public:
  Width(const ResolvedServing& serving, double hidden)
      : hidden_(hidden),
        attention_(number(attention_ways(serving))),
        mlp_(number(serving.plan.tensor.value)),
        slices_(number(serving.server.deployment.expert_slices())),
        joined_(number(serving.server.deployment.joined_replicas())) {}

  double operator()(const std::monostate& /*none*/) const { return 0; }
  double operator()(const Attention& a) const {
    const double queries = number(a.query_heads * a.head_dim);
    const double cached = 2 * number(a.kv_heads * a.head_dim);
    return ((a.output_gate ? 3 : 2) * queries + cached) / attention_;
  }
  /// q, kv_b's output, k put together and the heads' output.
  double operator()(const LatentAttention& a) const {
    const std::int64_t head = 2 * (a.nope_dim + a.rope_dim) + a.nope_dim + 2 * a.value_dim;
    return number(a.heads * head) / attention_;
  }
  double operator()(const Mamba1& m) const { return 3 * number(m.inner) / attention_; }
  double operator()(const Mamba2& m) const {
    const std::int64_t inner = m.heads * m.head_dim;
    return number(3 * inner + 2 * m.groups * m.state + m.heads) / attention_;
  }
  double operator()(const GatedDelta& g) const {
    return number(2 * g.key_heads * g.key_dim + 3 * g.value_heads * g.value_dim) / attention_;
  }
  double operator()(const LinearAttention& l) const {
    return 4 * number(l.heads * l.head_dim) / attention_;
  }
  double operator()(const Mlp& mlp) const { return (mlp.gated ? 3 : 2) * number(mlp.width) / mlp_; }
  double operator()(const Experts& e) const {
    const double width = number(e.width) / slices_;
    const double up = (e.gated ? 2 : 1) * width;
    const double routed = number(e.per_token) * (std::max(up, hidden_) + width) + hidden_;
    const double shared = (e.gated ? 3 : 2) * number(e.shared_width) / mlp_;
    return std::max(routed * joined_, shared);
  }

 private:
  double hidden_, attention_, mlp_, slices_, joined_;
};

}  // namespace

Bytes forward_activations(const ResolvedServing& serving) {
  const Model& model = serving.server.model;
  const double hidden = number(model.hidden_size);
  const Width width(serving, hidden);
  double widest = 0;
  for (const LayerGroup& layer : model.layers) {
    widest = std::max(widest, std::visit(width, layer.mixer));
    widest = std::max(widest, std::visit(width, layer.feed_forward));
  }
  return serving.precision.activations.element_size() *
         (number(serving.plan.batched_tokens.value) * (3 * hidden + widest));
}

double logit_elements(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const std::int64_t rows = std::min(plan.max_sequences.value, plan.batched_tokens.value);
  return number(rows) * number(serving.server.model.vocabulary);
}

BytesEstimate driver_reserve(const Device& device) {
  const bool reserves = device.device_class == "gpu" && device.vendor == "NVIDIA";
  if (!reserves) return {};
  return {Bytes(480 * mib), Bytes(430 * mib), Bytes(770 * mib)};
}

bool has_context(const Device& device) {
  return device.device_class == "gpu" && (device.vendor == "NVIDIA" || device.vendor == "AMD");
}

BytesEstimate operator*(const BytesEstimate& estimate, double factor) {
  return {estimate.value * factor, estimate.low * factor, estimate.high * factor};
}

BytesEstimate operator+(const BytesEstimate& a, const BytesEstimate& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}

BytesEstimate larger(const BytesEstimate& a, const BytesEstimate& b) {
  return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high)};
}

BytesEstimate spread(Bytes bytes, double low, double high) {
  return {bytes, bytes * low, bytes * high};
}

}  // namespace roofline
