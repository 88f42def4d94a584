// What crosses links in a step: which link a group takes, bytes and hops of rings, of experts'
// exchanges and of boundaries, and the step's times with them.
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/catalog.hpp"
#include "roofline/error.hpp"
#include "roofline/small_inputs.hpp"
#include "roofline/timing.hpp"

namespace roofline {
namespace {

constexpr double bridge = 50e9;
constexpr double pcie_4_x16 = 16e9 * 16 * 128 / 130 / 8;

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// Pairs are bridged at 50 GB/s; PCIe 4.0 joins all at 31.5 GB/s.
Device bridged() {
  Device device = device_with({{"fp16", 1e12}});
  device.device_class = "gpu";
  device.interconnect.emplace();
  device.interconnect->name = "Bridge";
  device.interconnect->per_direction = BytesPerSecond(bridge);
  device.interconnect->joins = 2;
  device.pcie = "4.0 x16";
  return device;
}

Device switched() {
  Device device = bridged();
  device.interconnect->joins.reset();
  return device;
}

bool mentions(const std::vector<std::string>& notes, const std::string& text) {
  for (const std::string& note : notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

double rate(const std::optional<Link>& link) {
  return link ? link->per_direction.value() : 0;
}

TEST_CASE("A group takes the first link that spans it", "[roofline]") {
  // A boundary of a pipeline may join any two of its devices.
  const auto [deployment, tensor, expert, pipeline] =
      GENERATE(table<Deployment, double, double, double>({
          {{}, 0, 0, 0},
          {{.data = 4}, 0, 0, 0},
          {{.tensor = 2}, bridge, 0, 0},
          {{.tensor = 2, .data = 8}, bridge, 0, 0},
          {{.tensor = 4}, pcie_4_x16, 0, 0},
          {{.pipeline = 2}, 0, 0, bridge},
          {{.pipeline = 3}, 0, 0, pcie_4_x16},
          {{.tensor = 2, .pipeline = 2}, bridge, 0, pcie_4_x16},
          {{.tensor = 2, .expert = 2}, bridge, 0, 0},  // within the group: its rings do it
          {{.expert = 2, .data = 2}, 0, bridge, 0},
          {{.tensor = 2, .expert = 4, .data = 2}, bridge, pcie_4_x16, 0},
      }));
  CAPTURE(to_string(deployment));
  const Network network = choose_network(bridged(), deployment);
  CHECK(rate(network.tensor) == near(tensor));
  CHECK(rate(network.expert) == near(expert));
  CHECK(rate(network.pipeline) == near(pipeline));
  const bool slower = tensor == pcie_4_x16 || expert == pcie_4_x16 || pipeline == pcie_4_x16;
  CHECK(mentions(network.notes, "Bridge") == slower);
  CHECK(mentions(network.notes, "PCIe") == slower);
}

TEST_CASE("A switch joins any number", "[roofline]") {
  const Network network =
      choose_network(switched(), {.tensor = 16, .pipeline = 4, .expert = 32, .data = 2});
  CHECK(rate(network.tensor) == bridge);
  CHECK(rate(network.expert) == bridge);
  CHECK(rate(network.pipeline) == bridge);
  CHECK_FALSE(mentions(network.notes, "PCIe"));
}

TEST_CASE("A group without a link is refused and a single device needs none", "[roofline]") {
  Device device = bridged();
  device.pcie.clear();
  CHECK_NOTHROW(choose_network(device, {.tensor = 2}));
  CHECK_THROWS_AS(choose_network(device, {.tensor = 4}), Error);
  CHECK_THROWS_AS(choose_network(device, {.tensor = 2, .pipeline = 2}), Error);
  CHECK_THROWS_AS(choose_network(device, {.tensor = 2, .expert = 4, .data = 2}), Error);
  device.interconnect.reset();
  CHECK_THROWS_AS(choose_network(device, {.tensor = 2}), Error);
  CHECK_NOTHROW(choose_network(device, {}));
  CHECK_NOTHROW(choose_network(device, {.data = 8}));
  DeviceOverrides given;
  given.link = BytesPerSecond(7e9);
  CHECK(rate(choose_network(with_overrides(device, given), {.tensor = 64}).tensor) == 7e9);
}

TEST_CASE("A latency is that of the link that is used", "[roofline]") {
  CHECK_FALSE(choose_network(bridged(), {.tensor = 2}).tensor->hop_latency);
  CHECK(choose_network(bridged(), {}).notes.empty());
  CHECK(choose_network(bridged(), {.data = 2}).notes.empty());
  DeviceOverrides known;
  known.link_latency = Seconds(2e-6);
  const Network network = choose_network(with_overrides(bridged(), known), {.tensor = 4});
  CHECK(network.tensor->hop_latency == Seconds(2e-6));
}

/// h 64 in 16 bits. 3 layers of attention and MLP, 2 of a state alone, 4 of experts alone: rings
/// sum up 3 x 2 + 2 + 4 outputs.
Model mixed_model() {
  Model model = model_of(some_attention, Mlp{.width = 128});
  model.layers[0].count = 3;
  LayerGroup states;
  states.count = 2;
  states.mixer = LinearAttention{.heads = 4, .head_dim = 16};
  LayerGroup experts;
  experts.count = 4;
  experts.feed_forward = Experts{.count = 8, .per_token = 2, .width = 32};
  model.layers.push_back(states);
  model.layers.push_back(experts);
  return model;
}

Link link_of(double per_direction, double hop) {
  return {.name = "L",
          .per_direction = BytesPerSecond(per_direction),
          .joins = {},
          .hop_latency = Seconds(hop)};
}

/// 7 tokens: 896 bytes of hidden state.
NetworkLoad load_of(const Deployment& deployment, const Network& network) {
  const Step step{.groups = {{.count = 2, .new_tokens = 1, .cached_tokens = 9},
                             {.count = 1, .new_tokens = 5, .cached_tokens = 3}}};
  return network_load(mixed_model(), step, all_in(plain_format(MatrixType::fp16)), deployment,
                      network);
}

TEST_CASE("Rings run once for each mixer and each feed-forward", "[roofline]") {
  const auto [tp, bytes, hops] = GENERATE(table<std::int64_t, double, double>({
      {2, 896.0 * 1 * 12, 24},
      {4, 896.0 * 1.5 * 12, 72},
      {8, 896.0 * 1.75 * 12, 168},
  }));
  CAPTURE(tp);
  Network network;
  network.tensor = link_of(1000, 0.125);
  const NetworkLoad load = load_of({.tensor = tp}, network);
  CHECK(load.all_reduce == Bytes(bytes));
  CHECK(load.exchange == Bytes(0));
  CHECK(load.boundary == Bytes(0));
  CHECK(load.bandwidth.value() == near(bytes / 1000));
  CHECK(load.latency == Seconds(hops / 8));
}

TEST_CASE("Replicas exchange tokens with experts twice in each of their layers", "[roofline]") {
  // 2 (N - 1)/N T k h a / tp in 4 layers: 2 x 896 x 2 x 4 = 14336 before the two shares.
  const auto [tp, ep, bytes] = GENERATE(table<std::int64_t, std::int64_t, double>({
      {1, 2, 14'336.0 / 2},
      {1, 8, 14'336.0 * 7 / 8},
      {4, 8, 14'336.0 * 7 / 8 / 4},
  }));
  CAPTURE(tp, ep);
  Network network;
  if (tp > 1) network.tensor = link_of(1e300, 0);
  network.expert = link_of(500, 0.25);
  const NetworkLoad load = load_of({.tensor = tp, .expert = ep, .data = ep / tp}, network);
  CHECK(load.exchange == Bytes(bytes));
  CHECK(load.bandwidth.value() == near(bytes / 500));
  CHECK(load.latency == Seconds(2 * 4 * 0.25));  // dispatch and combine: a hop each
}

TEST_CASE("Hidden states cross each boundary of a pipeline", "[roofline]") {
  Network network;
  network.pipeline = link_of(100, 0.5);
  const NetworkLoad load = load_of({.pipeline = 3}, network);
  CHECK(load.boundary == Bytes(2 * 896));
  CHECK(load.bytes() == Bytes(2 * 896));
  CHECK(load.bandwidth.value() == near(17.92));
  CHECK(load.latency == Seconds(1));
}

TEST_CASE("All bytes go over their own links one after another", "[roofline]") {
  Network network;
  network.tensor = link_of(1000, 0.125);
  network.expert = link_of(500, 0.25);
  network.pipeline = link_of(100, 0.5);
  const NetworkLoad load = load_of({.tensor = 4, .pipeline = 3, .expert = 8, .data = 2}, network);
  CHECK(load.all_reduce == Bytes(16'128));
  CHECK(load.exchange == Bytes(3136));
  CHECK(load.boundary == Bytes(1792));
  CHECK(load.bytes() == Bytes(21'056));
  CHECK(load.bandwidth.value() == near(16.128 + 6.272 + 17.92));
  CHECK(load.latency == Seconds(9 + 2 + 1));
}

TEST_CASE("Nothing crosses where nothing is shared", "[roofline]") {
  CHECK(load_of({}, {}) == NetworkLoad{});
  CHECK(load_of({.data = 4}, {}) == NetworkLoad{});
}

TEST_CASE("A latency that is not known is not counted", "[roofline]") {
  Network network;
  network.tensor = link_of(1000, 1);
  network.tensor->hop_latency.reset();
  const NetworkLoad load = load_of({.tensor = 2}, network);
  CHECK(load.latency == Seconds(0));
  CHECK(load.bandwidth.value() == near(10.752));
}

TEST_CASE("Llama 3 70B on 8 H100 moves 4.6 MB a token through NVLink", "[roofline]") {
  // 160 rings of 2 x 7/8 x 8192 x 2 bytes: 4,587,520; at 450 GB/s 10.19 us a sequence.
  const Network network = choose_network(Catalog().device("H100"), {.tensor = 8});
  const NetworkLoad load =
      network_load(Catalog().model("llama-3-70b"), decode_step(32, 2048),
                   all_in(plain_format(MatrixType::fp16)), {.tensor = 8}, network);
  CHECK(load.all_reduce == Bytes(4'587'520.0 * 32));
  CHECK(load.bandwidth.value() == near(4'587'520.0 * 32 / 450e9));
}

/// 40 FLOP, 20 bytes, 5 bytes of activations at 10 FLOP/s and 10 B/s: 4 s, 2 s, serial 4 s.
StepTime time_with(Seconds network, Seconds latency) {
  Operator op;
  op.operands = Operands::weights;
  op.flops = Flops(40);
  op.weights = Bytes(20);
  op.activations = Bytes(5);
  Rates rates;
  for (const Part part : all_parts) rates.weights[part].peak = FlopsPerSecond(10);
  NetworkLoad load;
  load.all_reduce = Bytes(77);
  load.bandwidth = network;
  load.latency = latency;
  return time_step(std::vector{op}, rates, BytesPerSecond(10), load);
}

TEST_CASE("The network overlaps in the roofline time and adds up in the serial time",
          "[roofline]") {
  const auto [network, roofline, verdict] = GENERATE(table<double, double, Verdict>({
      {0, 4, Verdict::compute_bound},
      {3, 4, Verdict::compute_bound},
      {4, 4, Verdict::compute_bound},
      {7, 7, Verdict::network_bound},
  }));
  CAPTURE(network);
  const StepTime time = time_with(Seconds(network), Seconds(16));
  CHECK(time.compute == Seconds(4));
  CHECK(time.memory == Seconds(2));
  CHECK(time.network == Seconds(network));
  CHECK(time.roofline == Seconds(roofline));
  CHECK(time.serial == Seconds(4 + network + 16));
  CHECK(time.verdict() == verdict);
  CHECK(time.load.bytes() == Bytes(77));
  CHECK(time.compulsory() == Bytes(20));
}

TEST_CASE("Each verdict has its name", "[roofline]") {
  CHECK(to_string(Verdict::network_bound) == "network-bound");
  CHECK(to_string(Verdict::memory_bound) == "memory-bound");
  CHECK(to_string(Verdict::compute_bound) == "compute-bound");
}

}  // namespace
}  // namespace roofline
