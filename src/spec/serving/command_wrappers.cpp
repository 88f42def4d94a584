// Programs that run another program: which of their options take a value, and how many words of
// their own they have.
#include "spec/serving/command_wrappers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "spec/serving/shell_source.hpp"

namespace roofline {

namespace {

using Words = std::vector<PlacedWord>;

struct Wrapper {
  std::string_view program;
  std::string_view subcommand{};   // that must follow
  std::string_view with_values{};  // options whose value is the next word, each with blanks around
  std::size_t operands = 0;
};
constexpr std::array<Wrapper, 32> wrappers{{
    {"accelerate", "launch", " --config_file --num_processes --num_machines "},
    {"catchsegv"},
    {"chrt", {}, {}, 1},
    {"command"},
    {"conda", "run", " -n -p --name --prefix --cwd "},
    {"dumb-init"},
    {"env", {}, " -u --unset -C --chdir "},
    {"exec", {}, " -a "},
    {"gosu", {}, {}, 1},
    {"ionice", {}, " -c -n "},
    {"mamba", "run", " -n -p --name --prefix --cwd "},
    {"micromamba", "run", " -n -p --name --prefix --cwd "},
    {"mpirun", {}, " -n -np -x -H -host --host -hostfile --hostfile --map-by --bind-to "},
    {"nice", {}, " -n "},
    {"nohup"},
    {"nsys", "profile", " -o -t -c -s --output --trace --sample --delay --duration "},
    {"numactl", {}, " -N -m -C -i -p --cpunodebind --membind --physcpubind --interleave "},
    {"pipenv", "run"},
    {"pixi", "run", " -e --environment --manifest-path "},
    {"poetry", "run"},
    {"setsid"},
    {"srun", {}, " -n -N -p -c -G -J -w -o -e -t -A -q --ntasks --nodes --partition --gres --mpi "},
    {"stdbuf", {}, " -i -o -e "},
    {"sudo", {}, " -u -g -h -p -C -D -R -T -U --user --group --host --prompt --chdir "},
    {"taskset", {}, {}, 1},
    {"time", {}, " -f -o --format --output "},
    {"timeout", {}, " -s -k --signal --kill-after ", 1},
    {"tini", {}, " -p -e "},
    {"trtllm-llmapi-launch"},
    {"unbuffer"},
    {"uv", "run",
     " --with --with-requirements --python -p --extra --group --env-file --project --directory"
     " --index --index-url --package "},
    {"uvx", {}, " --from --with --python -p --index --index-url "},
}};

bool has_option(std::string_view list, std::string_view option) {
  for (std::size_t at = list.find(option); at != std::string_view::npos;
       at = list.find(option, at + 1)) {
    if (at > 0 && list[at - 1] == ' ' && list[at + option.size()] == ' ') return true;
  }
  return false;
}

bool is_assignment(std::string_view word) {
  return word.find('=') != std::string_view::npos && is_shell_name(word.substr(0, word.find('=')));
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-';
}

const Wrapper* find_wrapper(const Words& words, std::size_t at) {
  const std::string_view program = program_name(words[at].text);
  for (const Wrapper& wrapper : wrappers) {
    if (program != wrapper.program) continue;
    const bool fits = wrapper.subcommand.empty() ||
                      (at + 1 < words.size() && words[at + 1].text == wrapper.subcommand);
    if (fits) return &wrapper;
  }
  return nullptr;
}

std::size_t behind_options(const Words& words, std::size_t at, std::string_view with_values) {
  while (at < words.size() && (is_option(words[at].text) || is_assignment(words[at].text))) {
    if (words[at].text == "--") return at + 1;
    at += has_option(with_values, words[at].text) ? 2 : 1;
  }
  return at;
}

constexpr std::string_view docker_switches =
    " --detach --disable-content-trust --help --init --interactive --no-healthcheck --no-hosts"
    " --oom-kill-disable --privileged --publish-all --quiet --read-only --replace --rm --rmi"
    " --sig-proxy --tls-verify --tty --use-api-socket ";

// Whether the value of an option of `docker run` is the next word: "-p", "-itp", "--gpus".
bool takes_next(std::string_view option) {
  if (option.starts_with("--")) {
    return option.find('=') == std::string_view::npos && !has_option(docker_switches, option);
  }
  constexpr std::string_view switches = "ditPq";
  const std::size_t value = option.find_first_not_of(switches, 1);
  return value != std::string_view::npos && value + 1 == option.size();
}

// The value of an option where it stands, in the word or in the next one.
std::optional<PlacedWord> value_of(const Words& words, std::size_t at, std::string_view option) {
  const PlacedWord& word = words[at];
  if (word.text == option && at + 1 < words.size()) return words[at + 1];
  if (word.text.size() <= option.size() || !word.text.starts_with(option) ||
      word.text[option.size()] != '=') {
    return std::nullopt;
  }
  PlacedWord value = word;
  value.text.erase(0, option.size() + 1);
  return value;
}

// '"device=0,1"' has quotes for docker, inside those of the shell.
PlacedWord without_quotes(PlacedWord word) {
  std::string& text = word.text;
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  return word;
}

// The index behind `docker [options] [container] run|create`; none if it is no such command.
std::optional<std::size_t> behind_run(const Words& words) {
  std::size_t at = skip_wrappers(words, 0);
  if (at >= words.size()) return std::nullopt;
  const std::string_view program = program_name(words[at].text);
  constexpr std::array<std::string_view, 4> programs{"docker", "nerdctl", "nvidia-docker",
                                                     "podman"};
  if (std::find(programs.begin(), programs.end(), program) == programs.end()) return std::nullopt;
  at = behind_options(words, at + 1, " -H --host -c --context --config -l --log-level -n ");
  if (at < words.size() && words[at].text == "container") ++at;
  const bool runs = at < words.size() && (words[at].text == "run" || words[at].text == "create");
  return runs ? std::optional(at + 1) : std::nullopt;
}

}  // namespace

std::string_view program_name(std::string_view word) {
  std::string_view name = word.substr(word.find_last_of("/\\") + 1);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  return name;
}

bool is_shell_program(std::string_view word) {
  constexpr std::array<std::string_view, 6> shells{"ash", "bash", "busybox", "dash", "sh", "zsh"};
  return std::find(shells.begin(), shells.end(), program_name(word)) != shells.end();
}

std::size_t skip_wrappers(const std::vector<PlacedWord>& words, std::size_t at) {
  while (at < words.size()) {
    if (is_assignment(words[at].text)) {
      ++at;
      continue;
    }
    const Wrapper* wrapper = find_wrapper(words, at);
    if (wrapper == nullptr) break;
    at = behind_options(words, at + (wrapper->subcommand.empty() ? 1 : 2), wrapper->with_values);
    at = std::min(at + wrapper->operands, words.size());
  }
  return std::min(at, words.size());
}

std::optional<ContainerRun> find_container_run(const std::vector<PlacedWord>& words) {
  std::optional<std::size_t> at = behind_run(words);
  if (!at) return std::nullopt;
  ContainerRun run;
  while (*at < words.size() && is_option(words[*at].text)) {
    if (auto gpus = value_of(words, *at, "--gpus")) run.gpus = without_quotes(*std::move(gpus));
    if (auto entry = value_of(words, *at, "--entrypoint")) run.entrypoint = entry->text;
    *at += takes_next(words[*at].text) ? 2 : 1;
  }
  if (*at >= words.size()) return std::nullopt;
  run.image = *at;
  return run;
}

}  // namespace roofline
