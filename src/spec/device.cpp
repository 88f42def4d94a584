#include "roofline/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/closest.hpp"
#include "roofline/error.hpp"
#include "spec/json_node.hpp"
#include "spec/read_spec_parts.hpp"

namespace roofline {
namespace {

constexpr std::string_view accumulate_suffix = "_accumulate_fp16";
constexpr std::string_view matrix_suffix = "_matrix";

constexpr std::array all_peaks{PeakKey{MatrixType::fp64, PeakKey::Unit::standard},
                               PeakKey{MatrixType::fp64, PeakKey::Unit::matrix},
                               PeakKey{MatrixType::fp32, PeakKey::Unit::standard},
                               PeakKey{MatrixType::fp32, PeakKey::Unit::matrix},
                               PeakKey{MatrixType::tf32, PeakKey::Unit::standard},
                               PeakKey{MatrixType::bf16, PeakKey::Unit::standard},
                               PeakKey{MatrixType::fp16, PeakKey::Unit::standard},
                               PeakKey{MatrixType::fp16, PeakKey::Unit::accumulate_fp16},
                               PeakKey{MatrixType::fp8, PeakKey::Unit::standard},
                               PeakKey{MatrixType::fp8, PeakKey::Unit::accumulate_fp16},
                               PeakKey{MatrixType::fp6, PeakKey::Unit::standard},
                               PeakKey{MatrixType::fp4, PeakKey::Unit::standard},
                               PeakKey{MatrixType::int8, PeakKey::Unit::standard},
                               PeakKey{MatrixType::int4, PeakKey::Unit::standard}};

std::string optional_text(const JsonNode& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? found->text() : std::string();
}

/// A text of a fixed set; empty where absent.
std::string one_of(const JsonNode& node, std::string_view key,
                   const std::vector<std::string>& known) {
  const auto found = node.find(key);
  if (!found) return {};
  std::string text = found->text();
  if (std::find(known.begin(), known.end(), text) == known.end()) {
    found->fail(fmt::format("'{}' is none of {}", text, fmt::join(known, ", ")), {}, {},
                closest(text, known));
  }
  return text;
}

std::string name_of(const JsonNode& root) {
  std::string name = root.at("name").text();
  if (name.find_first_not_of(' ') == std::string::npos) root.at("name").fail("is empty");
  return name;
}

void read_peaks(const JsonNode& node, Device& device) {
  for (const JsonNode& peak : node.members()) {
    const std::optional<PeakKey> key = peak_key(peak.key());
    if (!key) {
      peak.fail("unknown peak",
                fmt::format("peaks are dense rates, one of: {}", fmt::join(peak_names(), ", ")), {},
                closest(peak.key(), peak_names()));
    }
    device.peaks[*key] = peak.compute();
  }
  if (device.peaks.empty()) {
    node.fail("needs at least one peak", {}, R"({"fp16": "989 TFLOP/s"})");
  }
}

void read_memory(const JsonNode& node, Device& device) {
  node.only({"type", "bandwidth", "capacity", "capacity_printed_as", "usable", "physical",
             "configurable"});
  if (const auto type = node.find("type")) device.memory_type = type->text();
  device.bandwidth = node.at("bandwidth").bandwidth();
  if (const auto capacity = node.find("capacity")) device.capacity = capacity->bytes();
  if (const auto usable = node.find("usable")) device.usable = usable->bytes();
  if (const auto physical = node.find("physical")) (void)physical->bytes();
  if (const auto configurable = node.find("configurable")) {
    device.capacity_configurable = configurable->boolean();
  }
}

Interconnect read_interconnect(const JsonNode& node) {
  constexpr std::int64_t most_joined = 1'000'000;
  node.only({"name", "per_direction", "total", "joins", "hop_latency"});
  Interconnect link;
  link.name = optional_text(node, "name");
  if (const auto one = node.find("per_direction")) link.per_direction = one->bandwidth();
  if (const auto both = node.find("total")) link.total = both->bandwidth();
  if (const auto joins = node.find("joins")) link.joins = joins->count(most_joined, 2);
  if (const auto latency = node.find("hop_latency")) link.hop_latency = latency->time();
  return link;
}

Price read_price(const JsonNode& node) {
  node.only({"usd_per_hour", "as_of", "provider", "tier", "note", "source"});
  return {.per_hour = DollarsPerHour(node.at("usd_per_hour").positive()),
          .as_of = optional_text(node, "as_of"),
          .provider = optional_text(node, "provider"),
          .tier = optional_text(node, "tier"),
          .note = optional_text(node, "note"),
          .source = optional_text(node, "source")};
}

Source read_source(const JsonNode& node) {
  node.only({"id", "title", "url", "access", "note"});
  return {.id = static_cast<int>(node.at("id").count(1000)),
          .title = node.at("title").text(),
          .url = optional_text(node, "url"),
          .access = optional_text(node, "access"),
          .note = optional_text(node, "note")};
}

Provenance read_provenance(const JsonNode& node) {
  node.only({"basis", "sources"});
  Provenance provenance;
  provenance.basis = one_of(node, "basis", {"read", "derived", "unsure"});
  if (const auto sources = node.find("sources")) {
    for (const JsonNode& id : sources->elements()) {
      provenance.sources.push_back(static_cast<int>(id.count(1000)));
    }
  }
  return provenance;
}

void read_background(const JsonNode& root, Device& device) {
  if (const auto caches = root.find("cache")) {
    caches->only({"l2", "last_level", "sram"});
    for (const JsonNode& cache : caches->members()) {
      device.caches.emplace_back(cache.key(), cache.bytes());
    }
  }
  if (const auto link = root.find("interconnect")) device.interconnect = read_interconnect(*link);
  if (const auto tdp = root.find("tdp")) device.tdp = tdp->power();
  if (const auto estimate = root.find("tdp_is_estimate")) {
    device.tdp_is_estimate = estimate->boolean();
  }
  if (const auto prices = root.find("prices")) {
    for (const JsonNode& price : prices->elements()) device.prices.push_back(read_price(price));
  }
  if (const auto sources = root.find("sources")) {
    for (const JsonNode& source : sources->elements()) {
      device.sources.push_back(read_source(source));
    }
  }
  if (const auto provenance = root.find("provenance")) {
    for (const JsonNode& figure : provenance->members()) {
      device.provenance[figure.key()] = read_provenance(figure);
    }
  }
  if (const auto measured = root.find("measured")) {
    for (const JsonNode& rate : measured->elements()) {
      rate.only({"dtype", "rate", "title", "url"});
      (void)rate.at("rate").compute();
    }
  }
}

}  // namespace

std::string to_string(const PeakKey& key) {
  std::string_view suffix;
  if (key.unit == PeakKey::Unit::accumulate_fp16) suffix = accumulate_suffix;
  if (key.unit == PeakKey::Unit::matrix) suffix = matrix_suffix;
  return fmt::format("{}{}", to_string(key.type), suffix);
}

std::optional<PeakKey> peak_key(std::string_view name) {
  for (const PeakKey& key : all_peaks) {
    if (to_string(key) == name) return key;
  }
  return std::nullopt;
}

const std::vector<std::string>& peak_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const PeakKey& key : all_peaks) result.push_back(to_string(key));
    return result;
  }();
  return names;
}

Device with_overrides(Device device, const DeviceOverrides& overrides) {
  for (const auto& [key, peak] : overrides.peaks) {
    device.peaks[key] = peak;
    device.given_peaks.insert(key);
  }
  if (overrides.bandwidth) device.bandwidth = *overrides.bandwidth;
  if (overrides.memory) device.usable = *overrides.memory;
  if (overrides.link) {
    device.interconnect = Interconnect{.name = "the given link", .per_direction = overrides.link};
  }
  if (overrides.link_latency) {
    device.pcie_hop_latency = overrides.link_latency;
    if (device.interconnect) device.interconnect->hop_latency = overrides.link_latency;
  }
  return device;
}

const Price* usual_price(const Device& device) {
  const auto on_demand = [](const Price& price) { return price.tier.starts_with("on-demand"); };
  const bool any_on_demand = std::any_of(device.prices.begin(), device.prices.end(), on_demand);
  const Price* best = nullptr;
  for (const Price& price : device.prices) {
    if (any_on_demand && !on_demand(price)) continue;
    const bool better = best == nullptr || price.as_of > best->as_of ||
                        (price.as_of == best->as_of && price.per_hour < best->per_hour);
    if (better) best = &price;
  }
  return best;
}

Device read_device(std::string_view text, const std::string& file) {
  return read_device(JsonNode::parse(text, file));
}

Device read_device(const JsonNode& root) {
  if (root.is_object() && root.find("model_type")) {
    root.fail("this is a model's config.json, not a device's file", {}, "--model takes it");
  }
  root.only({"name",
             "aliases",
             "class",
             "vendor",
             "architecture",
             "year",
             "peaks",
             "memory",
             "cache",
             "interconnect",
             "pcie",
             "tdp",
             "tdp_is_estimate",
             "devices_per_package",
             "prices",
             "measured",
             "vendor_prints",
             "notes",
             "sources",
             "provenance"});
  Device device;
  device.name = name_of(root);
  if (const auto aliases = root.find("aliases")) device.aliases = aliases->texts();
  device.device_class = one_of(root, "class", {"gpu", "tpu", "accelerator", "cpu"});
  device.vendor = optional_text(root, "vendor");
  device.architecture = optional_text(root, "architecture");
  if (const auto year = root.find("year")) device.year = static_cast<int>(year->count(3000));
  read_peaks(root.at("peaks"), device);
  read_memory(root.at("memory"), device);
  device.pcie = optional_text(root, "pcie");
  device.notes = optional_text(root, "notes");
  read_background(root, device);
  return device;
}

}  // namespace roofline
