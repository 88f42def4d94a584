// Groups of flags that commands share: each is added by one function and read by one. Values are
// kept as typed and parsed when all words are known, so that all that is wrong is told at once.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/device.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

struct ModelAndDeviceFlags {
  std::vector<std::string> models;
  std::string assume;
  std::vector<std::string> gpus;
  std::string spec;
  std::string parameters;
  std::string layers;
};

struct WorkloadFlags {
  std::string workload;
  std::vector<std::string> batches;
  std::vector<std::string> contexts;
  std::string m, k, n;
  std::string heads, kv_heads, head_dim, seq_q, seq_k;
  std::optional<bool> causal;
  std::string experts;
};

struct PrecisionFlags {
  std::string weights, kv, activations, state, accumulate;
};

struct OverrideFlags {
  std::vector<std::string> peaks;
  std::string bandwidth, memory, price;
};

/// What a question is made of.
struct QuestionFlags {
  ModelAndDeviceFlags subject;
  WorkloadFlags workload;
  PrecisionFlags precision;
  OverrideFlags overrides;
};

void add_model_and_device_flags(CLI::App& command, ModelAndDeviceFlags& flags);
void add_assume_flag(CLI::App& command, std::string& assume);
void add_workload_flags(CLI::App& command, WorkloadFlags& flags);
void add_precision_flags(CLI::App& command, PrecisionFlags& flags);
void add_override_flags(CLI::App& command, OverrideFlags& flags);

/// The devices that --gpu names, in order and once each; "all" is every one of the catalogue.
/// Without --gpu: the five of the textbook. Bad names go to `errors`.
[[nodiscard]] std::vector<Found<Device>> read_devices(const ModelAndDeviceFlags& flags,
                                                      const Catalog& catalog,
                                                      ErrorCollector& errors);

/// The models that --model names, by default llama-3.1-8b.
[[nodiscard]] ReadOptions read_options(const std::string& assume);
[[nodiscard]] std::vector<Found<Model>> read_models(const ModelAndDeviceFlags& flags,
                                                    const Catalog& catalog, ErrorCollector& errors);

/// The workloads that the flags describe: one for each batch and context. Flags that the workload
/// does not take go to `errors`.
[[nodiscard]] std::vector<NamedWorkload> read_workloads(const QuestionFlags& flags,
                                                        ErrorCollector& errors);

/// What --experts says.
[[nodiscard]] ExpertChoice read_experts(const WorkloadFlags& flags, ErrorCollector& errors);

[[nodiscard]] PrecisionRequest read_precision(const PrecisionFlags& flags, const Catalog& catalog,
                                              ErrorCollector& errors);

[[nodiscard]] DeviceOverrides read_overrides(const OverrideFlags& flags, ErrorCollector& errors);

/// The flags that say what the workload is and that were given: they do not go with a spec file.
[[nodiscard]] std::vector<std::string> given_workload_flags(const QuestionFlags& flags);

}  // namespace roofline::cli
