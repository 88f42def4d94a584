// What stands in front of the command that matters: env, sudo, numactl, uv run, docker run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/serving/command_line.hpp"

namespace roofline {

/// "vllm" of "/usr/bin/vllm"; without ".exe".
[[nodiscard]] std::string_view program_name(std::string_view word);

/// sh, bash and the like, whatever their path.
[[nodiscard]] bool is_shell_program(std::string_view word);

/// The index, from `at` on, of the first word that is not `env A=b`, `nohup`, `taskset -c 0` and
/// the like.
[[nodiscard]] std::size_t skip_wrappers(const std::vector<PlacedWord>& words, std::size_t at);

/// `docker run [options] IMAGE ...`, also podman's and nerdctl's.
struct ContainerRun {
  std::size_t image = 0;
  std::string entrypoint{};  ///< of --entrypoint
  std::optional<PlacedWord> gpus{};
};
[[nodiscard]] std::optional<ContainerRun> find_container_run(const std::vector<PlacedWord>& words);

/// "server-cuda" of "ghcr.io/ggml-org/llama.cpp:server-cuda"; empty if there is none.
[[nodiscard]] std::string_view image_tag(std::string_view image);

}  // namespace roofline
