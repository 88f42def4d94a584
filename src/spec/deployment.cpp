// How devices that share a model are joined: the interconnect, then PCIe, and which spans a group.
#include "roofline/deployment.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "roofline/error.hpp"

namespace roofline {
namespace {

/// Bits a second on a lane, and the share of them that is left after the line coding.
struct PcieGeneration {
  std::string_view name;
  double transfers_per_second;
  double coding;
};

constexpr std::array pcie_generations{
    PcieGeneration{"2.0", 5e9, 8.0 / 10}, PcieGeneration{"3.0", 8e9, 128.0 / 130},
    PcieGeneration{"4.0", 16e9, 128.0 / 130}, PcieGeneration{"5.0", 32e9, 128.0 / 130},
    PcieGeneration{"6.0", 64e9, 242.0 / 256}};

/// One way, of "5.0 x16"; what follows the lanes is a remark.
std::optional<BytesPerSecond> pcie_rate(std::string_view text, std::string& name) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.substr(space + 1, 1) != "x") return std::nullopt;
  const std::string_view behind = text.substr(space + 2);
  int lanes = 0;
  const auto [end, code] = std::from_chars(behind.data(), behind.data() + behind.size(), lanes);
  const bool whole = end == behind.data() + behind.size() || *end == ' ';
  if (code != std::errc{} || !whole || lanes < 1) return std::nullopt;
  for (const PcieGeneration& generation : pcie_generations) {
    if (generation.name != text.substr(0, space)) continue;
    constexpr double bits_a_byte = 8;
    name = fmt::format("PCIe {} x{}", generation.name, lanes);
    return BytesPerSecond(generation.transfers_per_second * lanes * generation.coding /
                          bits_a_byte);
  }
  return std::nullopt;
}

std::string name_of(const Interconnect& interconnect) {
  return interconnect.name.empty() ? "the interconnect" : interconnect.name;
}

/// The links that there are, and why they do not do.
std::string why_none_spans(const Device& device) {
  std::string why;
  const auto add = [&](const std::string& text) { why += (why.empty() ? "" : "; ") + text; };
  for (const Link& link : links_of(device)) {
    if (link.joins) add(fmt::format("{} joins {}", link.name, *link.joins));
  }
  if (device.interconnect && !device.interconnect->per_direction) {
    add(fmt::format("the rate of {} is not known", name_of(*device.interconnect)));
  }
  if (device.device_class == "cpu") {
    add("what joins the CPUs of a server is not known");
  } else if (device.pcie.empty()) {
    add(why.empty() ? "neither an interconnect nor PCIe is known" : "PCIe is not known");
  } else {
    add(fmt::format("the rate of PCIe '{}' is not known", device.pcie));
  }
  return why;
}

}  // namespace

Deployment with_replicas_for_experts(Deployment deployment) {
  if (deployment.expert % deployment.tensor == 0) deployment.data = deployment.joined_replicas();
  return deployment;
}

std::string to_string(const Deployment& deployment) {
  std::string text;
  const auto add = [&](const char* name, std::int64_t ways) {
    if (ways != 1) text += fmt::format(", {} {}", name, ways);
  };
  add("tp", deployment.tensor);
  add("pp", deployment.pipeline);
  add("ep", deployment.expert);
  add("dp", deployment.data);
  return text;
}

std::optional<Link> pcie_link(const Device& device) {
  if (device.device_class == "cpu") return std::nullopt;
  Link link{.name = {}, .per_direction = {}, .joins = {}, .hop_latency = device.pcie_hop_latency};
  const std::optional<BytesPerSecond> rate = pcie_rate(device.pcie, link.name);
  if (!rate) return std::nullopt;
  link.per_direction = *rate;
  return link;
}

std::vector<Link> links_of(const Device& device) {
  std::vector<Link> links;
  if (device.interconnect && device.interconnect->per_direction) {
    const Interconnect& interconnect = *device.interconnect;
    links.push_back({.name = name_of(interconnect),
                     .per_direction = *interconnect.per_direction,
                     .joins = interconnect.joins,
                     .hop_latency = interconnect.hop_latency});
  }
  if (std::optional<Link> pcie = pcie_link(device)) links.push_back(*std::move(pcie));
  return links;
}

Link link_spanning(const Device& device, std::int64_t group) {
  for (Link& link : links_of(device)) {
    if (!link.joins || *link.joins >= group) return std::move(link);
  }
  throw Error(
      Diagnostic{.what = fmt::format("{} x {} have no link that is known", group, device.name),
                 .why = why_none_spans(device),
                 .fix = "--link 50GB/s"});
}

}  // namespace roofline
