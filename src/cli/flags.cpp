#include "cli/flags.hpp"

namespace roofline::cli {
namespace {

CLI::Option* value(CLI::App& command, const char* group, const std::string& names,
                   std::string& target, const char* type, const char* description) {
  return command.add_option(names, target, description)->type_name(type)->take_last()->group(group);
}

/// A repeated list flag adds up.
CLI::Option* list(CLI::App& command, const char* group, const std::string& names,
                  std::vector<std::string>& target, const char* type, const char* description) {
  return command.add_option(names, target, description)
      ->type_name(type)
      ->allow_extra_args(false)
      ->group(group);
}

}  // namespace

void add_subject_flags(CLI::App& command, ModelAndDeviceFlags& flags) {
  const char* group = "Model and device";
  list(command, group, "-m,--model", flags.models, "NAME",
       "a name, alias, config.json, GGUF or directory [llama-3.1-8b]");
  list(command, group, "-g,--gpu,--device", flags.gpus, "NAME",
       "a name, alias or JSON file [H100]");
  add_assume_flag(command, flags.assume);
}

void add_model_and_device_flags(CLI::App& command, ModelAndDeviceFlags& flags) {
  const char* group = "Model and device";
  list(command, group, "-m,--model", flags.models, "LIST",
       "names, aliases, config.json, GGUF, directories [llama-3.1-8b]");
  list(command, group, "-g,--gpu,--device", flags.gpus, "LIST",
       "names, aliases, JSON files, or all [T4,L4,A10G,A100,H100]");
  add_assume_flag(command, flags.assume);
  value(command, group, "--spec", flags.spec, "FILE",
        "a file of devices, models and workloads, or: textbook");
  value(command, group, "--params", flags.parameters, "N",
        "a model by bare numbers, with --kv-heads and --head-dim\n"
        "decode as the textbook has it: all weights, K/V of --layers");
  value(command, group, "--layers", flags.layers, "N",
        "layers whose K/V is counted with --params [1]");
}

void add_assume_flag(CLI::App& command, std::string& assume) {
  value(command, "Model and device", "--assume", assume, "FAMILY",
        "what to take an unknown family for: llama");
}

void add_workload_flags(CLI::App& command, WorkloadFlags& flags) {
  const char* group = "Workload";
  value(command, group, "-w,--workload", flags.workload, "NAME",
        "decode, prefill, mixed, verify, matmul or attention [decode]\n"
        "decode: one new token a sequence; prefill: a prompt each;\n"
        "mixed: decode beside a chunk of a prompt;\n"
        "verify: drafted tokens of each sequence at once;\n"
        "matmul and attention: kernels on their own");
  list(command, group, "-b,--batch", flags.batches, "LIST", "sequences [1]");
  list(command, group, "-c,--context", flags.contexts, "LIST",
       "tokens attended in decode, prompt tokens in prefill [2048]");
  list(command, group, "--contexts", flags.lengths, "LIST",
       "sequences of several lengths: 512x8,4096x2\n"
       "is 8 of 512 tokens and 2 of 4096");
  value(command, group, "--cached", flags.cached, "N",
        "prefill: tokens of each prompt that are cached already [0]");
  value(command, group, "--chunk", flags.chunk, "N", "mixed: prompt tokens in the step [512]");
  value(command, group, "--position", flags.position, "N",
        "mixed: tokens of that prompt that are done [0]");
  value(command, group, "--drafts", flags.drafts, "N", "verify: drafted tokens a sequence [4]");
  value(command, group, "--m", flags.m, "N", "matmul: rows of A and C");
  value(command, group, "--k", flags.k, "N", "matmul: columns of A, rows of B");
  value(command, group, "--n", flags.n, "N", "matmul: columns of B and C");
  value(command, group, "--heads", flags.heads, "N", "attention: query heads");
  value(command, group, "--kv-heads", flags.kv_heads, "N", "attention: K/V heads [as heads]");
  value(command, group, "--head-dim", flags.head_dim, "N", "attention: elements a head");
  value(command, group, "--seq-q", flags.seq_q, "N", "attention: queries");
  value(command, group, "--seq-k", flags.seq_k, "N", "attention: keys [as queries]");
  command
      .add_flag_function(
          "--causal,!--no-causal", [&flags](std::int64_t count) { flags.causal = count > 0; },
          "count the causal mask or not [prefill yes, attention no]")
      ->take_last()
      ->group(group);
  add_experts_flag(command, flags.experts);
}

void add_experts_flag(CLI::App& command, std::string& experts) {
  value(command, "Workload", "--experts", experts, "N",
        "experts that a layer reads: fewest, all, a number [expected]\n"
        "expected: as many as uniform routing touches;\n"
        "fewest: those of one token, which makes the time a floor");
}

void add_parallel_flags(CLI::App& command, ParallelFlags& flags) {
  const char* group = "Parallelism";
  list(command, group, "--tp", flags.tensor, "N", "tensor parallel: matrices and heads split [1]");
  list(command, group, "--pp", flags.pipeline, "N", "pipeline parallel: layers split [1]");
  list(command, group, "--ep", flags.expert, "N",
       "expert parallel: routed experts spread [1]\n"
       "over some of the tp devices, or over several replicas:\n"
       "without --dp there are as many as it takes");
  list(command, group, "--dp", flags.data, "N", "data parallel: replicas; the batch is split [1]");
}

void add_precision_flags(CLI::App& command, PrecisionFlags& flags) {
  const char* group = "Precision";
  value(command, group, "--weight-dtype", flags.weights, "FORMAT",
        "format of the weights [as published]; roofline list formats");
  value(command, group, "--kv-dtype", flags.kv, "FORMAT",
        "format of the K/V cache [as unquantised weights]");
  value(command, group, "--act-dtype", flags.activations, "FORMAT",
        "format of the activations [as unquantised weights]\n"
        "fp8 weights with 16-bit activations run at the 16-bit peak,\n"
        "with --act-dtype fp8 at the fp8 peak");
  value(command, group, "--state-dtype", flags.state, "FORMAT",
        "format of recurrent states (Mamba and the like) [fp32]");
  value(command, group, "--accumulate", flags.accumulate, "TYPE",
        "fp32, or fp16 where a device has a rate for it [fp32]");
}

void add_override_flags(CLI::App& command, OverrideFlags& flags) {
  const char* group = "Overrides";
  list(command, group, "--peak", flags.peaks, "TYPE=RATE", "dense peak, as fp16=989TFLOP/s");
  value(command, group, "--bandwidth", flags.bandwidth, "RATE", "memory bandwidth, as 3.35TB/s");
  value(command, group, "--memory", flags.memory, "BYTES",
        "memory of one device, as 80GiB; 90 % counts as usable");
  value(command, group, "--link", flags.link, "RATE",
        "one way between devices, as 450GB/s: joins any number");
  value(command, group, "--link-latency", flags.link_latency, "TIME",
        "of one message between devices, as 2us");
  value(command, group, "--price", flags.price, "USD", "price of one device-hour, as 2.49");
}

void add_utilization_flag(CLI::App& command, std::string& utilization) {
  value(command, "Overrides", "--gpu-memory-utilization", utilization, "SHARE",
        "share of the memory that the engine uses [0.9]");
}

void add_engine_flags(CLI::App& command, EngineFlags& flags) {
  const char* group = "Engine";
  value(command, group, "--gpu-memory-utilization", flags.utilization, "SHARE",
        "share of the memory that the engine uses [0.9]");
  value(command, group, "--memory-overhead", flags.overhead, "BYTES",
        "fixed, on each device: context, CUDA graphs [0; fit: an interval]");
  value(command, group, "--block-size", flags.block_size, "N", "tokens of a K/V block [16]");
  value(command, group, "--max-num-batched-tokens", flags.batched_tokens, "N",
        "prompt tokens in a step at most [8192]");
}

}  // namespace roofline::cli
