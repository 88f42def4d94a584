// The main question: is a workload compute-bound or memory-bound on a device, how fast can it be.
// A pure function of its request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/kernel.hpp"
#include "roofline/memory.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/rates.hpp"
#include "roofline/roof.hpp"
#include "roofline/step.hpp"
#include "roofline/timing.hpp"

namespace roofline {

/// Sequences of one length.
struct Sequences {
  std::int64_t count = 1;
  std::int64_t context = 2048;  ///< tokens of each

  friend bool operator==(const Sequences&, const Sequences&) = default;
};

/// One new token for each of `batch` sequences; `context` tokens are attended, it included.
struct Decode {
  std::int64_t batch = 1;
  std::int64_t context = 2048;
  std::vector<Sequences> others{};  ///< further sequences, of other lengths

  friend bool operator==(const Decode&, const Decode&) = default;
};

/// `batch` prompts of `context` tokens, of which `cached` are in the cache already.
struct Prefill {
  std::int64_t batch = 1;
  std::int64_t context = 2048;
  bool causal = true;
  std::int64_t cached = 0;
  std::vector<Sequences> others{};  ///< further prompts, with the same cached prefix

  friend bool operator==(const Prefill&, const Prefill&) = default;
};

/// Chunked prefill beside decode: one new token for each of `batch` sequences, and `chunk` tokens
/// of one prompt of which `position` are done.
struct Mixed {
  std::int64_t batch = 1;
  std::int64_t context = 2048;
  std::int64_t chunk = 512;
  std::int64_t position = 0;
  std::vector<Sequences> others{};

  friend bool operator==(const Mixed&, const Mixed&) = default;
};

/// Speculative verification: `drafts` drafted tokens of each sequence and the one after them are
/// computed at once; `context` tokens are attended by the first of them, it included.
struct Verify {
  std::int64_t batch = 1;
  std::int64_t context = 2048;
  std::int64_t drafts = 4;
  std::vector<Sequences> others{};

  friend bool operator==(const Verify&, const Verify&) = default;
};

/// The first four are steps of a model; the others are kernels on their own.
using Workload =
    std::variant<Decode, Prefill, Mixed, Verify, MatmulShape, AttentionShape, TextbookDecode>;

/// True if the workload is a step of a model.
[[nodiscard]] bool needs_model(const Workload& workload);

/// The step of a workload that needs a model.
[[nodiscard]] Step step_of(const Workload& workload);

/// All sequences of a workload that needs a model: `batch` of `context`, and the others.
[[nodiscard]] std::vector<Sequences> sequences_of(const Workload& workload);

struct NamedWorkload {
  std::string name;  ///< "decode", or what a spec file calls it
  Workload workload;

  friend bool operator==(const NamedWorkload&, const NamedWorkload&) = default;
};

/// The number formats that were asked for; what is absent follows from the model.
struct PrecisionRequest {
  std::optional<NumberFormat> weights;
  std::optional<NumberFormat> kv;
  std::optional<NumberFormat> activations;
  std::optional<NumberFormat> state;
  Accumulate accumulate = Accumulate::fp32;

  friend bool operator==(const PrecisionRequest&, const PrecisionRequest&) = default;
};

struct ResolvedPrecision {
  Precision precision;
  std::vector<std::string> notes;  ///< what was assumed
};

/// The formats of a step of `model`: as asked for, else as the model is published. 16-bit where it
/// is published in fp32, as engines load it. Throws Error for activations in a block format.
[[nodiscard]] ResolvedPrecision resolve_precision(const Model& model,
                                                  const PrecisionRequest& request);

/// The formats of a kernel on its own: as asked for, else fp16. Throws Error as above.
[[nodiscard]] Precision kernel_precision(const PrecisionRequest& request);

/// Throws Error for a number of experts, or a type of states, that no model here has.
void require_choices(std::span<const Model> models, const PrecisionRequest& precision,
                     const ExpertChoice& experts);

/// Evaluated as a full product: models, then devices, then workloads. Workloads that need no model
/// are evaluated once a device.
struct AnalyzeRequest {
  std::vector<Model> models;
  std::vector<Device> devices;
  std::vector<NamedWorkload> workloads;
  PrecisionRequest precision{};
  std::optional<DollarsPerHour> price{};  ///< of one device
  ExpertChoice experts{};                 ///< of all steps
  Deployment deployment{};                ///< of all models
  double utilization = default_utilization;
};

/// What is tried to make a step faster; batch_twice is about throughput.
enum class Change { peak_twice, bandwidth_twice, link_twice, weights_8_bit, kv_8_bit, batch_twice };
/// "twice the peak", "8-bit weights" ...
[[nodiscard]] std::string_view to_string(Change change);

/// What a change does, found by computing the step anew.
struct Improvement {
  Change change = Change::peak_twice;
  double speedup = 1;        ///< of the roofline time; of tokens a second for batch_twice
  Seconds roofline;          ///< with the change
  std::optional<bool> fits;  ///< with the change; none where the capacity is not known

  friend bool operator==(const Improvement&, const Improvement&) = default;
};

/// What a step of a model has and a kernel has not.
struct StepAnalysis {
  std::string model;
  Deployment deployment;
  Step step;  ///< of the fullest replica; operators, time and memory are those of one device
  Precision precision;
  std::vector<Operator> operators;
  Rates rates;
  Network network;
  StepTime time;
  MemoryNeed memory;
  std::optional<Bytes> usable_memory;
  /// New tokens of all sequences of all replicas per second of roofline time; of prompts, in
  /// prefill. One step is in flight, of a pipeline too.
  double tokens_per_second = 0;
  /// At `AnalyzeRequest::price` of each device; a floor, as the time is.
  std::optional<double> dollars_per_million_tokens;

  /// None where the device's capacity is not known.
  [[nodiscard]] std::optional<bool> fits() const;
  /// True where the number of experts that are read is what the roofline time hangs on: it is a
  /// floor then only for ExpertChoice::Kind::fewest.
  [[nodiscard]] bool routing_decides() const;
};

/// What a kernel on its own has: all its bytes are compulsory.
struct KernelAnalysis {
  KernelCost cost;
  Precision precision;
  Rate rate;
};

/// One device, one workload.
struct AnalyzePoint {
  std::string gpu;
  NamedWorkload workload;
  Roof roof;
  Flops flops;
  Bytes bytes;  ///< compulsory
  Seconds compute_time;
  Seconds memory_time;
  Seconds network_time;  ///< bandwidth alone; 0 on one device
  Seconds roofline_time;
  std::variant<StepAnalysis, KernelAnalysis> detail;
  /// What would help, the most first; changes that do not apply are left out. Of the only point of
  /// a request.
  std::vector<Improvement> improvements;
  std::vector<std::string> notes;

  [[nodiscard]] FlopsPerByte intensity() const { return flops / bytes; }
  /// By intensity and ridge; network-bound where the network takes longer than both.
  [[nodiscard]] Verdict verdict() const;
  /// F / roofline time: min(peak, bandwidth x intensity) where the network does not take longer.
  [[nodiscard]] FlopsPerSecond achievable() const;
};

struct AnalyzeResult {
  std::vector<AnalyzePoint> points;
};

/// What one answer holds at most: each point keeps its operators.
inline constexpr std::size_t most_points = 10'000;

/// Models x devices x workloads; those that need no model count once a device.
[[nodiscard]] std::size_t point_count(const AnalyzeRequest& request);

/// Throws Error for more than `most_points`.
void require_few_points(const AnalyzeRequest& request);

/// Throws Error for more than `most_points`, and for a workload that a device or model cannot run
/// at all: all of them at once.
[[nodiscard]] AnalyzeResult analyze(const AnalyzeRequest& request);

}  // namespace roofline
