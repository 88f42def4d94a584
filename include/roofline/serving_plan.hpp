// ServingPlan: a launch in words that all engines share, with the place of each value; and what it
// comes to on a model and a device, with the engine's defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/server.hpp"
#include "roofline/serving_config.hpp"

namespace roofline {

/// A value, and where it was given.
template <class T>
struct Given {
  T value{};
  std::string written{};  ///< the setting's name as the file or flag spells it: "max_model_len"
  std::optional<Place> place{};  ///< none: a default, or given by a flag of the command line
  bool given = false;            ///< false: a default

  friend bool operator==(const Given&, const Given&) = default;
};

struct ServingPlan {
  Engine engine = Engine::vllm;
  std::string version;  ///< of the engine
  bool version_assumed = false;
  std::string name;  ///< of the launch
  Place place;       ///< of the launch
  /// Not given, but with its text and place: a variable in it that nothing in the file sets.
  Given<std::string> model, gpu;
  Given<std::int64_t> gpus;  ///< asked for from the scheduler; not given: nothing says it
  /// At least 1, in the engine's own numbers. Their product is the number of devices, but where
  /// SGLang has attention_dp: there the `data` replicas of attention are within the `tensor` ranks.
  Given<std::int64_t> tensor, pipeline, data;
  Given<bool> expert_parallel;  ///< experts are spread, not sliced
  Given<std::int64_t> expert;   ///< ranks that they are spread over
  /// Attention is replicated within the tensor ranks: TensorRT-LLM on all of them, SGLang `data`
  /// times (data divides tensor), each over tensor / data of them. Experts are on all ranks.
  Given<bool> attention_dp;
  Given<std::int64_t> context_parallel;  ///< ranks that share a sequence's K/V (vLLM's dcp)
  /// Tokens of a sequence at most. Given as 0: as many as fit, up to the model's (vLLM's auto, -1).
  Given<std::int64_t> max_model_len;
  /// In a step of a replica at most; SGLang with attention_dp: of all its replicas together.
  Given<std::int64_t> max_sequences;
  /// New tokens of a step at most (llama.cpp: -ub), counted like max_sequences.
  Given<std::int64_t> batched_tokens;
  Given<bool> chunked_prefill;
  /// vLLM: of the device's total; SGLang: of the total, weights and K/V; TensorRT-LLM: of what is
  /// free after loading.
  Given<double> memory_share;
  Given<Bytes> kv_memory;  ///< of a device: instead of what the share leaves (vLLM), or at most
  /// The cache of a replica holds no more; llama.cpp: exactly these, shared by max_sequences.
  Given<std::int64_t> kv_token_limit;
  Given<std::int64_t> block_tokens;
  Given<std::string> dtype;         ///< of weights and activations, as written
  Given<std::string> quantization;  ///< of weights, asked for at load
  Given<std::string> kv_dtype;      ///< llama.cpp: of K
  Given<std::string> value_dtype;   ///< llama.cpp: of V
  Given<bool> cuda_graphs;
  Given<Bytes> cpu_offload;        ///< of weights, of each device
  Given<std::int64_t> gpu_layers;  ///< llama.cpp: not given or more than there are: all
  Given<bool> full_window_cache;   ///< window layers keep the whole context
  Given<bool> draft_model;         ///< speculative decoding with weights of its own

  /// What is asked of the deployment (requirements' names and values, "max-ttft": "500ms"), from
  /// the project file or from flags.
  std::vector<EngineSetting> require;
  Given<std::int64_t> prompt, output;  ///< of a request
  Given<std::int64_t> concurrency;     ///< that the requirements are judged at
  Given<DollarsPerHour> price;         ///< of one device
};

/// Reads a launch's settings. What one does not give has given = false and the engine's default
/// where that depends on nothing else. Throws Error (FILE:LINE:COL) for a value that the engine
/// would refuse, and for a variable that nothing resolves in a setting that matters here.
[[nodiscard]] ServingPlan plan_of(const Launch& launch);

}  // namespace roofline
