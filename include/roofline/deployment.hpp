// Deployment: how a model is spread over devices, and the links that join them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/device.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// Devices that share a model, by the four ways of sharing. All are at least 1.
/// A stage of the pipeline has tensor x data devices; its experts are spread over `expert` of them:
/// a divisor of `tensor` (each device has some experts, each cut into tensor / expert slices), or a
/// multiple of `tensor` (whole experts, over expert / tensor replicas).
struct Deployment {
  std::int64_t tensor = 1;    ///< tp: each matrix and the heads are split
  std::int64_t pipeline = 1;  ///< pp: layers are split
  std::int64_t expert = 1;    ///< ep: routed experts are spread
  std::int64_t data = 1;      ///< dp: replicas of attention and dense layers; the batch is split

  [[nodiscard]] std::int64_t devices() const { return tensor * pipeline * data; }
  /// Slices that each expert's matrices are cut into.
  [[nodiscard]] std::int64_t expert_slices() const {
    return std::max<std::int64_t>(1, tensor / expert);
  }
  /// Replicas whose tokens meet at the same experts.
  [[nodiscard]] std::int64_t joined_replicas() const {
    return std::max<std::int64_t>(1, expert / tensor);
  }
  friend bool operator==(const Deployment&, const Deployment&) = default;
};

/// With as many replicas as the experts span; as it is where tensor does not divide expert.
[[nodiscard]] Deployment with_replicas_for_experts(Deployment deployment);

/// "", or ", tp 4, pp 2": the ways that are not 1.
[[nodiscard]] std::string to_string(const Deployment& deployment);

/// What joins devices: a switch or full mesh, a bridge, PCIe.
struct Link {
  std::string name;  ///< "NVLink 4", "PCIe 5.0 x16"
  BytesPerSecond per_direction;
  std::optional<std::int64_t> joins{};   ///< devices that it joins at most; none: any number
  std::optional<Seconds> hop_latency{};  ///< of one message between two devices

  friend bool operator==(const Link&, const Link&) = default;
};

/// PCIe as a link that joins any number: GT/s x lanes x line coding / 8. None for a CPU, whose
/// lanes lead to other devices, and where generation or lanes are not known.
[[nodiscard]] std::optional<Link> pcie_link(const Device& device);

/// The links of a device whose rate is known, in the order in which they are tried: its
/// interconnect, then PCIe.
[[nodiscard]] std::vector<Link> links_of(const Device& device);

/// The first of links_of that joins `group` devices. Throws Error if there is none.
[[nodiscard]] Link link_spanning(const Device& device, std::int64_t group);

}  // namespace roofline
