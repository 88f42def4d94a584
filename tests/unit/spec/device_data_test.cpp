// The built-in devices: all of them load, are named once, tell where each figure comes from, and
// have figures that make sense; some of them against their data sheets.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/closest.hpp"
#include "roofline/catalog.hpp"

namespace roofline {
namespace {

using Strings = std::vector<std::string>;

const std::vector<Device>& devices() {
  static const std::vector<Device> all = [] {
    const Catalog catalog;
    std::vector<Diagnostic> warnings;
    std::vector<Device> result;
    for (const CatalogEntry& entry : catalog.list(EntryKind::device, warnings)) {
      result.push_back(read_device(entry.text, entry.name + ".json"));
    }
    return result;
  }();
  return all;
}

std::optional<FlopsPerSecond> peak(const Device& device, const char* name) {
  const auto found = device.peaks.find(peak_key(name).value());
  return found == device.peaks.end() ? std::nullopt : std::optional(found->second);
}

/// Fails for each device of which `wrong` gives a text.
template <class Wrong>
void check_all(Wrong&& wrong) {
  for (const Device& device : devices()) {
    const std::string text = wrong(device);
    if (!text.empty()) FAIL_CHECK(device.name << ": " << text);
  }
  CHECK(devices().size() == 137);
}

TEST_CASE("There are 137 devices of four classes", "[spec]") {
  std::map<std::string, int> classes;
  for (const Device& device : devices()) ++classes[device.device_class];
  CHECK(devices().size() == 137);
  CHECK(classes ==
        std::map<std::string, int>{{"accelerator", 5}, {"cpu", 13}, {"gpu", 114}, {"tpu", 5}});
}

TEST_CASE("No name or alias of a device occurs twice", "[spec]") {
  std::map<std::string, std::string> owners;
  for (const Device& device : devices()) {
    Strings names = device.aliases;
    names.push_back(device.name);
    for (const std::string& name : names) {
      const auto [owner, added] = owners.emplace(normalized_name(name), device.name);
      if (!added) FAIL_CHECK(name << " names " << owner->second << " and " << device.name);
    }
  }
  CHECK(owners.size() > devices().size());
}

TEST_CASE("Every name and alias finds its device", "[spec]") {
  const Catalog catalog;
  for (const Device& device : devices()) {
    Strings names = device.aliases;
    names.push_back(device.name);
    for (const std::string& name : names) {
      INFO(name);
      CHECK(catalog.find(EntryKind::device, name).name == device.name);
    }
  }
}

TEST_CASE("Every device says what it is", "[spec]") {
  check_all([](const Device& device) -> std::string {
    if (device.vendor.empty()) return "no vendor";
    if (device.architecture.empty()) return "no architecture";
    if (device.memory_type.empty()) return "no type of memory";
    if (!device.year || *device.year < 2010 || *device.year > 2026) return "no year that is right";
    if (!device.capacity) return "no capacity";
    if (device.tdp && (*device.tdp < Watts(5) || *device.tdp > Watts(3000))) return "odd power";
    return {};
  });
}

/// Paths of the figures that `device` has.
Strings figures(const Device& device) {
  Strings paths{"memory.bandwidth"};
  for (const auto& [key, value] : device.peaks) paths.push_back("peaks." + to_string(key));
  if (!device.memory_type.empty()) paths.emplace_back("memory.type");
  if (device.capacity) paths.emplace_back("memory.capacity");
  if (device.usable) paths.emplace_back("memory.usable");
  for (const auto& [level, size] : device.caches) paths.push_back("cache." + level);
  if (device.interconnect) {
    paths.emplace_back("interconnect.name");
    if (device.interconnect->per_direction) paths.emplace_back("interconnect.per_direction");
    if (device.interconnect->total) paths.emplace_back("interconnect.total");
    if (device.interconnect->joins) paths.emplace_back("interconnect.joins");
    if (device.interconnect->hop_latency) paths.emplace_back("interconnect.hop_latency");
  }
  if (!device.pcie.empty()) paths.emplace_back("pcie");
  if (device.tdp) paths.emplace_back("tdp");
  if (device.year) paths.emplace_back("year");
  return paths;
}

TEST_CASE("Every figure of a device has its provenance", "[spec]") {
  check_all([](const Device& device) -> std::string {
    for (const std::string& path : figures(device)) {
      if (!device.provenance.contains(path)) return path + " has none";
    }
    return {};
  });
}

TEST_CASE("Provenance is of figures that are there", "[spec]") {
  check_all([](const Device& device) -> std::string {
    Strings known = figures(device);
    known.insert(known.end(), {"memory.physical", "devices_per_package"});
    for (const auto& [path, provenance] : device.provenance) {
      if (std::find(known.begin(), known.end(), path) == known.end()) return path;
    }
    return {};
  });
}

TEST_CASE("Provenance has sources that exist", "[spec]") {
  check_all([](const Device& device) -> std::string {
    std::set<int> ids;
    for (const Source& source : device.sources) {
      if (!ids.insert(source.id).second) return "two sources with one id";
      if (source.title.empty()) return "a source without a title";
      if (source.access != "read" && source.access != "cited") return "access " + source.access;
    }
    for (const auto& [path, provenance] : device.provenance) {
      const bool sure = provenance.basis == "read" || provenance.basis == "derived";
      if (!sure && provenance.basis != "unsure") return path + ": basis " + provenance.basis;
      if (sure && provenance.sources.empty()) return path + " has no source";
      for (const int id : provenance.sources) {
        if (!ids.contains(id)) return path + " names a source that is not there";
      }
    }
    return {};
  });
}

TEST_CASE("The figures that decide a verdict are never unsure on a data centre's GPUs", "[spec]") {
  for (const char* name : {"T4", "L4", "A10G", "A100", "H100", "H200", "B200", "MI300X", "L40S"}) {
    INFO(name);
    const Device device = Catalog().device(name);
    CHECK(device.provenance.at("peaks.fp16").basis != "unsure");
    CHECK(device.provenance.at("memory.bandwidth").basis != "unsure");
  }
}

TEST_CASE("GPUs have a 16-bit ridge between 5 and 1500", "[spec]") {
  check_all([](const Device& device) -> std::string {
    if (device.device_class != "gpu") return {};
    const auto fp16 = peak(device, "fp16");
    const auto bf16 = peak(device, "bf16");
    if (!fp16 && !bf16) return "no 16-bit peak";
    for (const auto& rate : {fp16, bf16}) {
      if (!rate) continue;
      const double ridge = (*rate / device.bandwidth).value();
      if (ridge < 5 || ridge > 1500) return "ridge " + std::to_string(ridge);
    }
    return {};
  });
}

TEST_CASE("Narrower types are never slower", "[spec]") {
  const auto [narrow, wide] = GENERATE(table<const char*, const char*>({
      {"fp8", "fp16"},
      {"fp8", "bf16"},
      {"fp6", "fp8"},
      {"fp4", "fp6"},
      {"fp4", "fp8"},
      {"int4", "int8"},
      {"fp16", "tf32"},
      {"fp16", "fp32"},
      {"bf16", "fp32"},
      {"tf32", "fp32"},
      {"fp32", "fp64"},
      {"fp32_matrix", "fp32"},
      {"fp64_matrix", "fp64"},
      {"fp8_accumulate_fp16", "fp8"},
  }));
  check_all([&](const Device& device) -> std::string {
    const auto fast = peak(device, narrow);
    const auto slow = peak(device, wide);
    if (!fast || !slow || *fast >= *slow) return {};
    return std::string(narrow) + " is slower than " + wide;
  });
}

TEST_CASE("Sums in fp16 are never slower but on the P40", "[spec]") {
  check_all([](const Device& device) -> std::string {
    const auto fast = peak(device, "fp16_accumulate_fp16");
    const auto standard = peak(device, "fp16");
    if (!fast || !standard || *fast >= *standard) return {};
    // Its native fp16 arithmetic runs at 1/64 of fp32, which engines use in its place.
    const bool has_reason = device.notes.find("1/64 of fp32") != std::string::npos;
    return device.name == "Tesla-P40" && has_reason ? "" : "fp16_accumulate_fp16 is slower";
  });
  const Device p40 = Catalog().device("Tesla-P40");
  CHECK(peak(p40, "fp16_accumulate_fp16") < peak(p40, "fp16"));
}

TEST_CASE("8-bit integers are slower than 16 bits on V100 and B300 only", "[spec]") {
  Strings slower;
  for (const Device& device : devices()) {
    const auto int8 = peak(device, "int8");
    const auto fp16 = peak(device, "fp16");
    if (int8 && fp16 && *int8 < *fp16) slower.push_back(device.name);
  }
  CHECK(slower == Strings{"B300-SXM-270GB", "GB300-279GB", "V100-PCIe-16GB", "V100-SXM2-16GB",
                          "V100-SXM2-32GB"});
}

TEST_CASE("GeForce cards of the Ada generation double their rate with sums in fp16", "[spec]") {
  for (const char* name : {"RTX-4060-8GB", "RTX-4070-12GB", "RTX-4080-16GB", "RTX-4090"}) {
    INFO(name);
    const Device device = Catalog().device(name);
    const double twice = 2 * peak(device, "fp16").value().value();
    CHECK(peak(device, "fp16_accumulate_fp16").value().value() == Approx(twice).epsilon(0.005));
  }
}

TEST_CASE("What a driver reports is most of the capacity and never more", "[spec]") {
  check_all([](const Device& device) -> std::string {
    if (!device.usable || !device.capacity) return {};
    if (*device.usable > *device.capacity) return "usable above capacity";
    if (*device.usable < *device.capacity * 0.9) return "usable below nine tenths of capacity";
    return {};
  });
}

TEST_CASE("Links carry as much in one direction as in both halves", "[spec]") {
  check_all([](const Device& device) -> std::string {
    if (!device.interconnect) return {};
    const auto& one = device.interconnect->per_direction;
    const auto& both = device.interconnect->total;
    if (device.interconnect->name.empty()) return "a link without a name";
    // Vendors round each of the two.
    const bool twice = !one || !both || both->value() == Approx(2 * one->value()).epsilon(0.01);
    if (!twice) return "total is not twice one direction";
    return {};
  });
}

// A bridge joins two cards but for the three links of the MI210 and the four-way bridge of H200
// NVL.
TEST_CASE("Every interconnect says how many devices it joins", "[spec]") {
  check_all([](const Device& device) -> std::string {
    if (!device.interconnect) return {};
    const auto& joins = device.interconnect->joins;
    if (!joins) return "joins any number";
    const bool bridge = device.interconnect->name.find("bridge") != std::string::npos;
    const bool of_four = device.name == "H200-NVL-141GB" || device.name == "MI210-64GB";
    if (bridge) return *joins == (of_four ? 4 : 2) ? "" : "a bridge of an odd number";
    return *joins >= 4 ? "" : "joins too few";
  });
}

/// A year, a year and month, or a day.
bool is_date(const std::string& text) {
  const std::string form = std::string("dddd-dd-dd").substr(0, text.size());
  const bool length = text.size() == 4 || text.size() == 7 || text.size() == 10;
  return length && std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
           return f == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == f;
         });
}

TEST_CASE("Prices have a date and a source and are plausible", "[spec]") {
  int prices = 0;
  check_all([&](const Device& device) -> std::string {
    for (const Price& price : device.prices) {
      ++prices;
      if (!is_date(price.as_of)) return "date " + price.as_of;
      if (!price.source.starts_with("https://")) return "source " + price.source;
      if (price.provider.empty()) return "no provider";
      const double dollars = price.per_hour.value();
      if (dollars < 0.01 || dollars > 50) return "price " + std::to_string(dollars);
    }
    return {};
  });
  CHECK(prices > 0);
}

TEST_CASE("An A10G does 70 TFLOP/s and its notes tell of the 125 of an A10", "[spec]") {
  const Device device = Catalog().device("A10G");
  CHECK(peak(device, "fp16") == FlopsPerSecond(70e12));
  CHECK(peak(device, "bf16") == FlopsPerSecond(70e12));
  CHECK_THAT(device.notes, Catch::Contains("125") && Catch::Contains("A10's"));
  CHECK(peak(Catalog().device("A10"), "fp16") == FlopsPerSecond(125e12));
}

TEST_CASE("Well-known devices have the figures of their data sheets", "[spec]") {
  // Dense rates: half of what is printed with sparsity.
  struct Row {
    const char* name;
    const char* type;
    double tera;
    double gb_per_s;
    double gibibytes;
  };
  const Row row = GENERATE(
      Row{"T4", "fp16", 65, 320, 16}, Row{"L4", "fp16", 121, 300, 24},
      Row{"A10G", "fp16", 70, 600, 24}, Row{"A10", "fp16", 125, 600, 24},
      Row{"A100-SXM-40GB", "bf16", 312, 1555, 40}, Row{"A100-SXM-80GB", "bf16", 312, 2039, 80},
      Row{"A100-PCIe-80GB", "bf16", 312, 1935, 80}, Row{"A30", "bf16", 165, 933, 24},
      Row{"V100-SXM2-32GB", "fp16", 125, 900, 32}, Row{"L40S", "bf16", 362, 864, 48},
      Row{"H100-SXM5-80GB", "bf16", 989.4, 3350, 80}, Row{"H100-SXM5-80GB", "fp8", 1979, 3350, 80},
      Row{"H100-NVL-94GB", "bf16", 835.5, 3900, 94},
      Row{"H200-SXM-141GB", "bf16", 989.4, 4800, 141}, Row{"H20-96GB", "bf16", 148, 4000, 96},
      Row{"B200", "bf16", 2250, 7700, 180}, Row{"MI300X", "bf16", 1307.4, 5300, 192},
      Row{"MI325X", "fp8", 2614.9, 6000, 256}, Row{"MI355X", "bf16", 2500, 8000, 288},
      Row{"RTX-3090", "fp16", 71, 936, 24}, Row{"RTX-4090", "fp16", 165.2, 1008, 24},
      Row{"RTX-5090", "fp16", 209.5, 1792, 32}, Row{"TPU-v5e", "bf16", 197, 819, 16},
      Row{"TPU-v5p", "bf16", 459, 2765, 95}, Row{"TPU-v6e", "bf16", 918, 1640, 32},
      Row{"Gaudi3-128GB", "bf16", 1835, 3700, 128}, Row{"Apple-M2-Ultra", "fp32", 27.2, 800, 192});
  CAPTURE(row.name, row.type);
  const Device device = Catalog().device(row.name);
  // Sheets round to three digits.
  CHECK(peak(device, row.type).value().value() == Approx(row.tera * 1e12).epsilon(0.01));
  CHECK(device.bandwidth.value() == Approx(row.gb_per_s * 1e9).epsilon(0.01));
  CHECK(device.capacity.value() == Bytes(row.gibibytes * 1'073'741'824));
}

}  // namespace
}  // namespace roofline
