// The flags of commands that ask about steps of models alone, on as many devices as there are.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/flags.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

/// Adds the groups of analyze without kernels on their own, spec files and bare numbers. `gpus` and
/// `models` describe --gpu and --model.
void add_step_flags(CLI::App& command, QuestionFlags& flags, std::string& utilization,
                    const char* models, const char* gpus);

/// False, with an error that names `command`, for a workload that is a kernel on its own.
[[nodiscard]] bool asks_for_step(const WorkloadFlags& flags, const char* command,
                                 ErrorCollector& errors);

}  // namespace roofline::cli
