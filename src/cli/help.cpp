// Help texts: walked from the same CLI::App that parses, so that nothing is written twice.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/closest.hpp"
#include "cli/commands.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view units_topic = R"(How values are written

  bytes       80GB = 80e9   80GiB = 80 x 2^30   1.5 TB   512B       case counts: B byte, b bit
  bandwidth   3.35TB/s   900GB/s   900GBps   400Gb/s (bits)
  compute     989TFLOP/s   1.98PFLOP/s   989TFLOPS   1979TOP/s       dense rates, not sparse
  time        30ms   2us   1.5s   800ns
  price       2.49                                                   USD per hour of one device
  lengths     512x8,4096x2        8 sequences of 512 tokens and 2 of 4096
  counts      2048   2_048   32k = 32,000   32K = 32,768   7e9
  lists       1,8,32   1..8 every one   512..4096+512 steps   1..256x2 doubles   mixed: 1,4..8
)";

constexpr std::string_view exit_codes_topic = R"(Exit codes

  0   done
  1   done, and the answer is no: fit does not fit, solve has no solution, serve has no concurrency
      within memory and limits, compare has no GPU that can run it, check found something at or
      above --fail-on
  2   could not judge: a bad flag or value, an unknown name, an unreadable or invalid file
  3   our failure: the answer could not be written, or an internal error
)";

constexpr std::string_view models_topic = R"(Which models are read

  --model, and show model, take a name or alias of 'roofline list models', or a path:
    config.json          of Hugging Face; nested decoders (text_config) too
    a directory          config.json, with model.safetensors.index.json, *.safetensors (their
                         headers alone: stored bytes are theirs) and hf_quant_config.json beside it
    model.gguf           metadata and tensor infos alone; of split files any one names them all
    -                    a config.json on standard input

  Quantisation: gptq, awq, fp8, compressed-tensors, modelopt, bitsandbytes, mxfp4, nvfp4, mlx and
  every GGUF type. --weight-dtype asks what if, and says what is assumed to stay wide.

  A step is that of the text decoder. Vision and audio towers and multi-token prediction are left
  out, and named in a note. What would change the answer and is not understood is refused, or named
  in a note. A model of an unknown family that has the keys of Llama is computed as one with
  --assume llama.

  Experts: by default a layer reads as many as uniform routing is expected to touch;
  --experts fewest (one token's: a floor), all, or a number.

  Families (model_type):
)";

constexpr std::string_view parallelism_topic = R"(How a model is spread over devices

  --tp N   tensor parallel: each matrix and the heads are split; two all-reduces a layer. A device
           has ceil(K/V heads / N) K/V heads; the latent of multi-head latent attention is on all.
  --pp N   pipeline parallel: a stage has ceil(layers / N) layers; a token passes the stages one
           after another, so one step is no faster, but memory divides.
  --dp N   data parallel: N replicas; the batch is dealt out, the time is that of the fullest.
  --ep N   expert parallel: routed experts are spread over N devices, each with whole experts where
           N spans the tp devices of one or more replicas. N divides tp (experts within a replica;
           tp / N slices each), or is a multiple of it (N / tp replicas share their experts: their
           tokens are exchanged). Without --dp there are as many replicas as that takes.

  Devices: tp x pp x dp. What engines refuse is refused: heads, K/V heads, widths, quantisation
  blocks, experts and layers that do not divide.

  The link between devices is that of the device's entry, in one direction: a switch or full mesh of
  so many devices, a bridge of two, else PCIe ('roofline show device H100'). --link 450GB/s says what
  is there instead; --link-latency 2us adds a hop's latency, which no entry has. All-reduces are
  rings: 2 (N - 1) / N of their bytes cross each link.
)";

constexpr std::string_view data_topic = R"(Where devices, models and number formats come from

  --gpu and --model take a name, an alias (any case; space, - and _ are alike), or a path: of a
  JSON file (./my-gpu.json), of what 'roofline help models' says, or - for standard input.

  Names are looked up in these directories, then in the built-in set; the first hit wins:
    --data DIR (repeatable)
    $ROOFLINE_DATA_PATH (directories, with : between them)
    $XDG_DATA_HOME/roofline, by default ~/.local/share/roofline
    each of $XDG_DATA_DIRS, with /roofline
  A directory holds devices/*.json, models/*.json, formats/*.json and specs/*.json.

  The smallest device file:
    {"name": "My GPU", "peaks": {"fp16": "65 TFLOP/s"}, "memory": {"bandwidth": "320 GB/s"}}
  What else it may hold, each optional:
    "memory": {"bandwidth": "320 GB/s", "capacity": "16 GiB"}, "tdp": "70 W", "pcie": "4.0 x16",
    "interconnect": {"name": "NVLink", "per_direction": "450 GB/s", "joins": 8,
                     "hop_latency": "2 us"}, "prices": [{"usd_per_hour": 0.5}]

  The smallest spec file, for --spec of analyze and plot: devices x models x workloads, all of them
    {"devices": ["T4", "L4"], "models": ["llama-3.1-8b"],
     "workloads": [{"workload": "decode", "batch": [1, 8], "context_tokens": 2048},
                   {"workload": "matmul", "m": 1024, "k": 4096, "n": 11008}]}
)";

constexpr std::string_view check_topic = R"(What check reads, and how it is told what to expect

  Configs are recognised by their content (--type says it instead):
    vllm          --config of vllm serve           sglang        --config of SGLang
    tensorrt-llm  extra_llm_api_options            tensorrt-llm-build   config.json of an engine
    shell         vllm serve ..., python -m sglang.launch_server ..., trtllm-serve ...,
                  llama-server ..., docker run IMAGE ...; nothing is run
    kubernetes    Deployment, StatefulSet, Pod, Job, KServe ...: commands, GPU counts, node selectors
    helm          values with servingEngineSpec    compose       services
    roofline      deployments of this project's own file

  A config that a command line names (--config, --extra_llm_api_options) is read where it is named
  to check too, or is in the same directory search: its options join those of the command line.

  roofline.yaml in the working directory (or --project FILE), all of it optional:
    gpu: H100                         where a config does not say it; model: too
    models: {org/chat-awq: ./awq}     what a name in a config means here; gpus: too
    input-len: 1024                   requests that requirements are judged by; output-len, price,
                                      concurrency
    fail-on: warning
    require: {fits: true, max-ttft: 500ms, max-tpot: 30ms, min-concurrency: 32}
    rules: {unknown-key: off, kv-below-max-num-seqs: {severity: note, threshold: 0.25}}
    ignore: [{rule: utilization-too-high, path: "dev/**", reason: nothing else runs there},
             {rule: not-judged, path: "old/**", reason: an engine that is on its way out}]
    paths: {"charts/dev/**": {gpu: L4, require: {max-ttft: 2s}}}
    deployments:
      - {name: chat, model: qwen3-8b, gpu: L4, tp: 1, max-model-len: 32768}

  Requirements: fits, decode-verdict, prefill-verdict, and min-... or max-... of concurrency, cost,
  intensity, kv-tokens, requests, throughput, tpot, ttft, weights. Times are floors and rates
  ceilings: what misses a limit so misses it in any engine.

  In a file, on the line of a finding or alone above it:
    # roofline: ignore[kv-too-small] prompts are short here
    # roofline: ignore-file[unknown-key] our own fork
)";

struct Topic {
  std::string_view name;
  std::string_view text;
};

constexpr std::array topics{Topic{"check-files", check_topic},       Topic{"data", data_topic},
                            Topic{"exit-codes", exit_codes_topic},   Topic{"models", models_topic},
                            Topic{"parallelism", parallelism_topic}, Topic{"units", units_topic}};

/// The families, in lines of 100 columns.
std::string families_text() {
  constexpr std::size_t width = 100;
  const std::string indent(4, ' ');
  std::string text;
  std::string line = indent;
  for (const std::string& family : model_families()) {
    if (line.size() + family.size() + 1 > width) {
      text += line + '\n';
      line = indent;
    }
    line += (line == indent ? "" : " ") + family;
  }
  return text + line + '\n';
}

constexpr std::array<std::string_view, 10> group_order{
    "Model and device", "Workload",  "Rules",   "Parallelism", "Precision",
    "Engine",           "Overrides", "Picture", "Output",      "Global"};

/// "-g,--gpu LIST" in the left column, the description's first line, or all of it, in the right.
std::string option_line(const CLI::Option& option, bool full) {
  constexpr std::size_t left_width = 32;
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ",";
  if (names.empty()) names = "   ";
  std::string longs;
  for (const std::string& name : option.get_lnames()) {
    longs += (longs.empty() ? "--" : ",--") + name;
  }
  const bool takes_value = option.get_items_expected_max() > 0;
  const std::string left = fmt::format("  {} {}{}{}", names, longs, takes_value ? " " : "",
                                       takes_value ? option.get_type_name() : "");
  const std::string& description = option.get_description();
  const std::size_t first_end = std::min(description.find('\n'), description.size());
  std::string result =
      fmt::format("{:<{}}  {}\n", left, left_width, description.substr(0, first_end));
  std::size_t start = first_end + 1;
  while (full && start < description.size()) {
    const std::size_t end = std::min(description.find('\n', start), description.size());
    result += fmt::format("{:<{}}  {}\n", "", left_width, description.substr(start, end - start));
    start = end + 1;
  }
  return result;
}

std::string groups_text(const CLI::App& app, bool full) {
  std::string result;
  for (const std::string_view group : group_order) {
    std::string lines;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group) lines += option_line(*option, full);
    }
    if (!lines.empty()) result += fmt::format("\n{}:\n{}", group, lines);
  }
  return result;
}

}  // namespace

std::string version_text() {
  return fmt::format("roofline {}\ndata: {} devices, {} models, {} number formats\nMIT licence\n",
                     version, builtin_count(EntryKind::device), builtin_count(EntryKind::model),
                     builtin_count(EntryKind::format));
}

std::string overview() {
  std::string text = fmt::format(
      "roofline {} - how fast can this model run on that device, and what holds it back\n\n"
      "  roofline analyze --gpu H100 --workload decode --batch 32      one workload on one GPU\n"
      "  roofline analyze -m llama-3-70b -g H100,L4 -b 1,8,32          a row for each\n"
      "  roofline fit -m llama-3-70b -g H100 --tp 4 -c 8192            how many users have room\n"
      "  roofline serve -m llama-3-70b -g H100 --tp 4                  how fast, for how much\n"
      "  roofline compare -m llama-3.1-8b -b 16 --by cost              which GPU is best at it\n"
      "  roofline check deploy/vllm.yaml --gpu H100                    will this config work\n\n",
      version);
  for (const Command& command : commands()) {
    text += fmt::format("  {:<9} {}\n", command.name, command.summary);
  }
  return text +
         fmt::format("\n'roofline COMMAND -h' for flags; 'roofline help TOPIC' for one of\n{}\n",
                     fmt::join(topic_names(), ", "));
}

std::string command_help(const CLI::App& command, const char* examples, bool full) {
  std::string positionals;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) positionals += " " + option->get_name();
  }
  std::string text =
      fmt::format("roofline {} - {}\n\nusage: roofline {}{} [FLAGS]\n", command.get_name(),
                  command.get_description(), command.get_name(), positionals);
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      text += fmt::format("  {:<10} {}\n", option->get_name(), option->get_description());
    }
  }
  text += groups_text(command, full);
  text += groups_text(*command.get_parent(), full);
  text += fmt::format("\nExamples:\n{}", examples);
  if (full) text += fmt::format("\n{}\n{}\n{}", units_topic, data_topic, exit_codes_topic);
  return text;
}

std::optional<std::string> topic_help(std::string_view topic) {
  for (const Topic& known : topics) {
    if (known.name != topic) continue;
    return std::string(known.text) + (topic == "models" ? families_text() : "");
  }
  return std::nullopt;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

void set_up_help(CLI::App& command, Session& session) {
  const auto word = std::make_shared<std::string>();
  command.add_option("COMMAND", *word,
                     "a command, or data, exit-codes, models, parallelism or units");
  session.run = [word, &session] {
    session.errors.throw_if_any();
    if (word->empty()) {
      write_stdout(overview());
      return 0;
    }
    if (const auto text = topic_help(*word)) {
      write_stdout(*text);
      return 0;
    }
    if (const Command* known = find_command(*word)) {
      Session other;
      const auto app = make_app(known, other);
      write_stdout(command_help(*app->get_subcommand(known->name), known->examples, true));
      return 0;
    }
    std::vector<std::string> names = topic_names();
    for (const Command& known : commands()) names.emplace_back(known.name);
    throw Error(Diagnostic{.what = fmt::format("no help on '{}'", *word),
                           .suggestions = closest(*word, names),
                           .list_command = "roofline help"});
  };
}

void set_up_version(CLI::App& /*command*/, Session& session) {
  session.run = [&session] {
    session.errors.throw_if_any();
    write_stdout(version_text());
    return 0;
  };
}

}  // namespace roofline::cli
