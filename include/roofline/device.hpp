// Device: what a GPU, TPU, other accelerator or CPU can do at best, each figure with its source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/number_format.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// A dense matrix rate: the operands' type, and how products are summed up.
struct PeakKey {
  MatrixType type = MatrixType::fp16;
  enum class Unit {
    standard,         ///< the rate that is usually meant: fp32 accumulation (int32 for integers)
    accumulate_fp16,  ///< sums kept in fp16: twice as fast on GeForce
    matrix            ///< fp32 and fp64 in the matrix unit instead of the vector unit
  } unit = Unit::standard;

  friend auto operator<=>(const PeakKey&, const PeakKey&) = default;
};

/// "fp16", "fp16_accumulate_fp16", "fp64_matrix".
[[nodiscard]] std::string to_string(const PeakKey& key);
/// The key with that name; none if there is none.
[[nodiscard]] std::optional<PeakKey> peak_key(std::string_view name);
/// Every name that peak_key knows.
[[nodiscard]] const std::vector<std::string>& peak_names();

struct Source {
  int id = 0;
  std::string title;
  std::string url;
  std::string access;  ///< "read", or "cited" if its values were read through other sources
  std::string note;

  friend bool operator==(const Source&, const Source&) = default;
};

/// Where one figure comes from.
struct Provenance {
  std::string basis;         ///< "read", "derived" (by arithmetic from read figures) or "unsure"
  std::vector<int> sources;  ///< ids

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Price {
  DollarsPerHour per_hour;
  std::string as_of;  ///< date, YYYY-MM-DD, or as much of it as is known
  std::string provider;
  std::string tier;
  std::string note;
  std::string source;

  friend bool operator==(const Price&, const Price&) = default;
};

struct Interconnect {
  std::string name;
  std::optional<BytesPerSecond> per_direction{};
  std::optional<BytesPerSecond> total{};  ///< both directions
  std::optional<std::int64_t> joins{};    ///< devices that it joins at most; none: any number
  std::optional<Seconds> hop_latency{};   ///< of one message between two devices

  friend bool operator==(const Interconnect&, const Interconnect&) = default;
};

struct Device {
  std::string name;
  std::vector<std::string> aliases;
  std::string device_class;  ///< "gpu", "tpu", "accelerator" or "cpu"
  std::string vendor;
  std::string architecture;
  std::optional<int> year;
  std::map<PeakKey, FlopsPerSecond> peaks;  ///< dense, never empty
  std::set<PeakKey> given_peaks;            ///< those that overrides gave: they go first

  std::string memory_type;
  BytesPerSecond bandwidth;
  std::optional<Bytes> capacity;
  std::optional<Bytes> usable;         ///< capacity as the driver reports it
  bool capacity_configurable = false;  ///< `capacity` is that of the largest configuration

  std::vector<std::pair<std::string, Bytes>> caches;  ///< level name, size
  std::optional<Interconnect> interconnect;
  std::string pcie;                         ///< generation and lanes, "5.0 x16"
  std::optional<Seconds> pcie_hop_latency;  ///< of one message between two devices over PCIe
  std::optional<Watts> tdp;
  bool tdp_is_estimate = false;
  std::vector<Price> prices;
  std::string notes;
  std::vector<Source> sources;
  std::map<std::string, Provenance> provenance;  ///< by the figure's path, "peaks.fp16"

  friend bool operator==(const Device&, const Device&) = default;
};

/// Reads an entry of data/devices or a user's file of that form (data/schema/device.schema.json);
/// `file` names it in messages. Needs a name, a peak and a bandwidth. Throws Error.
[[nodiscard]] Device read_device(std::string_view text, const std::string& file);

/// Figures to use instead of a device's own.
struct DeviceOverrides {
  std::map<PeakKey, FlopsPerSecond> peaks{};
  std::optional<BytesPerSecond> bandwidth{};
  std::optional<Bytes> memory{};          ///< as the driver reports it
  std::optional<BytesPerSecond> link{};   ///< one direction of a link that joins all devices
  std::optional<Seconds> link_latency{};  ///< of one message over any link

  friend bool operator==(const DeviceOverrides&, const DeviceOverrides&) = default;
};

/// The device with those figures. A link that is given replaces the interconnect, joins any number
/// of devices, and has the latency that is given, or none; a latency without a link is that of
/// interconnect and PCIe alike.
[[nodiscard]] Device with_overrides(Device device, const DeviceOverrides& overrides);

/// The price to reckon with where none is given: of the on-demand ones the newest, of those the
/// lowest; other tiers where there is no other. On-demand is a tier whose text starts so; a date
/// that is known less exactly is older than those that it covers. Null if no price is known.
[[nodiscard]] const Price* usual_price(const Device& device);

}  // namespace roofline
