// Groups of flags that commands share: each is added by one function and read by one. Values are
// kept as typed and parsed when all words are known, so that all that is wrong is told at once.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "report/report.hpp"
#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/device.hpp"
#include "roofline/error.hpp"
#include "roofline/server.hpp"

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
  std::vector<std::string> lengths;  ///< --contexts 512x8,4096x2
  std::string cached, chunk, position, drafts;
  std::string m, k, n;
  std::string heads, kv_heads, head_dim, seq_q, seq_k;
  std::optional<bool> causal;
  std::string experts;
};

struct PrecisionFlags {
  std::string weights, kv, activations, state, accumulate;
};

/// Lists for sweep, one value each elsewhere.
struct ParallelFlags {
  std::vector<std::string> tensor, pipeline, expert, data;
};

struct OverrideFlags {
  std::vector<std::string> peaks;
  std::string bandwidth, memory, link, link_latency, price;
};

/// What an engine decides.
struct EngineFlags {
  std::string utilization, overhead, block_size, batched_tokens;
};

/// What a question is made of.
struct QuestionFlags {
  ModelAndDeviceFlags subject;
  WorkloadFlags workload;
  ParallelFlags parallel;
  PrecisionFlags precision;
  OverrideFlags overrides;
};

void add_model_and_device_flags(CLI::App& command, ModelAndDeviceFlags& flags);
/// One model and one device.
void add_subject_flags(CLI::App& command, ModelAndDeviceFlags& flags);
void add_assume_flag(CLI::App& command, std::string& assume);
void add_workload_flags(CLI::App& command, WorkloadFlags& flags);
void add_experts_flag(CLI::App& command, std::string& experts);
void add_parallel_flags(CLI::App& command, ParallelFlags& flags);
void add_precision_flags(CLI::App& command, PrecisionFlags& flags);
void add_override_flags(CLI::App& command, OverrideFlags& flags);
/// --gpu-memory-utilization alone, in analyze.
void add_utilization_flag(CLI::App& command, std::string& utilization);
void add_engine_flags(CLI::App& command, EngineFlags& flags);

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

/// The one deployment that the flags describe. Without --dp there are as many replicas as the
/// experts span.
[[nodiscard]] Deployment read_deployment(const ParallelFlags& flags, ErrorCollector& errors);

/// A share of memory, above 0 and at most 1; without the flag the default.
[[nodiscard]] double read_utilization(const std::string& text, ErrorCollector& errors);
[[nodiscard]] EngineLimits read_engine_limits(const EngineFlags& flags, ErrorCollector& errors);

/// What --experts says.
[[nodiscard]] ExpertChoice read_experts(const WorkloadFlags& flags, ErrorCollector& errors);

[[nodiscard]] PrecisionRequest read_precision(const PrecisionFlags& flags, const Catalog& catalog,
                                              ErrorCollector& errors);

[[nodiscard]] DeviceOverrides read_overrides(const OverrideFlags& flags, ErrorCollector& errors);

/// What was given instead of the devices' and models' own figures, as the answer repeats it.
struct GivenFigures {
  report::Fields inputs;
  std::string text;  ///< "bandwidth 3TB/s, 2.49 USD an hour", or empty
};
[[nodiscard]] GivenFigures given_figures(const QuestionFlags& flags,
                                         const DeviceOverrides& overrides,
                                         const std::optional<DollarsPerHour>& price,
                                         const PrecisionRequest& precision);

/// Where entries were found: one place, or a list of them.
template <class Entry>
[[nodiscard]] report::Value sources_of(const std::vector<Found<Entry>>& found) {
  std::vector<std::string> places;
  for (const Found<Entry>& one : found) places.push_back(source_text(one.source));
  if (places.size() == 1) return places.front();
  return places;
}

/// The flags that say what the workload is and that were given: they do not go with a spec file.
[[nodiscard]] std::vector<std::string> given_workload_flags(const QuestionFlags& flags);

}  // namespace roofline::cli
