// A catalogue's model on a catalogue's device as an engine would start it, put together by hand.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/engine_memory.hpp"

namespace roofline {

struct StartedEngine {
  Engine engine = Engine::vllm;
  std::string version = "0.30.0";
  std::string model = "llama-3.1-8b";
  std::string device = "H100";
  std::string weights{};  ///< a format; empty: as published
  std::string kv{};
  std::int64_t tensor = 1, pipeline = 1, data = 1;
  double share = 0.9;
  std::int64_t max_model_len = 8192;
  std::int64_t max_sequences = 256;
  std::int64_t batched_tokens = 8192;
  std::int64_t block_tokens = 16;
};

template <class T>
Given<T> given(T value) {
  return {.value = std::move(value), .given = true};
}

/// With `change` to the plan made last.
inline ResolvedServing started(const StartedEngine& engine,
                               const std::function<void(ServingPlan&)>& change = {}) {
  const Catalog catalog;
  ResolvedServing serving;
  ServingPlan& plan = serving.plan;
  plan.engine = engine.engine;
  plan.version = engine.version;
  plan.tensor = given(engine.tensor);
  plan.pipeline = given(engine.pipeline);
  plan.data = given(engine.data);
  plan.expert.value = plan.context_parallel.value = 1;
  plan.max_model_len = given(engine.max_model_len);
  plan.max_sequences = given(engine.max_sequences);
  plan.batched_tokens = given(engine.batched_tokens);
  plan.chunked_prefill = given(true);
  plan.cuda_graphs = given(true);
  plan.memory_share = given(engine.share);
  plan.block_tokens = given(engine.block_tokens);
  if (change) change(plan);
  Server& server = serving.server;
  server.model = catalog.model(engine.model);
  server.device = catalog.device(engine.device);
  server.deployment = {.tensor = plan.tensor.value,
                       .pipeline = plan.pipeline.value,
                       .expert = std::max<std::int64_t>(1, plan.expert.value),
                       .data = plan.data.value};
  if (!engine.weights.empty()) server.precision.weights = catalog.format(engine.weights);
  if (!engine.kv.empty()) server.precision.kv = catalog.format(engine.kv);
  serving.precision = resolve_precision(server.model, server.precision).precision;
  return serving;
}

}  // namespace roofline
