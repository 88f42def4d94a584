#include "analysis/fewest_devices.hpp"

#include <algorithm>

#include "analysis/candidate_deployments.hpp"
#include "analysis/capacity.hpp"
#include "base/number.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double mib = 1024.0 * 1024;

// The largest values of a public study of 28 starts of vLLM 0.29 and 0.30 on NVIDIA GPUs: memory
// outside PyTorch 0.05 to 0.39 GiB; 35 to 51 graphs of 0.25 to 0.69 MiB a layer, of 0.63 to 1.39
// MiB with latent attention.
constexpr Bytes most_context{0.39 * gib};
constexpr double most_graphs = 51;
constexpr Bytes graph_of_layer{0.69 * mib};
constexpr Bytes graph_of_latent_layer{1.39 * mib};

bool captures_graphs(const Device& device) {
  return device.device_class == "gpu" && (device.vendor == "NVIDIA" || device.vendor == "AMD");
}

Bytes graph_bytes(const Model& model) {
  Bytes total;
  for (const LayerGroup& layer : model.layers) {
    const bool latent = std::holds_alternative<LatentAttention>(layer.mixer);
    total +=
        (latent ? graph_of_latent_layer : graph_of_layer) * (most_graphs * number(layer.count));
  }
  return total;
}

/// Matrices of all layers that engines keep whole on each tensor-parallel device.
Bytes unsplit_bytes(const Model& model, const Precision& precision) {
  const double h = number(model.hidden_size);
  Bytes total;
  for (const LayerGroup& layer : model.layers) {
    if (const auto* latent = std::get_if<LatentAttention>(&layer.mixer)) {
      const std::int64_t outputs =
          latent->query_rank.value_or(0) + latent->kv_rank + latent->rope_dim;
      total += precision.weights[Part::mixer].element_size() *
               (h * number(outputs) * number(layer.count));
    }
    if (const auto* experts = std::get_if<Experts>(&layer.feed_forward)) {
      const std::int64_t outputs = experts->count + (experts->shared_gate ? 1 : 0);
      total += precision.weights[Part::router].element_size() *
               (h * number(outputs) * number(layer.count));
    }
  }
  return total;
}

/// Devices that are needed if weights, K/V and states divide among them, whatever the deployment.
std::int64_t least_devices(const FitRequest& request, const Precision& precision) {
  const Server& server = request.server;
  const std::optional<Bytes> memory = usable_memory(server.device, server.limits.utilization);
  if (!memory || !(*memory > server.limits.overhead)) return most_devices + 1;
  const Bytes sequence =
      kv_bytes(server.model, precision.kv, request.context) + state_bytes(server.model, precision);
  const Bytes all = weight_bytes(server.model, precision) + sequence * number(request.batch);
  const double share = std::min(all / (*memory - server.limits.overhead), 2.0 * most_devices);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(share));
}

}  // namespace

EngineMemory engine_memory(const Setting& setting, bool overhead_known) {
  const Model& model = setting.model;
  const std::int64_t layers = layer_count(model);
  const std::int64_t stages = setting.deployment.pipeline;
  const double share = number((layers + stages - 1) / stages) / number(layers);
  EngineMemory engine;
  const double ways = number(setting.deployment.tensor);
  engine.whole_matrices = unsplit_bytes(model, setting.precision) * (share * (ways - 1) / ways);
  if (overhead_known || !captures_graphs(setting.device)) return engine;
  engine.context = most_context;
  engine.graphs = graph_bytes(model) * share;
  return engine;
}

std::optional<Bytes> need_if_it_fits(const FitRequest& request, bool certain) {
  const Server& server = request.server;
  try {
    const Setting setting =
        make_setting(server.model, server.device, server.deployment, server.precision);
    Capacity capacity(setting, server.limits);
    Bytes need = capacity.need(request.batch, request.context).total();
    if (certain) need += engine_memory(setting, request.overhead_known).total();
    if (need <= capacity.usable()) return need;
  } catch (const Error&) {  // it cannot be spread or run so
  }
  return std::nullopt;
}

std::optional<Deployment> fewest_devices(const FitRequest& request, bool certain) {
  FitRequest tried = request;
  const Server& server = request.server;
  const Precision precision = resolve_precision(server.model, server.precision).precision;
  CandidateDeployments candidates(server.device, server.model, precision);
  const std::int64_t most = links_of(server.device).empty() ? 1 : most_devices;
  for (std::int64_t devices = least_devices(request, precision); devices <= most; ++devices) {
    for (const Deployment& way : candidates.of(devices)) {
      tried.server.deployment = way;
      if (need_if_it_fits(tried, certain)) return way;
    }
  }
  return std::nullopt;
}

}  // namespace roofline
