// Deployments of the project's own file.
#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

namespace {

const std::string project = R"(fail-on: warning
deployments:
- name: chat
  model: llama-3.1-8b
  gpu: H100
  gpus: 2
  tp: 2
  max-model-len: 32k
  kv-dtype: fp8
  input-len: 2000
  price: 2.49
  require: {max-ttft: 500ms, fits: true}
- name: batch
  engine: sglang
  engine-version: 0.5.2
  gpu: H200
  args: ["--model-path", "Qwen/Qwen3-32B", "--tp=2"]
- name: old
  command: vllm serve org/m --max-model-len 8192
  require: {min-concurrency: 8}
)";

}  // namespace

TEST_CASE("A deployment has settings under this program's names", "[serving]") {
  const ServingConfig config = read(project);
  CHECK(config.type == ConfigType::roofline);
  REQUIRE(config.launches.size() == 3);
  const Launch& chat = config.launches[0];
  CHECK(chat.name == "chat");
  CHECK(chat.engine == Engine::vllm);
  CHECK(around(chat, "own-names") == "true");
  CHECK(value(chat, "model") == "llama-3.1-8b");
  CHECK(value(chat, "tp") == "2");
  CHECK(value(chat, "max-model-len") == "32k");
  CHECK(value(chat, "kv-dtype") == "fp8");
  CHECK(value(chat, "gpu") == "absent");
  CHECK(around(chat, "gpu") == "H100");
  CHECK(around(chat, "gpus") == "2");
  CHECK(around(chat, "input-len") == "2000");
  CHECK(around(chat, "price") == "2.49");
  CHECK(around(chat, "require.max-ttft") == "500ms");
  CHECK(around(chat, "require.fits") == "true");
  CHECK(spot(chat, "max-model-len") == spot(project, "32k"));
  CHECK(chat.find_surrounding("require.max-ttft")->written == "max-ttft");
  for (const EngineSetting& setting : chat.settings) CHECK(setting.known);
}

TEST_CASE("A deployment may hold an engine's own command or arguments", "[serving]") {
  const ServingConfig config = read(project);
  REQUIRE(config.launches.size() == 3);
  const Launch& batch = config.launches[1];
  CHECK(batch.engine == Engine::sglang);
  CHECK(batch.version == "0.5.2");
  CHECK(around(batch, "own-names") == "absent");
  CHECK(value(batch, "model-path") == "Qwen/Qwen3-32B");
  CHECK(around(batch, "gpu") == "H200");
  const Launch& old = config.launches[2];
  CHECK(value(old, "model") == "org/m");
  CHECK(spot(old, "max-model-len") == spot(project, "8192"));
  CHECK(around(old, "require.min-concurrency") == "8");
}

TEST_CASE("JSON is read as YAML is", "[serving]") {
  const Launch launch = launch_of(
      R"({"deployments": [{"name": "a", "model": "qwen3-8b", "gpu": "L4", "max_model_len": 4096}]})");
  CHECK(value(launch, "max-model-len") == "4096");
  CHECK(launch.find("max-model-len")->written == "max_model_len");
}

TEST_CASE("An unknown key of a deployment is a setting that is not known", "[serving]") {
  const Launch launch = launch_of("deployments:\n- {model: a, max-modellen: 4096}\n");
  REQUIRE(launch.find("max-modellen") != nullptr);
  CHECK_FALSE(launch.find("max-modellen")->known);
}

TEST_CASE("A project file without deployments has no launch and is no error", "[serving]") {
  CHECK(read("gpu: H100\nrequire: {fits: true}\n").launches.empty());
}

TEST_CASE("Deployments that say nothing or too much are refused", "[serving]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {"deployments: []\n", "deployments needs a list"},
      {"deployments: [chat]\n", "a deployment has keys and values"},
      {"deployments: [{engine: vlm, model: a}]\n", "unknown engine 'vlm'"},
      {"deployments: [{model: a, tp: {a: 1}}]\n", "tp needs a value"},
      {"deployments: [{model: a, price: []}]\n", "price needs a value"},
      {"deployments: [{model: a, tp: null}]\n", "tp needs a value"},
      {"deployments: [{require: {fits: {}}, model: a}]\n", "fits needs a value"},
      {"deployments: [{require: 3, model: a}]\n", "require needs keys and values"},
      {"deployments: [{command: vllm serve a, tp: 2}]\n", "'tp' beside a command"},
      {"deployments: [{command: nginx}]\n", "the command starts no engine that is known here"},
  }));
  CAPTURE(text);
  const Diagnostic error = refusal(text, ConfigType::roofline);
  CHECK(error.what == what);
  CHECK_THAT(error.where, Contains("f:1:"));
  CHECK_FALSE(error.fix.empty());
}
