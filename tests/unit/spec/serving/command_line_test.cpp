// Which engine a command starts, and where its arguments begin.
#include "spec/serving/command_line.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

namespace {

std::vector<PlacedWord> words_of(const std::string& text) {
  std::vector<PlacedWord> words;
  for (const ShellCommand& command : split_shell(text, "f")) {
    for (const ShellWord& word : command.words) words.push_back({.text = word.text, .place = {}});
  }
  return words;
}

// "vllm: M" for `vllm serve M`: the engine and the first argument; "none".
std::string found(const std::string& text) {
  const std::vector<PlacedWord> words = words_of(text);
  const std::optional<EngineStart> start = find_engine(words);
  if (!start) return "none";
  const std::string first = start->first < words.size() ? words[start->first].text : "";
  return std::string(to_string(start->engine)) + ": " + first;
}

}  // namespace

TEST_CASE("Engines are started by programs and by Python modules", "[spec][serving]") {
  const auto [command, expected] = GENERATE(table<std::string, std::string>({
      {"vllm serve M --x", "vllm: M"},
      {"vllm serve", "vllm: "},
      {"/usr/bin/vllm serve M", "vllm: M"},
      {"python -m vllm.entrypoints.openai.api_server --model M", "vllm: --model"},
      {"python3 -u -X dev -m vllm.entrypoints.openai.api_server -a", "vllm: -a"},
      {"/opt/venv/bin/python3.12 -m vllm.entrypoints.cli.main serve M", "vllm: M"},
      {"python3 /app/vllm/entrypoints/openai/api_server.py -a", "vllm: -a"},
      {"python3 /usr/local/bin/vllm serve M", "vllm: M"},
      {"python3 -m sglang.launch_server --model M", "sglang: --model"},
      {"sglang serve --model-path M", "sglang: --model-path"},
      {"trtllm-serve M", "tensorrt-llm: M"},
      {"trtllm-serve serve M", "tensorrt-llm: M"},
      {"python3 -m tensorrt_llm.commands.serve serve M", "tensorrt-llm: M"},
      {"llama-server -m M", "llama.cpp: -m"},
      {"./build/bin/llama-server -m M", "llama.cpp: -m"},
      {"build\\\\llama-server.exe -m M", "llama.cpp: -m"},
      {"vllm bench serve", "none"},
      {"vllm --version", "none"},
      {"sglang generate", "none"},
      {"trtllm-serve disaggregated -c f", "none"},
      {"python3 -m vllm.entrypoints.cli.main bench", "none"},
      {"python3 -m http.server", "none"},
      {"python3 -m notvllm.entrypoints.api_server", "none"},
      {"python3 -m", "none"},
      {"python3 serve.py --model M", "none"},
      {"pythonic -m sglang.launch_server", "none"},
      {"echo vllm serve M", "none"},
      {"ray start --head", "none"},
      {"llama-cli -m M", "none"},
      {"ollama serve", "none"},
  }));
  CAPTURE(command);
  CHECK(found(command) == expected);
}

TEST_CASE("Programs that run an engine are passed over", "[spec][serving]") {
  const auto [command, expected] = GENERATE(table<std::string, std::string>({
      {"env -u X A=b C=d vllm serve M", "vllm: M"},
      {"exec vllm serve M", "vllm: M"},
      {"exec -a name vllm serve M", "vllm: M"},
      {"nohup nice -n 10 vllm serve M", "vllm: M"},
      {"sudo -E -u llm A=b vllm serve M", "vllm: M"},
      {"numactl -N 0 -m 0 vllm serve M", "vllm: M"},
      {"numactl --cpunodebind=0 --membind 0 vllm serve M", "vllm: M"},
      {"taskset -c 0-7 vllm serve M", "vllm: M"},
      {"timeout -k 5 60 vllm serve M", "vllm: M"},
      {"time -p vllm serve M", "vllm: M"},
      {"tini -s -- vllm serve M", "vllm: M"},
      {"uv run vllm serve M", "vllm: M"},
      {"uv run --with vllm --no-project python -m sglang.launch_server -a", "sglang: -a"},
      {"uvx --from vllm vllm serve M", "vllm: M"},
      {"conda run -n serve vllm serve M", "vllm: M"},
      {"nsys profile -o out -t cuda vllm serve M", "vllm: M"},
      {"mpirun -n 8 --allow-run-as-root trtllm-llmapi-launch trtllm-serve M", "tensorrt-llm: M"},
      {"srun --gres=gpu:8 -N 1 vllm serve M", "vllm: M"},
      {"uv pip install vllm", "none"},
      {"env", "none"},
      {"timeout -k", "none"},
      {"sudo -u", "none"},
  }));
  CAPTURE(command);
  CHECK(found(command) == expected);
}

TEST_CASE("A container's image starts an engine, or what is behind it does", "[spec][serving]") {
  const auto [command, expected] = GENERATE(table<std::string, std::string>({
      {"docker run vllm/vllm-openai:v0.21.0 --model M", "vllm: --model"},
      {"docker run -it --rm -p 80:80 -v ~/a:/b -e A=b --shm-size 1g vllm/vllm-openai -a",
       "vllm: -a"},
      {"sudo docker run -d --gpus all --ipc=host --network host -e A vllm/vllm-openai -a",
       "vllm: -a"},
      {"docker run -dp 80:80 -itv/a:/b vllm/vllm-openai -a", "vllm: -a"},
      {"docker --context c container run --name n vllm/vllm-openai -a", "vllm: -a"},
      {"podman run --device nvidia.com/gpu=all vllm/vllm-openai M", "vllm: M"},
      {"docker run --entrypoint vllm vllm/vllm-openai serve M", "vllm: M"},
      {"docker run --entrypoint=python3 x/y -m http.server", "none"},
      {"docker run --entrypoint /bin/bash vllm/vllm-openai -c ls", "none"},
      {"docker run lmsysorg/sglang:latest python3 -m sglang.launch_server -a", "sglang: -a"},
      {"docker run lmsysorg/sglang:latest nvidia-smi", "none"},
      {"docker run lmsysorg/sglang:latest bash -c 'sglang serve'", "sglang: bash"},
      {"docker run ghcr.io/ggml-org/llama.cpp:server-cuda -m M", "llama.cpp: -m"},
      {"docker run ghcr.io/ggml-org/llama.cpp:full --server -m M", "llama.cpp: -m"},
      {"docker run ghcr.io/ggml-org/llama.cpp:full --run -m M", "none"},
      {"docker run ghcr.io/ggml-org/llama.cpp:light -m M", "none"},
      {"docker run nvcr.io/nvidia/tensorrt-llm/release:1.0.0 trtllm-serve M", "tensorrt-llm: M"},
      {"docker run my/image:1 vllm serve M", "vllm: M"},
      {"docker run ubuntu ls", "none"},
      {"docker run", "none"},
      {"docker run --gpus", "none"},
      {"docker build -t vllm/vllm-openai .", "none"},
      {"docker compose up", "none"},
  }));
  CAPTURE(command);
  CHECK(found(command) == expected);
}

TEST_CASE("Of a container the version and the GPUs are kept", "[spec][serving]") {
  const auto [options, gpus] = GENERATE(table<std::string, std::string>({
      {"--gpus all", "all"},
      {"--gpus=2", "2"},
      {"--gpus '\"device=0,1\"'", "device=0,1"},
      {"--rm", ""},
  }));
  CAPTURE(options);
  const auto start = find_engine(words_of("docker run " + options + " vllm/vllm-openai:v0.21.0 M"));
  REQUIRE(start);
  CHECK((start->gpus ? start->gpus->text : "") == gpus);
  CHECK(start->version == "0.21.0");
}

TEST_CASE("Images say their engine and their version", "[spec][serving]") {
  const auto [image, expected] = GENERATE(table<std::string, std::string>({
      {"vllm/vllm-openai:v0.21.0", "vllm 0.21.0"},
      {"vllm/vllm-openai:latest", "vllm "},
      {"vllm/vllm-openai", "vllm "},
      {"docker.io/vllm/vllm-openai:v0.11.0-cu129@sha256:0123", "vllm 0.11.0"},
      {"vllm/vllm-openai@sha256:0123", "vllm "},
      {"registry:5000/mirror/vllm-openai:0.9.1", "vllm 0.9.1"},
      {"registry:5000/vllm", "vllm "},
      {"vllm/vllm-openai:nightly-0a1b2c", "vllm "},
      {"rocm/vllm:rocm6.3.1_vllm_0.8.5", "vllm "},
      {"nvcr.io/nvidia/vllm:25.09-py3", "vllm "},
      {"lmsysorg/sglang:v0.5.3rc1-cu126", "sglang 0.5.3"},
      {"lmsysorg/sglang:v0.4.1.post3", "sglang 0.4.1"},
      {"lmsysorg/sglang-router:v0.1.0", "none"},
      {"ghcr.io/ggml-org/llama.cpp:server-cuda-b4719", "llama.cpp "},
      {"nvcr.io/nvidia/tensorrt-llm/release:1.2.0rc6", "tensorrt-llm 1.2.0"},
      {"nvcr.io/nvidia/tritonserver:25.01-vllm-python-py3", "none"},
      {"ghcr.io/huggingface/text-generation-inference:3", "none"},
      {"ubuntu:22.04", "none"},
      {"", "none"},
  }));
  CAPTURE(image);
  const std::optional<EngineImage> found = engine_of_image(image);
  CHECK((found ? std::string(to_string(found->engine)) + " " + found->version : "none") ==
        expected);
}
