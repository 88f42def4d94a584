// Error, InternalError through ensure, and the collector that throws several errors as one.
#include "roofline/error.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace roofline;

TEST_CASE("An error shows its first diagnostic", "[base]") {
  const Error one(Diagnostic{.what = "unknown GPU 'h10'", .fix = "--gpu h100"});
  CHECK(std::string(one.what()) == "unknown GPU 'h10'");
  REQUIRE(one.diagnostics().size() == 1);
  CHECK(one.diagnostics().front().fix == "--gpu h100");

  const Error two(std::vector{Diagnostic{.what = "first"}, Diagnostic{.what = "second"}});
  CHECK(std::string(two.what()) == "first");
  CHECK(two.diagnostics().size() == 2);

  CHECK(std::string(Error(std::vector<Diagnostic>{}).what()) == "error");
}

TEST_CASE("Diagnostics are equal when every field is", "[base]") {
  const Diagnostic diagnostic{.what = "what", .where = "f:1:2", .suggestions = {"a"}};
  Diagnostic other = diagnostic;
  CHECK(other == diagnostic);
  other.suggestions.emplace_back("b");
  CHECK_FALSE(other == diagnostic);
}

TEST_CASE("Ensure throws with its text and the place of the call", "[base]") {
  CHECK_NOTHROW(ensure(true, "never seen"));
  const int line = __LINE__ + 2;
  try {
    ensure(false, "a layer has no heads");
    FAIL("ensure(false) came back");
  } catch (const InternalError& error) {
    const std::string text = error.what();
    CHECK_THAT(text, Catch::Matchers::StartsWith("a layer has no heads ("));
    CHECK_THAT(text, Catch::Matchers::EndsWith("error_test.cpp:" + std::to_string(line) + ")"));
  }
}

TEST_CASE("A collector throws all that its readers threw in their order", "[base]") {
  ErrorCollector errors;
  int runs = 0;
  errors.collect([&] {
    ++runs;
    throw Error(Diagnostic{.what = "one"});
  });
  errors.collect([&] { ++runs; });
  errors.collect([&] {
    ++runs;
    throw Error(std::vector{Diagnostic{.what = "two"}, Diagnostic{.what = "three"}});
  });
  errors.add(Error(Diagnostic{.what = "four"}));
  CHECK(runs == 3);
  try {
    errors.throw_if_any();
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic : error.diagnostics()) all.push_back(diagnostic.what);
    CHECK(all == std::vector<std::string>{"one", "two", "three", "four"});
  }
}

TEST_CASE("A collector without errors throws nothing", "[base]") {
  ErrorCollector errors;
  errors.collect([] {});
  CHECK_NOTHROW(errors.throw_if_any());
}

TEST_CASE("A collector passes on what is no error of the input", "[base]") {
  ErrorCollector errors;
  CHECK_THROWS_AS(errors.collect([] { ensure(false, "ours"); }), InternalError);
  CHECK_THROWS_AS(errors.collect([] { throw std::runtime_error("theirs"); }), std::runtime_error);
  CHECK_NOTHROW(errors.throw_if_any());
}
