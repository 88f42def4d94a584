#include "cli/step_flags.hpp"

#include <fmt/format.h>

namespace roofline::cli {

void add_step_flags(CLI::App& command, QuestionFlags& flags, std::string& utilization,
                    const char* models, const char* gpus) {
  add_model_and_device_flags(command, flags.subject);
  add_workload_flags(command, flags.workload);
  for (const char* other : {"--spec", "--params", "--layers", "--m", "--k", "--n", "--heads",
                            "--kv-heads", "--head-dim", "--seq-q", "--seq-k"}) {
    command.remove_option(command.get_option(other));
  }
  command.get_option("--model")->description(models);
  command.get_option("--gpu")->description(gpus);
  command.get_option("--workload")
      ->description(
          "decode, prefill, mixed or verify [decode]\n"
          "decode: one new token a sequence; prefill: a prompt each;\n"
          "mixed: decode beside a chunk of a prompt;\n"
          "verify: drafted tokens of each sequence at once");
  command.get_option("--causal")->description("prefill: count the causal mask or not [yes]");
  add_parallel_flags(command, flags.parallel);
  add_precision_flags(command, flags.precision);
  add_override_flags(command, flags.overrides);
  add_utilization_flag(command, utilization);
}

bool asks_for_step(const WorkloadFlags& flags, const char* command, ErrorCollector& errors) {
  if (flags.workload != "matmul" && flags.workload != "attention") return true;
  errors.add(Error(
      Diagnostic{.what = fmt::format("{} does not take --workload {}", command, flags.workload),
                 .why = "it is about steps of models, and that is a kernel on its own",
                 .fix = fmt::format("roofline analyze --workload {} takes lists and --gpu all too",
                                    flags.workload)}));
  return false;
}

}  // namespace roofline::cli
