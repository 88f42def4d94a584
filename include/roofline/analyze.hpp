// The main question: is a workload compute-bound or memory-bound on a device, how fast can it be.
// A pure function of its request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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

/// One new token for each of `batch` sequences; `context` tokens are attended, it included.
struct Decode {
  std::int64_t batch = 1;
  std::int64_t context = 2048;

  friend bool operator==(const Decode&, const Decode&) = default;
};

/// `batch` prompts of `context` tokens.
struct Prefill {
  std::int64_t batch = 1;
  std::int64_t context = 2048;
  bool causal = true;

  friend bool operator==(const Prefill&, const Prefill&) = default;
};

/// Decode and Prefill are steps of a model; the others are kernels on their own.
using Workload = std::variant<Decode, Prefill, MatmulShape, AttentionShape, TextbookDecode>;

/// True if the workload is a step of a model.
[[nodiscard]] bool needs_model(const Workload& workload);

/// The step of a workload that needs a model.
[[nodiscard]] Step step_of(const Workload& workload);

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

/// Evaluated as a full product: models, then devices, then workloads. Workloads that need no model
/// are evaluated once a device.
struct AnalyzeRequest {
  std::vector<Model> models;
  std::vector<Device> devices;
  std::vector<NamedWorkload> workloads;
  PrecisionRequest precision{};
  std::optional<DollarsPerHour> price{};  ///< of one device
  ExpertChoice experts{};                 ///< of all steps
};

/// What a step of a model has and a kernel has not.
struct StepAnalysis {
  std::string model;
  Step step;
  Precision precision;
  std::vector<Operator> operators;
  Rates rates;
  StepTime time;
  MemoryNeed memory;
  std::optional<Bytes> usable_memory;
  /// New tokens of all sequences per second of roofline time; of prompts, in prefill.
  double tokens_per_second = 0;
  /// At `AnalyzeRequest::price`; a floor, as the time is.
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
  Seconds roofline_time;
  std::variant<StepAnalysis, KernelAnalysis> detail;
  std::vector<std::string> notes;

  [[nodiscard]] FlopsPerByte intensity() const { return flops / bytes; }
  [[nodiscard]] Verdict verdict() const { return roof.verdict(intensity()); }
  /// F / roofline time: min(peak, bandwidth x intensity) on one device.
  [[nodiscard]] FlopsPerSecond achievable() const { return roof.achievable(intensity()); }
};

struct AnalyzeResult {
  std::vector<AnalyzePoint> points;
};

/// What one answer holds at most: each point keeps its operators.
inline constexpr std::size_t most_points = 10'000;

/// Throws Error for more than `most_points`.
void require_few_points(const AnalyzeRequest& request);

/// Throws Error for more than `most_points`, and for a workload that a device or model cannot run
/// at all: all of them at once.
[[nodiscard]] AnalyzeResult analyze(const AnalyzeRequest& request);

}  // namespace roofline
