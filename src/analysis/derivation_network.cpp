// What crosses the links between devices, each formula with its numbers.
#include <fmt/format.h>

#include <variant>

#include "analysis/derivation_parts.hpp"

namespace roofline::derivation {
namespace {

/// Bytes of one kind over their link, and the messages that come one after another.
struct Crossing {
  std::string what;  ///< "all-reduces"
  std::string formula;
  std::string numbers;
  Bytes bytes;
  const Link& link;
  std::string hop_formula;
  std::string hops;
};

/// Layers that have a mixer and a feed-forward, "80 + 80": each has an output to sum up.
std::string reduced_numbers(const Model& model) {
  std::int64_t mixers = 0;
  std::int64_t feed_forwards = 0;
  for (const LayerGroup& layer : model.layers) {
    if (!std::holds_alternative<std::monostate>(layer.mixer)) mixers += layer.count;
    if (!std::holds_alternative<std::monostate>(layer.feed_forward)) feed_forwards += layer.count;
  }
  return fmt::format("({} + {})", mixers, feed_forwards);
}

/// Layers of experts, and their sum of k L.
struct ExpertLayers {
  std::int64_t count = 0;
  Sum per_token;
};

ExpertLayers expert_layers(const Model& model) {
  ExpertLayers layers;
  for (const LayerGroup& layer : model.layers) {
    const auto* experts = std::get_if<Experts>(&layer.feed_forward);
    if (experts == nullptr) continue;
    layers.count += layer.count;
    layers.per_token.add(fmt::format("{} * {}", experts->per_token, layer.count));
  }
  return layers;
}

std::vector<Crossing> crossings_of(const Model& model, const StepAnalysis& analysis) {
  const Deployment& deployment = analysis.deployment;
  const NetworkLoad& load = analysis.time.load;
  const std::string hidden = fmt::format("{} * {} * {}", size(analysis.precision.activations),
                                         number(new_tokens(analysis.step)), model.hidden_size);
  std::vector<Crossing> crossings;
  if (analysis.network.tensor) {
    const std::int64_t n = deployment.tensor;
    const std::string sums = reduced_numbers(model);
    crossings.push_back({.what = "all-reduces",
                         .formula = "2 (G - 1) / G a T h M, M outputs of mixers and feed-forwards",
                         .numbers = fmt::format("2 * ({} - 1) / {} * {} * {}", n, n, hidden, sums),
                         .bytes = load.all_reduce,
                         .link = *analysis.network.tensor,
                         .hop_formula = "2 (G - 1) M",
                         .hops = fmt::format("2 * ({} - 1) * {}", n, sums)});
  }
  if (analysis.network.expert) {
    const std::int64_t n = deployment.expert;
    const ExpertLayers layers = expert_layers(model);
    crossings.push_back(
        {.what = "experts' exchange",
         .formula = "2 (X - 1) / X a T h (sum of k L)" + divided(deployment.tensor, "G"),
         .numbers = fmt::format("2 * ({} - 1) / {} * {} * ({}){}", n, n, hidden,
                                layers.per_token.text(), divided(deployment.tensor)),
         .bytes = load.exchange,
         .link = *analysis.network.expert,
         .hop_formula = "2 a layer of experts",
         .hops = fmt::format("2 * {}", layers.count)});
  }
  if (analysis.network.pipeline) {
    crossings.push_back({.what = "stage boundaries",
                         .formula = "a T h (P - 1)",
                         .numbers = fmt::format("{} * ({} - 1)", hidden, deployment.pipeline),
                         .bytes = load.boundary,
                         .link = *analysis.network.pipeline,
                         .hop_formula = "P - 1",
                         .hops = fmt::format("({} - 1)", deployment.pipeline)});
  }
  return crossings;
}

}  // namespace

void derive_network(Derivation& d, const Model& model, const StepAnalysis& analysis) {
  const std::vector<Crossing> crossings = crossings_of(model, analysis);
  if (crossings.empty()) return;
  Sum formula;
  Sum seconds;
  Sum hop_formula;
  Sum hops;
  for (const Crossing& crossing : crossings) {
    d.add("network: " + crossing.what, crossing.formula, crossing.numbers, crossing.bytes.value(),
          "bytes");
    formula.add(crossing.what + " / link");
    seconds.add(fmt::format("{} / {}", number(crossing.bytes.value()),
                            number(crossing.link.per_direction.value())));
    if (!crossing.link.hop_latency) continue;
    hop_formula.add(crossing.hop_formula);
    hops.add(fmt::format("{} * {}", crossing.hops, number(crossing.link.hop_latency->value())));
  }
  d.add("network time", formula.text() + ", one way", seconds.text(), analysis.time.network.value(),
        "s");
  if (hops.empty()) return;
  d.add("network latency", fmt::format("({}) hops", hop_formula.text()), hops.text(),
        analysis.time.load.latency.value(), "s");
}

}  // namespace roofline::derivation
