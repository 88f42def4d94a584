#include "spec/safetensors/shard_index.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "roofline/error.hpp"

using namespace roofline;
using namespace roofline::safetensors;

namespace {

std::string why_refused(const std::string& text) {
  try {
    (void)read_shard_index(text, "i.json");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().where == "i.json");
    return error.diagnostics().front().what;
  }
  return "nothing";
}

}  // namespace

TEST_CASE("An index names the files and how many tensors they hold", "[spec]") {
  const ShardIndex index =
      read_shard_index(R"({"metadata":{"total_size":16060522496,"format":{"a":[1]}},)"
                       R"("weight_map":{"a":"model-2.safetensors","b":"model-1.safetensors",)"
                       R"("c":"model-2.safetensors"}})",
                       "i");
  CHECK(index.shards == std::vector<std::string>{"model-1.safetensors", "model-2.safetensors"});
  CHECK(index.tensors == 3);
  CHECK(index.total_bytes == 16'060'522'496.0);
}

TEST_CASE("An index may lack its sum or write it with a point", "[spec]") {
  CHECK_FALSE(read_shard_index(R"({"weight_map":{"a":"m"}})", "i").total_bytes.has_value());
  CHECK(read_shard_index(R"({"metadata":{"total_size":8.0},"weight_map":{"a":"m"}})", "i")
            .total_bytes == 8.0);
}

TEST_CASE("What is no index is refused", "[spec]") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"", "byte 0: not valid JSON"},
      {"[]", "is no index: its JSON is no object"},
      {"7", "is no index: its JSON is no object"},
      {"{}", "needs 'weight_map'"},
      {R"({"weight_map":{}})", "weight_map names no files"},
      {R"({"weight_map":[]})", "weight_map is no object"},
      {R"({"weight_map":7})", "weight_map is no object"},
      {R"({"weight_map":{"a":7}})", "tensor 'a': its file is no text"},
      {R"({"weight_map":{"a":["m"]}})", "tensor 'a': its file is no text"},
      {R"({"weight_map":{"a":{"b":"m"}}})", "tensor 'a': its file is no text"},
      {R"({"weight_map":{"a":"m"},"weight_map":{"a":"m"}})", "'weight_map' stands twice"},
      {R"({"metadata":{"total_size":"8"},"weight_map":{"a":"m"}})",
       "total_size is no number of bytes"},
      {R"({"metadata":{"total_size":-8},"weight_map":{"a":"m"}})",
       "total_size is no number of bytes"},
      {R"({"metadata":{"total_size":1e300},"weight_map":{"a":"m"}})",
       "total_size is no number of bytes"},
      {R"({"metadata":{"total_size":1.5},"weight_map":{"a":"m"}})",
       "total_size is no number of bytes"},
  }));
  CHECK(why_refused(text) == reason);
}

TEST_CASE("An index names files beside it alone", "[spec]") {
  const auto name = GENERATE(
      values<std::string>({"", "../m", "..", ".m", "/m", "a/b", "a\\\\b", "a\\u0000b", "a\\nb"}));
  CAPTURE(name);
  const std::string text = R"({"weight_map":{"a":")" + name + R"("}})";
  CHECK(why_refused(text).ends_with("is no plain file name"));
}

TEST_CASE("An index is not nested and not endless", "[spec]") {
  CHECK(why_refused(R"({"metadata":)" + std::string(10'000, '[')) ==
        "byte 27: nested more than 16 levels");
  std::string map = R"({"weight_map":{)";
  for (int i = 0; i <= 10'000; ++i) map += fmt::format(R"({}"{}":"{}")", i == 0 ? "" : ",", i, i);
  CHECK(why_refused(map + "}}") == "more than 10000 files");
}

TEST_CASE("A string as long as a file is refused", "[spec]") {
  const std::string name(1024 * 1024 + 2, 'n');
  CHECK(why_refused("{\"weight_map\":{\"" + name + "\":\"m\"}}") ==
        "byte 15: a string of more than 1 MiB");
}
