// What crosses the links between devices in a step, and how long it takes at least.
#include <fmt/format.h>

#include "base/number.hpp"
#include "roofline/timing.hpp"

namespace roofline {
namespace {

/// The link of a group of devices; none for a group of one.
std::optional<Link> link_of(const Device& device, std::int64_t group, std::string_view what,
                            std::vector<std::string>& notes) {
  if (group < 2) return std::nullopt;
  Link link = link_spanning(device, group);
  const std::vector<Link> links = links_of(device);
  if (!(links.front() == link)) {
    notes.push_back(
        fmt::format("{} of {} devices: {} joins {}, so {} is taken (--link to say more)", what,
                    group, links.front().name, *links.front().joins, link.name));
  }
  return link;
}

/// One way over the link, and `hops` one after another.
void add_time(NetworkLoad& load, const std::optional<Link>& link, Bytes bytes, double hops) {
  load.bandwidth += bytes / link->per_direction;
  load.latency += link->hop_latency.value_or(Seconds()) * hops;
}

struct LayerCounts {
  double reduced = 0;  ///< outputs that tensor parallel sums up: of mixers and of feed-forwards
  double experts = 0;
  double per_token = 0;  ///< sum of k over the layers of experts
};

LayerCounts count_layers(const Model& model) {
  LayerCounts counts;
  for (const LayerGroup& layer : model.layers) {
    const double layers = number(layer.count);
    if (!std::holds_alternative<std::monostate>(layer.mixer)) counts.reduced += layers;
    if (!std::holds_alternative<std::monostate>(layer.feed_forward)) counts.reduced += layers;
    if (const auto* experts = std::get_if<Experts>(&layer.feed_forward)) {
      counts.experts += layers;
      counts.per_token += layers * number(experts->per_token);
    }
  }
  return counts;
}

}  // namespace

Network choose_network(const Device& device, const Deployment& deployment) {
  Network network;
  const std::int64_t joined = deployment.joined_replicas();
  network.tensor = link_of(device, deployment.tensor, "tensor parallel", network.notes);
  if (joined > 1) {
    network.expert = link_of(device, deployment.expert, "expert parallel", network.notes);
  }
  if (deployment.pipeline > 1) {
    network.pipeline =
        link_of(device, deployment.tensor * deployment.pipeline, "pipeline", network.notes);
  }
  return network;
}

NetworkLoad network_load(const Model& model, const Step& step, const Precision& precision,
                         const Deployment& deployment, const Network& network) {
  NetworkLoad load;
  if (deployment.devices() == 1) return load;
  const LayerCounts layers = count_layers(model);
  const double tokens = new_tokens(step);
  const Bytes hidden =
      precision.activations.element_size() * (tokens * number(model.hidden_size));  // a T h
  if (network.tensor) {
    const double n = number(deployment.tensor);
    load.all_reduce = hidden * (2 * (n - 1) / n * layers.reduced);
    add_time(load, network.tensor, load.all_reduce, 2 * (n - 1) * layers.reduced);
  }
  if (network.expert) {
    // Each of the tensor-parallel devices sends its share of the tokens.
    const double n = number(deployment.expert);
    const double share = 2 * (n - 1) / n / number(deployment.tensor);
    load.exchange = hidden * (share * layers.per_token);
    add_time(load, network.expert, load.exchange, 2 * layers.experts);
  }
  if (network.pipeline) {
    const double boundaries = number(deployment.pipeline - 1);
    load.boundary = hidden * boundaries;
    add_time(load, network.pipeline, load.boundary, boundaries);
  }
  return load;
}

}  // namespace roofline
