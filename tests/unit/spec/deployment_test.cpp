// Links between devices: their rates, what they span, and what is said where none does.
#include "roofline/deployment.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

Device device_with_pcie(const std::string& pcie, const std::string& device_class = "gpu") {
  Device device;
  device.name = "X";
  device.device_class = device_class;
  device.pcie = pcie;
  return device;
}

Device device_with_links() {
  Device device = device_with_pcie("4.0 x16");
  device.interconnect = Interconnect{.name = "Bridge",
                                     .per_direction = BytesPerSecond(300e9),
                                     .joins = 2,
                                     .hop_latency = Seconds(2e-6)};
  return device;
}

Diagnostic refusal(const Device& device, std::int64_t group) {
  try {
    (void)link_spanning(device, group);
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

}  // namespace

TEST_CASE("A deployment names the ways that are not 1", "[spec]") {
  const auto [deployment, text] = GENERATE(table<Deployment, std::string>({
      {Deployment{}, ""},
      {Deployment{.tensor = 4}, ", tp 4"},
      {Deployment{.tensor = 4, .pipeline = 2}, ", tp 4, pp 2"},
      {Deployment{.tensor = 2, .pipeline = 3, .expert = 10, .data = 5},
       ", tp 2, pp 3, ep 10, dp 5"},
  }));
  CHECK(to_string(deployment) == text);
}

// 2.0: 5 GT/s, 8 of 10 bits; 3.0 to 5.0: 8, 16, 32 GT/s, 128 of 130 bits; 6.0: 64 GT/s, 242 of 256
// bytes of a flit. 16 lanes of 3.0: 8e9 x 16 x 128/130 / 8 = 15.754 GB/s.
TEST_CASE("PCIe has its lanes' rate after line coding", "[spec]") {
  const auto [pcie, name, rate] = GENERATE(table<std::string, std::string, double>({
      {"2.0 x1", "PCIe 2.0 x1", 0.5e9},
      {"3.0 x16", "PCIe 3.0 x16", 15.753846153846154e9},
      {"4.0 x8", "PCIe 4.0 x8", 15.753846153846154e9},
      {"4.0 x16 (board)", "PCIe 4.0 x16", 31.507692307692307e9},
      {"5.0 x16", "PCIe 5.0 x16", 63.015384615384616e9},
      {"5.0 x128", "PCIe 5.0 x128", 504.12307692307695e9},
      {"6.0 x16", "PCIe 6.0 x16", 121e9},
  }));
  CAPTURE(pcie);
  const std::optional<Link> link = pcie_link(device_with_pcie(pcie));
  REQUIRE(link);
  CHECK(link->name == name);
  CHECK(link->per_direction.value() == Approx(rate).epsilon(1e-12));
  CHECK_FALSE(link->joins);
  CHECK_FALSE(link->hop_latency);
}

TEST_CASE("PCIe of unknown generation or lanes is no link", "[spec]") {
  const std::string pcie = GENERATE("", "5.0", "5.0 ", "5.0 x", "5.0 x0", "5.0 16", "9.0 x16",
                                    "x16", "5.0 x16y", "5 x16");
  CAPTURE(pcie);
  CHECK_FALSE(pcie_link(device_with_pcie(pcie)));
  CHECK(links_of(device_with_pcie(pcie)).empty());
}

TEST_CASE("The lanes of a CPU lead to no other CPU", "[spec]") {
  CHECK(links_of(device_with_pcie("5.0 x128", "cpu")).empty());
  CHECK(links_of(device_with_pcie("5.0 x128", "accelerator")).size() == 1);
}

TEST_CASE("Links are the interconnect and then PCIe", "[spec]") {
  const std::vector<Link> links = links_of(device_with_links());
  REQUIRE(links.size() == 2);
  CHECK(links[0] == Link{.name = "Bridge",
                         .per_direction = BytesPerSecond(300e9),
                         .joins = 2,
                         .hop_latency = Seconds(2e-6)});
  CHECK(links[1].name == "PCIe 4.0 x16");
}

TEST_CASE("An interconnect without a rate is no link", "[spec]") {
  Device device = device_with_links();
  device.interconnect->per_direction.reset();
  REQUIRE(links_of(device).size() == 1);
  CHECK(link_spanning(device, 2).name == "PCIe 4.0 x16");
}

TEST_CASE("A group takes the first link that joins it", "[spec]") {
  Device device = device_with_links();
  CHECK(link_spanning(device, 2).name == "Bridge");
  CHECK(link_spanning(device, 3).name == "PCIe 4.0 x16");
  CHECK(link_spanning(device, 10000).name == "PCIe 4.0 x16");
  device.interconnect->joins.reset();
  CHECK(link_spanning(device, 10000).name == "Bridge");
}

TEST_CASE("A group that no link joins is refused with the links that there are", "[spec]") {
  Device device = device_with_links();
  device.pcie.clear();
  CHECK(refusal(device, 16) == Diagnostic{.what = "16 x X have no link that is known",
                                          .why = "Bridge joins 2; PCIe is not known",
                                          .fix = "--link 50GB/s"});
  device.interconnect->per_direction.reset();
  CHECK(refusal(device, 2).why == "the rate of Bridge is not known; PCIe is not known");
  device.interconnect.reset();
  CHECK(refusal(device, 2).why == "neither an interconnect nor PCIe is known");
  device.pcie = "5.0";
  CHECK(refusal(device, 2).why == "the rate of PCIe '5.0' is not known");
  CHECK(refusal(device_with_pcie("5.0 x128", "cpu"), 2).why ==
        "what joins the CPUs of a server is not known");
}

TEST_CASE("The link that the refusal proposes joins any group", "[spec]") {
  Device device = device_with_pcie("", "cpu");
  CHECK(refusal(device, 64).fix == "--link 50GB/s");
  const Device given = with_overrides(device, {.link = BytesPerSecond(50e9)});
  CHECK(link_spanning(given, 64) ==
        Link{.name = "the given link", .per_direction = BytesPerSecond(50e9)});
}

// Boards of 8 have NVLink, 16 cards PCIe 5.0; a rack of 72 has NVLink throughout.
TEST_CASE("Built-in devices span groups as their systems do", "[spec]") {
  const auto [name, group, link, rate] =
      GENERATE(table<std::string, std::int64_t, std::string, double>({
          {"H100", 8, "NVLink 4", 450e9},
          {"H100", 16, "PCIe 5.0 x16", 63.015384615384616e9},
          {"A100-PCIe-80GB", 2, "NVLink 3 bridge", 300e9},
          {"A100-PCIe-80GB", 4, "PCIe 4.0 x16", 31.507692307692307e9},
          {"H200-NVL", 4, "NVLink 4 bridge (2- or 4-way)", 450e9},
          {"GB200", 72, "NVLink 5", 900e9},
          {"MI300X", 8, "Infinity Fabric 4 (7 links)", 448e9},
          {"L4", 2, "PCIe 4.0 x16", 31.507692307692307e9},
          {"TPU-v5e", 256, "ICI 2D torus", 200e9},
      }));
  CAPTURE(name);
  const Link found = link_spanning(Catalog().device(name), group);
  CHECK(found.name == link);
  CHECK(found.per_direction.value() == Approx(rate).epsilon(1e-12));
}

TEST_CASE("More TPUs than a pod has are refused", "[spec]") {
  CHECK(refusal(Catalog().device("TPU-v5e"), 512).why ==
        "ICI 2D torus joins 256; PCIe is not known");
}
