// Reading a device: every field, the least that is needed, refusals with their place, overrides.
#include "roofline/device.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Strings = std::vector<std::string>;

Device read(const std::string& text) {
  return read_device(text, "mine.json");
}

Diagnostic refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 1);
    return error.diagnostics().front();
  }
  FAIL_CHECK("no error for " << text);
  return {};
}

TEST_CASE("Peaks have names and names have peaks", "[spec]") {
  using enum MatrixType;
  using Unit = PeakKey::Unit;
  const auto [name, key] = GENERATE(table<std::string, PeakKey>({
      {"fp64", {fp64, Unit::standard}},
      {"fp64_matrix", {fp64, Unit::matrix}},
      {"fp32", {fp32, Unit::standard}},
      {"fp32_matrix", {fp32, Unit::matrix}},
      {"tf32", {tf32, Unit::standard}},
      {"bf16", {bf16, Unit::standard}},
      {"fp16", {fp16, Unit::standard}},
      {"fp16_accumulate_fp16", {fp16, Unit::accumulate_fp16}},
      {"fp8", {fp8, Unit::standard}},
      {"fp8_accumulate_fp16", {fp8, Unit::accumulate_fp16}},
      {"fp6", {fp6, Unit::standard}},
      {"fp4", {fp4, Unit::standard}},
      {"int8", {int8, Unit::standard}},
      {"int4", {int4, Unit::standard}},
  }));
  CHECK(to_string(key) == name);
  CHECK(peak_key(name) == key);
  CHECK_THAT(peak_names(), Catch::VectorContains(name));
  CHECK(peak_names().size() == 14);
}

TEST_CASE("Other words name no peak", "[spec]") {
  const std::string name = GENERATE("", "FP16", "fp16 ", "fp16_matrix", "int8_accumulate_fp16",
                                    "bf16_accumulate_fp16", "fp8_matrix", "fp17");
  INFO(name);
  CHECK_FALSE(peak_key(name));
}

TEST_CASE("A device needs a name and a peak and a bandwidth", "[spec]") {
  const Device device = read(
      R"({"name": "mine", "peaks": {"fp16": "65 TFLOP/s"}, "memory": {"bandwidth": "320 GB/s"}})");
  Device expected;
  expected.name = "mine";
  expected.peaks[{.type = MatrixType::fp16}] = FlopsPerSecond(65e12);
  expected.bandwidth = BytesPerSecond(320e9);
  CHECK(device == expected);
}

TEST_CASE("Every field of a device is read", "[spec]") {
  const Device device = read(R"({
    "name": "X100", "aliases": ["x", "the X"], "class": "gpu", "vendor": "V",
    "architecture": "A-B", "year": 2024,
    "peaks": {"bf16": "1.5 PFLOP/s", "int8": "3000 TOP/s", "fp64_matrix": "500GFLOP/s"},
    "memory": {"type": "HBM9", "bandwidth": "8 TB/s", "capacity": "96 GiB",
               "capacity_printed_as": "GB", "usable": "97000 MiB", "physical": "100 GiB",
               "configurable": true},
    "cache": {"l2": "50 MiB", "sram": "1 GiB"},
    "interconnect": {"name": "Link", "per_direction": "450 GB/s", "total": "900 GB/s",
                     "joins": 8, "hop_latency": "1.5 us"},
    "pcie": "5.0 x16", "tdp": "700 W", "tdp_is_estimate": true, "devices_per_package": 2,
    "prices": [{"usd_per_hour": 2.5, "as_of": "2025-01-02", "provider": "P", "tier": "spot",
                "note": "n", "source": "https://example.org"}],
    "measured": [{"dtype": "bf16", "rate": "1 PFLOP/s"}],
    "vendor_prints": "dense", "notes": "some",
    "sources": [{"id": 1, "title": "T", "url": "https://example.org", "access": "read",
                 "note": "m"}, {"id": 2, "title": "U"}],
    "provenance": {"peaks.bf16": {"basis": "read", "sources": [1, 2]},
                   "year": {"basis": "unsure", "sources": []}}
  })");
  CHECK(device.name == "X100");
  CHECK(device.aliases == Strings{"x", "the X"});
  CHECK(device.device_class == "gpu");
  CHECK(device.vendor == "V");
  CHECK(device.architecture == "A-B");
  CHECK(device.year == 2024);
  CHECK(device.peaks.size() == 3);
  CHECK(device.peaks.at({.type = MatrixType::bf16}) == FlopsPerSecond(1.5e15));
  CHECK(device.peaks.at({.type = MatrixType::int8}) == FlopsPerSecond(3e15));
  CHECK(device.peaks.at({.type = MatrixType::fp64, .unit = PeakKey::Unit::matrix}) ==
        FlopsPerSecond(5e11));
  CHECK(device.memory_type == "HBM9");
  CHECK(device.bandwidth == BytesPerSecond(8e12));
  CHECK(device.capacity == Bytes(103'079'215'104));
  CHECK(device.usable == Bytes(101'711'872'000));
  CHECK(device.capacity_configurable);
  CHECK(device.caches == std::vector<std::pair<std::string, Bytes>>{
                             {"l2", Bytes(52'428'800)}, {"sram", Bytes(1'073'741'824)}});
  CHECK(device.interconnect == Interconnect{.name = "Link",
                                            .per_direction = BytesPerSecond(450e9),
                                            .total = BytesPerSecond(900e9),
                                            .joins = 8,
                                            .hop_latency = Seconds(1.5e-6)});
  CHECK(device.pcie == "5.0 x16");
  CHECK(device.tdp == Watts(700));
  CHECK(device.tdp_is_estimate);
  CHECK(device.prices == std::vector<Price>{{.per_hour = DollarsPerHour(2.5),
                                             .as_of = "2025-01-02",
                                             .provider = "P",
                                             .tier = "spot",
                                             .note = "n",
                                             .source = "https://example.org"}});
  CHECK(device.notes == "some");
  CHECK(device.sources ==
        std::vector<Source>{
            {.id = 1, .title = "T", .url = "https://example.org", .access = "read", .note = "m"},
            {.id = 2, .title = "U", .url = "", .access = "", .note = ""}});
  CHECK(device.provenance.size() == 2);
  CHECK(device.provenance.at("peaks.bf16") == Provenance{.basis = "read", .sources = {1, 2}});
  CHECK(device.provenance.at("year") == Provenance{.basis = "unsure", .sources = {}});
}

TEST_CASE("A null is the same as absent", "[spec]") {
  const Device device = read(R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "tdp": null,
    "memory": {"bandwidth": "1 GB/s", "capacity": null}})");
  CHECK_FALSE(device.tdp);
  CHECK_FALSE(device.capacity);
}

TEST_CASE("What a device gets wrong is named", "[spec]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {R"({"peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"}})", "needs 'name'"},
      {R"({"name": "x", "memory": {"bandwidth": "1 GB/s"}})", "needs 'peaks'"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}})", "needs 'memory'"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {}})",
       "'memory': needs 'bandwidth'"},
      {R"({"name": "x", "peaks": {}, "memory": {"bandwidth": "1 GB/s"}})",
       "'peaks': needs at least one peak"},
      {R"({"name": "x", "peaks": {"fp17": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"}})",
       "'fp17': unknown peak"},
      {R"({"name": "x", "peaks": {"fp16": 65e12}, "memory": {"bandwidth": "1 GB/s"}})",
       "'fp16': expected a string with a unit, found a number"},
      {R"({"name": 7, "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"}})",
       "'name': expected a string, found a number"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"},
           "memory": {"bandwidth": "1 GB/s", "capacty": "1 GB"}})",
       "'capacty': unknown key"},
      {R"({"name": "x", "peak": {}, "memory": {"bandwidth": "1 GB/s"}})", "'peak': unknown key"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "prices": [{"usd_per_hour": 0}]})",
       "'usd_per_hour': 0 must be more than 0"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "year": 2024.5})",
       "'year': 2024.5 is not a whole number"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "interconnect": {"speed": "1 GB/s"}})",
       "'speed': unknown key"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "interconnect": {"joins": 1}})",
       "'joins': 1 is out of range"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "interconnect": {"hop_latency": "2"}})",
       "'hop_latency': '2' has no unit"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "cache": {"l3": "1 MiB"}})",
       "'l3': unknown key"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "class": "gpus"})",
       "'class': 'gpus' is none of gpu, tpu, accelerator, cpu"},
      {R"({"name": "x", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"},
           "provenance": {"year": {"basis": "guess"}}})",
       "'basis': 'guess' is none of read, derived, unsure"},
      {R"({"name": " ", "peaks": {"fp16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"}})",
       "'name': is empty"},
  }));
  CHECK(refusal(text).what == what);
}

TEST_CASE("An amount in place of a rate is refused at its place", "[spec]") {
  const Diagnostic bandwidth = refusal(
      "{\n  \"name\": \"x\",\n  \"peaks\": {\"fp16\": \"1 TFLOP/s\"},\n"
      "  \"memory\": {\"bandwidth\": \"3.35 TB\"}\n}");
  CHECK(bandwidth.where == "mine.json:4:27");
  CHECK(bandwidth.what == "'bandwidth': '3.35 TB' is an amount, not a rate");
}

TEST_CASE("An unknown peak is met with the known ones", "[spec]") {
  const Diagnostic peak = refusal(
      R"({"name": "x", "peaks": {"pf16": "1 TFLOP/s"}, "memory": {"bandwidth": "1 GB/s"}})");
  CHECK(peak.where == "mine.json:1:33");
  CHECK(peak.why ==
        "peaks are dense rates, one of: fp64, fp64_matrix, fp32, fp32_matrix, tf32, bf16, fp16, "
        "fp16_accumulate_fp16, fp8, fp8_accumulate_fp16, fp6, fp4, int8, int4");
  CHECK_THAT(peak.suggestions, Catch::VectorContains(std::string("fp16")));
}

TEST_CASE("Overrides take the place of a device's figures", "[spec]") {
  const Device before = read(R"({"name": "x",
    "peaks": {"fp16": "65 TFLOP/s", "int8": "130 TOP/s"},
    "memory": {"bandwidth": "320 GB/s", "capacity": "16 GiB", "usable": "15360 MiB"}})");
  CHECK(with_overrides(before, {}) == before);

  DeviceOverrides overrides;
  overrides.peaks[{.type = MatrixType::fp16}] = FlopsPerSecond(1e12);
  overrides.peaks[{.type = MatrixType::fp8}] = FlopsPerSecond(2e12);
  overrides.bandwidth = BytesPerSecond(3e9);
  overrides.memory = Bytes(4e9);
  Device expected = before;
  expected.peaks = {{{.type = MatrixType::fp16}, FlopsPerSecond(1e12)},
                    {{.type = MatrixType::fp8}, FlopsPerSecond(2e12)},
                    {{.type = MatrixType::int8}, FlopsPerSecond(130e12)}};
  expected.given_peaks = {{.type = MatrixType::fp16}, {.type = MatrixType::fp8}};
  expected.bandwidth = BytesPerSecond(3e9);
  expected.usable = Bytes(4e9);
  CHECK(with_overrides(before, overrides) == expected);
}

TEST_CASE("A given link takes the interconnect's place and joins any number", "[spec]") {
  Device before;
  before.pcie = "4.0 x16";
  before.interconnect = Interconnect{.name = "Bridge",
                                     .per_direction = BytesPerSecond(300e9),
                                     .total = BytesPerSecond(600e9),
                                     .joins = 2,
                                     .hop_latency = Seconds(1e-6)};
  Device expected = before;
  expected.interconnect =
      Interconnect{.name = "the given link", .per_direction = BytesPerSecond(50e9)};
  CHECK(with_overrides(before, {.link = BytesPerSecond(50e9)}) == expected);

  expected.interconnect->hop_latency = Seconds(3e-6);
  expected.pcie_hop_latency = Seconds(3e-6);
  CHECK(with_overrides(before, {.link = BytesPerSecond(50e9), .link_latency = Seconds(3e-6)}) ==
        expected);
}

TEST_CASE("A given latency is that of every link", "[spec]") {
  Device device;
  device.pcie = "4.0 x16";
  device = with_overrides(device, {.link_latency = Seconds(3e-6)});
  CHECK_FALSE(device.interconnect);
  CHECK(link_spanning(device, 2).hop_latency == Seconds(3e-6));

  device.interconnect = Interconnect{.name = "Bridge",
                                     .per_direction = BytesPerSecond(300e9),
                                     .joins = 2,
                                     .hop_latency = Seconds(1e-6)};
  device = with_overrides(device, {.link_latency = Seconds(5e-6)});
  CHECK(link_spanning(device, 2).hop_latency == Seconds(5e-6));
  CHECK(link_spanning(device, 4).hop_latency == Seconds(5e-6));
  CHECK(device.interconnect->per_direction == BytesPerSecond(300e9));
}

Price price(double dollars, const char* date, const char* tier) {
  Price result;
  result.per_hour = DollarsPerHour(dollars);
  result.as_of = date;
  result.tier = tier;
  return result;
}

TEST_CASE("The usual price is the newest on demand and of those the lowest", "[spec]") {
  using Prices = std::vector<Price>;
  const auto [prices, dollars] = GENERATE(table<Prices, double>({
      {{price(3, "2025-01-01", "on-demand")}, 3},
      {{price(1, "2025-01-01", "on-demand"), price(3, "2026-01-01", "on-demand")}, 3},
      {{price(3, "2026-01-01", "on-demand"), price(1, "2025-01-01", "on-demand")}, 3},
      {{price(3, "2026-01-01", "on-demand"), price(2, "2026-01-01", "on-demand (per second)")}, 2},
      {{price(3, "2026-06", "on-demand"), price(4, "2026-06-01", "on-demand")}, 4},
      {{price(3, "2026-06", "on-demand"), price(4, "", "on-demand")}, 3},
      {{price(1, "2026-12-31", "spot"), price(3, "2025-01-01", "on-demand")}, 3},
      {{price(1, "2026-12-31", "not on-demand"), price(3, "2025-01-01", "on-demand")}, 3},
      {{price(1, "2025-12-31", "spot"), price(2, "2026-01-01", "reserved")}, 2},
      {{price(2, "2026-01-01", ""), price(1, "2026-01-01", "spot")}, 1},
  }));
  Device device;
  device.prices = prices;
  REQUIRE(usual_price(device) != nullptr);
  CHECK(usual_price(device)->per_hour == DollarsPerHour(dollars));
}

TEST_CASE("A device without prices has no usual one", "[spec]") {
  CHECK(usual_price(Device{}) == nullptr);
}

}  // namespace
}  // namespace roofline
