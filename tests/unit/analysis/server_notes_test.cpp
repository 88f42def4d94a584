// What fit, serve and solve share: notes, prices, and what they refuse of a server.
#include "analysis/server_notes.hpp"

#include <catch2/catch.hpp>

#include "analysis/routed_experts.hpp"
#include "analysis/server_price.hpp"
#include "analysis/serving_inputs.hpp"
#include "roofline/error.hpp"
#include "roofline/fit.hpp"
#include "roofline/solve.hpp"

namespace roofline {
namespace {

using Notes = std::vector<std::string>;

const Price listed{.per_hour = DollarsPerHour(2.5),
                   .as_of = "2026-01-31",
                   .provider = "Someone",
                   .tier = "on-demand",
                   .note = {},
                   .source = "https://example.org"};

Server with_experts(ExpertChoice::Kind kind) {
  Server server = small_server();
  server.model = model_of(some_attention, Experts{.count = 4, .per_token = 2, .width = 128});
  server.experts.kind = kind;
  return server;
}

/// What each of the three questions says of a server that it refuses.
Notes refusals(const Server& server) {
  Notes all;
  const auto ask = [&](auto question) {
    try {
      question();
    } catch (const Error& error) {
      for (const Diagnostic& one : error.diagnostics()) all.push_back(one.what);
    }
  };
  ask([&] { (void)fit({.server = server}); });
  ask([&] { (void)serve({.server = server, .concurrency = 1}); });
  ask([&] { (void)solve({.server = server, .constraints = {.tpot = Seconds(1)}}); });
  return all;
}

TEST_CASE("A context is noted only beyond what the model is made for", "[analysis]") {
  Model model = some_model();
  model.name = "small";
  Notes notes;
  note_context(model, 1'000'000, notes);
  model.max_context = 4096;
  note_context(model, 4096, notes);
  CHECK(notes.empty());
  note_context(model, 4097, notes);
  CHECK(notes == Notes{"context 4097 is beyond the 4096 tokens that small is made for"});
}

TEST_CASE("A capacity that is not known or one of several is noted", "[analysis]") {
  Device device = device_with({});
  Notes notes;
  note_memory(device, notes);
  CHECK(notes == Notes{"the memory of X is not known: whether it holds the sequences is not judged "
                       "(--memory)"});
  device.capacity = Bytes(8e9);
  notes.clear();
  note_memory(device, notes);
  CHECK(notes.empty());
  device.capacity_configurable = true;
  note_memory(device, notes);
  CHECK(notes == Notes{"memory is that of the largest configuration (--memory to set it)"});
}

TEST_CASE("A price is that of the question before that of the catalogue", "[analysis]") {
  Server server = small_server();
  CHECK_FALSE(price_of(server).has_value());
  CHECK_FALSE(listed_price(server).has_value());
  server.device.prices = {listed};
  CHECK(price_of(server) == DollarsPerHour(2.5));
  CHECK(listed_price(server) == listed);
  server.price = DollarsPerHour(4);
  CHECK(price_of(server) == DollarsPerHour(4));
  CHECK_FALSE(listed_price(server).has_value());
}

TEST_CASE("A million tokens cost what all devices cost while they compute them", "[analysis]") {
  // 1e6 tokens at 1,000 a second take 1,000 s; two devices at 3.6 an hour cost 0.002 a second
  CHECK(*dollars_per_million(DollarsPerHour(3.6), {.tensor = 2}, 1000) == Approx(2.0));
  CHECK_FALSE(dollars_per_million(std::nullopt, {.tensor = 2}, 1000).has_value());
}

TEST_CASE("A price is noted with whose it is and from when", "[analysis]") {
  Notes notes;
  note_price(device_with({}), listed, notes);
  CHECK(notes == Notes{"X: 2.5 USD an hour: Someone, on-demand, 2026-01-31 (--price for another)"});
}

TEST_CASE("How many experts are read is noted where it is not certain", "[analysis]") {
  using Kind = ExpertChoice::Kind;
  const auto notes_of = [](const Server& server) {
    Notes notes;
    note_experts(server.model, server.experts, notes);
    return notes;
  };
  CHECK(notes_of(small_server()).empty());
  CHECK(notes_of(with_experts(Kind::all)).empty());
  CHECK(
      notes_of(with_experts(Kind::expected)).front().starts_with("experts read: the expectation"));
  CHECK(notes_of(with_experts(Kind::fewest)).front().ends_with("a floor"));
  CHECK_FALSE(depends_on_routing(small_server()));
  CHECK_FALSE(depends_on_routing(with_experts(Kind::fewest)));
  CHECK(depends_on_routing(with_experts(Kind::all)));
}

TEST_CASE("fit and serve and solve refuse what the model does not have", "[analysis]") {
  Server server = small_server();
  server.device.capacity = Bytes(8e9);
  CHECK(refusals(server).empty());
  server.experts.kind = ExpertChoice::Kind::fewest;
  const std::string no_experts = "no model here has experts to choose from";
  CHECK(refusals(server) == Notes(3, no_experts));
  server.experts = {};
  server.precision.state = plain_format(MatrixType::fp32);
  CHECK(refusals(server) == Notes(3, "no model here has a recurrent state"));
}

}  // namespace
}  // namespace roofline
