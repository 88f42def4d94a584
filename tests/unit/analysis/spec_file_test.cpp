// Spec files of one's own: full products, lists, names, inline devices and models, every refusal.
#include "roofline/spec_file.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/error.hpp"

namespace roofline {
namespace {

using Strings = std::vector<std::string>;

SpecFile read(const std::string& text) {
  return read_spec_file(text, "mine.json", Catalog());
}

SpecFile read_workloads(const std::string& workloads) {
  return read(R"({"workloads": [)" + workloads + "]}");
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

Diagnostic workload_refusal(const std::string& workload) {
  return refusal(R"({"workloads": [)" + workload + "]}");
}

TEST_CASE("A spec file names devices and models of the catalogue", "[analysis]") {
  const SpecFile spec = read(R"({
    "name": "mine", "description": "d", "source": "s",
    "devices": ["h100", "A100 SXM4 80GB", "t4"],
    "models": ["llama3-70b", "GPT2"],
    "workloads": [{"workload": "decode"}]
  })");
  REQUIRE(spec.devices.size() == 3);
  CHECK(spec.devices[0].name == "H100-SXM5-80GB");
  CHECK(spec.devices[1].name == "A100-SXM-80GB");
  CHECK(spec.devices[2].name == "T4");
  REQUIRE(spec.models.size() == 2);
  CHECK(spec.models[0].name == "llama-3-70b");
  CHECK(spec.models[1].name == "gpt2");
}

TEST_CASE("A spec file holds devices and models of its own", "[analysis]") {
  const SpecFile spec = read(R"({
    "devices": ["T4", {"name": "mine", "peaks": {"bf16": "100 TFLOP/s"},
                       "memory": {"bandwidth": "1 TB/s"}}],
    "models": [{"name": "small",
                "config": {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
                           "num_attention_heads": 4, "num_key_value_heads": 2,
                           "num_hidden_layers": 3, "vocab_size": 100}}],
    "workloads": [{"workload": "decode"}]
  })");
  REQUIRE(spec.devices.size() == 2);
  CHECK(spec.devices[1].name == "mine");
  CHECK(spec.devices[1].bandwidth == BytesPerSecond(1e12));
  CHECK(spec.devices[1].peaks.at({.type = MatrixType::bf16}) == FlopsPerSecond(1e14));
  REQUIRE(spec.models.size() == 1);
  CHECK(spec.models[0].name == "small");
  CHECK(layer_count(spec.models[0]) == 3);
}

TEST_CASE("A spec file without devices and models has none", "[analysis]") {
  const SpecFile spec = read(R"({"workloads": [{"workload": "matmul", "m": 1, "k": 2, "n": 3}]})");
  CHECK(spec.devices.empty());
  CHECK(spec.models.empty());
  CHECK(spec.workloads.size() == 1);
}

TEST_CASE("Every workload of a spec file is read with its defaults", "[analysis]") {
  const auto [text, workload] =
      GENERATE(
          table<std::string, NamedWorkload>({
              {R"({"workload": "decode"})", {"decode", Decode{.batch = 1, .context = 2048}}},
              {R"({"name": "n", "workload": "decode", "batch": 8, "context_tokens": 10})",
               {"n", Decode{.batch = 8, .context = 10}}},
              {R"({"workload": "prefill"})",
               {"prefill", Prefill{.batch = 1, .context = 2048, .causal = true}}},
              {R"({"workload": "prefill", "batch": 2, "context_tokens": 7, "causal": false})",
               {"prefill", Prefill{.batch = 2, .context = 7, .causal = false}}},
              {R"({"workload": "matmul", "m": 4, "k": 5, "n": 6})",
               {"matmul", MatmulShape{.m = 4, .k = 5, .n = 6}}},
              {R"({"workload": "attention", "heads": 8, "head_dim": 64, "seq_q": 100})",
               {"attention", AttentionShape{.batch = 1,
                                            .heads = 8,
                                            .kv_heads = 8,
                                            .head_dim = 64,
                                            .seq_q = 100,
                                            .seq_k = 100,
                                            .causal = false}}},
              {R"({"workload": "attention", "batch": 3, "heads": 8, "kv_heads": 2, "head_dim": 64,
           "seq_q": 1, "seq_k": 50, "causal": true})",
               {"attention",
                AttentionShape{.batch = 3,
                               .heads = 8,
                               .kv_heads = 2,
                               .head_dim = 64,
                               .seq_q = 1,
                               .seq_k = 50,
                               .causal = true}}},
              {R"({"workload": "textbook-decode", "parameters": 7e9, "kv_heads": 8, "head_dim": 128,
           "context_tokens": 2048})",
               {"textbook-decode", TextbookDecode{.batch = 1,
                                                  .parameters = 7'000'000'000,
                                                  .kv_heads = 8,
                                                  .head_dim = 128,
                                                  .context = 2048,
                                                  .layers = 1}}},
              {R"({"workload": "textbook-decode", "batch": 4, "parameters": 100, "kv_heads": 1,
           "head_dim": 2, "context_tokens": 3, "layers": 5})",
               {"textbook-decode", TextbookDecode{.batch = 4,
                                                  .parameters = 100,
                                                  .kv_heads = 1,
                                                  .head_dim = 2,
                                                  .context = 3,
                                                  .layers = 5}}},
          }));
  INFO(text);
  const SpecFile spec = read_workloads(text);
  REQUIRE(spec.workloads.size() == 1);
  CHECK(spec.workloads.front() == workload);
}

TEST_CASE("Lists of batches and contexts stand for one workload each", "[analysis]") {
  const SpecFile spec =
      read_workloads(R"({"workload": "decode", "batch": [1, 8], "context_tokens": [10, 20, 30]},
                        {"name": "p", "workload": "prefill", "batch": 2, "context_tokens": [5, 4]})");
  const std::vector<NamedWorkload> expected{{"decode", Decode{1, 10}},  {"decode", Decode{1, 20}},
                                            {"decode", Decode{1, 30}},  {"decode", Decode{8, 10}},
                                            {"decode", Decode{8, 20}},  {"decode", Decode{8, 30}},
                                            {"p", Prefill{2, 5, true}}, {"p", Prefill{2, 4, true}}};
  CHECK(spec.workloads == expected);
}

TEST_CASE("A spec file is evaluated as a full product", "[analysis]") {
  const SpecFile spec = read(R"({
    "devices": ["T4", "L4", "A100"],
    "models": ["gpt2", "llama-3.1-8b"],
    "workloads": [
      {"workload": "decode", "batch": [1, 2, 4, 8]},
      {"workload": "prefill"},
      {"workload": "matmul", "m": 1, "k": 2, "n": 3}]
  })");
  const AnalyzeResult result = analyze({.models = spec.models,
                                        .devices = spec.devices,
                                        .workloads = spec.workloads,
                                        .precision = {},
                                        .price = {}});
  // 2 models x 3 devices x 5 steps, and the kernel once a device.
  CHECK(result.points.size() == 33);
  const auto kernels = std::count_if(
      result.points.begin(), result.points.end(),
      [](const AnalyzePoint& point) { return !needs_model(point.workload.workload); });
  CHECK(kernels == 3);
}

TEST_CASE("What a spec file gets wrong is named in its own terms", "[analysis]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {R"({})", "needs 'workloads'"},
      {R"({"workloads": []})", "'workloads': is empty"},
      {R"({"workloads": 3})", "'workloads': expected a list"},
      {R"({"wrokloads": []})", "'wrokloads': unknown key"},
      {R"({"workloads": [3]})", "'0': expected an object, found a number"},
      {R"({"devices": "T4", "workloads": [{"workload": "decode"}]})", "'devices': expected a list"},
      {R"({"devices": [7], "workloads": [{"workload": "decode"}]})", "'0': expected "},
      {R"({"devices": ["H1000"], "workloads": [{"workload": "decode"}]})",
       "'0': unknown GPU 'H1000'"},
      {R"({"models": ["lama-3-70b"], "workloads": [{"workload": "decode"}]})",
       "'0': unknown model 'lama-3-70b'"},
      {R"({"devices": [{"name": "x"}], "workloads": [{"workload": "decode"}]})",
       "'0': needs 'peaks'"},
      {R"({"models": [{"model_type": "lama"}], "workloads": [{"workload": "decode"}]})",
       "'model_type': unknown model family 'lama'"},
  }));
  CHECK_THAT(refusal(text).what, Catch::StartsWith(what));
}

TEST_CASE("Devices and models and workloads are lists", "[analysis]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {R"({"workloads": {"a": {"workload": "decode"}}})", "'workloads': expected a list"},
      {R"({"devices": {"a": "T4"}, "workloads": [{"workload": "decode"}]})",
       "'devices': expected a list"},
      {R"({"models": {"a": "gpt2"}, "workloads": [{"workload": "decode"}]})",
       "'models': expected a list"},
  }));
  CHECK_THAT(refusal(text).what, Catch::StartsWith(what));
}

TEST_CASE("What a workload gets wrong is named in the file's terms", "[analysis]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {R"({"batch": 1})", "'0': needs 'workload'"},
      {R"({"workload": 1})", "'workload': expected a string, found a number"},
      {R"({"workload": "decoed"})", "'workload': unknown workload 'decoed'"},
      {R"({"workload": "decode", "context": 5})", "'context': unknown key"},
      {R"({"workload": "decode", "batch": 0})", "'batch': 0 is out of range"},
      {R"({"workload": "decode", "batch": -4})", "'batch': -4 is out of range"},
      {R"({"workload": "decode", "batch": 1.5})", "'batch': 1.5 is not a whole number"},
      {R"({"workload": "decode", "batch": "8"})",
       "'batch': expected a whole number, found a string"},
      {R"({"workload": "decode", "batch": []})", "'batch': is an empty list"},
      {R"({"workload": "decode", "batch": [1, 0]})", "'1': 0 is out of range"},
      {R"({"workload": "decode", "context_tokens": 1000000000001})",
       "'context_tokens': 1000000000001 is out of range"},
      {R"({"workload": "decode", "causal": true})", "'causal': decode has no mask to leave out"},
      {R"({"workload": "prefill", "causal": 1})",
       "'causal': expected true or false, found a number"},
      {R"({"workload": "matmul", "m": 1, "k": 2})", "'0': needs 'n'"},
      {R"({"workload": "matmul", "m": 1, "k": 2, "n": 3, "batch": 4})", "'batch': unknown key"},
      {R"({"workload": "attention", "heads": 4, "head_dim": 8})", "'0': needs 'seq_q'"},
      {R"({"workload": "attention", "heads": 32, "kv_heads": 5, "head_dim": 8, "seq_q": 9})",
       "'0': 32 heads cannot share 5 K/V heads"},
      {R"({"workload": "attention", "heads": 4, "head_dim": 8, "seq_q": 9, "seq_k": 8,
           "causal": true})",
       "'0': causal attention of 9 queries over 8 keys"},
      {R"({"workload": "textbook-decode", "kv_heads": 8, "head_dim": 128, "context_tokens": 1})",
       "'0': needs 'parameters'"},
      {R"({"workload": "textbook-decode", "parameters": 1, "kv_heads": 8, "head_dim": 128})",
       "'0': needs 'context_tokens'"},
  }));
  CHECK(workload_refusal(text).what == what);
}

TEST_CASE("Steps of a spec file have their own keys and lists of lengths", "[analysis]") {
  const auto [text, workload] = GENERATE(table<std::string, Workload>({
      {R"({"workload": "prefill", "context_tokens": 70, "cached_tokens": 40})",
       Prefill{.batch = 1, .context = 70, .cached = 40}},
      {R"({"workload": "mixed"})", Mixed{.batch = 1, .context = 2048, .chunk = 512, .position = 0}},
      {R"({"workload": "mixed", "batch": 3, "chunk_tokens": 64, "position_tokens": 128})",
       Mixed{.batch = 3, .context = 2048, .chunk = 64, .position = 128}},
      {R"({"workload": "verify", "batch": 2, "context_tokens": 9, "draft_tokens": 5})",
       Verify{.batch = 2, .context = 9, .drafts = 5}},
      {R"({"workload": "decode", "contexts": [{"count": 8, "context_tokens": 512},
                                              {"context_tokens": 4096}]})",
       Decode{.batch = 8, .context = 512, .others = {{1, 4096}}}},
  }));
  CAPTURE(text);
  const SpecFile spec = read_workloads(text);
  REQUIRE(spec.workloads.size() == 1);
  CHECK(spec.workloads.front().workload == workload);
}

TEST_CASE("Steps of a spec file refuse what is of another kind", "[analysis]") {
  const std::string text = GENERATE(
      R"({"workload": "decode", "draft_tokens": 1})",
      R"({"workload": "verify", "chunk_tokens": 1})",
      R"({"workload": "mixed", "cached_tokens": 1})", R"({"workload": "verify", "causal": false})",
      R"({"workload": "prefill", "context_tokens": 40, "cached_tokens": 40})",
      R"({"workload": "decode", "batch": 2, "contexts": [{"context_tokens": 4}]})",
      R"({"workload": "decode", "contexts": []})");
  CAPTURE(text);
  CHECK_FALSE(workload_refusal(text).what.empty());
}

TEST_CASE("A refusal has its place and what was meant", "[analysis]") {
  const Diagnostic workload =
      refusal("{\n  \"workloads\": [\n    {\"workload\": \"decoed\"}\n  ]\n}");
  CHECK(workload.where == "mine.json:3:18");
  CHECK(workload.why ==
        "known: attention, decode, matmul, mixed, prefill, textbook-decode, verify");
  CHECK(workload.suggestions == Strings{"decode"});
  const Diagnostic key = workload_refusal(R"({"workload": "matmul", "mm": 1})");
  CHECK(key.where == "mine.json:1:45");
  CHECK(key.suggestions == Strings{"m"});
  const Diagnostic model =
      refusal(R"({"models": ["llama-3-70"], "workloads": [{"workload": "decode"}]})");
  CHECK(model.where == "mine.json:1:13");
  CHECK(model.suggestions.front() == "llama-3-70b");
}

TEST_CASE("A spec file has at most 100000 workloads", "[analysis]") {
  const auto list = [](int count) {
    std::string result = "1";
    for (int i = 2; i <= count; ++i) result += ", " + std::to_string(i);
    return result;
  };
  const auto decode = [&](int batches, int contexts) {
    return R"({"workload": "decode", "batch": [)" + list(batches) + R"(], "context_tokens": [)" +
           list(contexts) + "]}";
  };
  CHECK(read_workloads(decode(400, 250)).workloads.size() == 100'000);
  CHECK(workload_refusal(decode(401, 250)).what == "'0': the file has more than 100000 workloads");
}

TEST_CASE("Heads and lengths of attention have to fit together", "[analysis]") {
  AttentionShape shape{.heads = 32, .kv_heads = 8, .head_dim = 128, .seq_q = 10, .seq_k = 9};
  CHECK_NOTHROW(validate(shape));
  shape.causal = true;
  CHECK_THROWS_AS(validate(shape), Error);
  shape.seq_k = 10;
  CHECK_NOTHROW(validate(shape));
  shape.kv_heads = 64;
  CHECK_THROWS_AS(validate(shape), Error);
}

}  // namespace
}  // namespace roofline
