#include "report/analyze_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/routed_experts.hpp"
#include "report/server_inputs.hpp"

namespace roofline::report {
namespace {

template <class T>
void add_once(std::vector<T>& values, const T& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

/// A list of one is that one.
template <class T>
Value one_or_list(const std::vector<T>& values) {
  if (values.size() == 1) return values.front();
  return values;
}

/// The dimensions of a step of a model, by the keys of its result.
Fields step_shape_of(const Workload& workload) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  Fields fields;
  const std::vector<Sequences> all = sequences_of(workload);
  if (all.size() == 1) {
    fields = {{"batch", number(all.front().count)},
              {"context_tokens", number(all.front().context)}};
  } else {
    std::int64_t batch = 0;
    std::vector<std::string> contexts;
    for (const Sequences& alike : all) {
      batch += alike.count;
      contexts.push_back(fmt::format("{}x{}", alike.context, alike.count));
    }
    fields = {{"batch", number(batch)}, {"contexts", contexts}};
  }
  if (const auto* w = std::get_if<Prefill>(&workload)) {
    fields.emplace_back("cached_tokens", number(w->cached));
    fields.emplace_back("causal", w->causal);
  } else if (const auto* m = std::get_if<Mixed>(&workload)) {
    fields.emplace_back("chunk_tokens", number(m->chunk));
    fields.emplace_back("position_tokens", number(m->position));
  } else if (const auto* v = std::get_if<Verify>(&workload)) {
    fields.emplace_back("draft_tokens", number(v->drafts));
  }
  return fields;
}

/// The dimensions of one workload, by the keys of its result.
Fields shape_of(const Workload& workload) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  if (needs_model(workload)) return step_shape_of(workload);
  if (const auto* w = std::get_if<MatmulShape>(&workload)) {
    return {{"m", number(w->m)}, {"k", number(w->k)}, {"n", number(w->n)}};
  }
  if (const auto* w = std::get_if<AttentionShape>(&workload)) {
    return {{"batch", number(w->batch)},
            {"heads", number(w->heads)},
            {"kv_heads", number(w->kv_heads)},
            {"head_dim", number(w->head_dim)},
            {"seq_q", number(w->seq_q)},
            {"seq_k", number(w->seq_k)},
            {"causal", w->causal}};
  }
  const auto& w = std::get<TextbookDecode>(workload);
  return {{"batch", number(w.batch)},
          {"parameters", number(w.parameters)},
          {"kv_heads", number(w.kv_heads)},
          {"head_dim", number(w.head_dim)},
          {"context_tokens", number(w.context)},
          {"layers", number(w.layers)}};
}

/// Every dimension of the workloads with the values that it takes.
void add_shapes(const std::vector<NamedWorkload>& workloads, Fields& inputs) {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  std::optional<bool> causal;
  std::optional<Value> contexts;
  for (const NamedWorkload& named : workloads) {
    for (const auto& dimension : shape_of(named.workload)) {
      const std::string& key = dimension.first;
      const Value& value = dimension.second;
      if (const auto* flag = std::get_if<bool>(&value)) {
        causal = *flag;
        continue;
      }
      if (std::holds_alternative<std::vector<std::string>>(value)) {
        contexts = value;
        continue;
      }
      auto entry = std::find_if(numbers.begin(), numbers.end(),
                                [&](const auto& other) { return other.first == key; });
      if (entry == numbers.end()) entry = numbers.insert(entry, {key, {}});
      add_once(entry->second, std::get<double>(value));
    }
  }
  for (auto& [key, values] : numbers) inputs.emplace_back(key, one_or_list(values));
  if (contexts) inputs.emplace_back("contexts", *contexts);
  if (causal) inputs.emplace_back("causal", *causal);
}

}  // namespace

std::string precision_text(const Precision& precision) {
  const std::string& weights = precision.weights_name;
  if (weights == precision.kv.name && weights == precision.activations.name) return weights;
  return fmt::format("weights {}, K/V {}, activations {}", weights, precision.kv.name,
                     precision.activations.name);
}

Fields inputs_of(const AnalyzeRequest& request, const std::string& spec) {
  Fields inputs;
  const auto names = [](const auto& entries) {
    std::vector<std::string> result;
    for (const auto& entry : entries) result.push_back(entry.name);
    return result;
  };
  if (!spec.empty()) inputs.emplace_back("spec", spec);
  if (!request.models.empty()) inputs.emplace_back("model", one_or_list(names(request.models)));
  inputs.emplace_back("gpu", one_or_list(names(request.devices)));
  std::vector<std::string> workloads;
  for (const NamedWorkload& named : request.workloads) {
    add_once(workloads, named.name);
  }
  inputs.emplace_back("workload", one_or_list(workloads));
  if (spec.empty()) add_shapes(request.workloads, inputs);
  if (!request.models.empty()) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    inputs.emplace_back("tp", number(request.deployment.tensor));
    inputs.emplace_back("pp", number(request.deployment.pipeline));
    inputs.emplace_back("ep", number(request.deployment.expert));
    inputs.emplace_back("dp", number(request.deployment.data));
    inputs.emplace_back("gpu_memory_utilization", request.utilization);
  }
  std::vector<std::string> weights;
  std::vector<std::string> kv;
  std::vector<std::string> activations;
  const auto add_precision = [&](const Precision& precision) {
    add_once(weights, precision.weights_name);
    add_once(kv, precision.kv.name);
    add_once(activations, precision.activations.name);
  };
  for (const Model& model : request.models) {
    add_precision(resolve_precision(model, request.precision).precision);
  }
  const bool kernels =
      std::any_of(request.workloads.begin(), request.workloads.end(),
                  [](const NamedWorkload& named) { return !needs_model(named.workload); });
  if (kernels) add_precision(kernel_precision(request.precision));
  inputs.emplace_back("weight_dtype", one_or_list(weights));
  inputs.emplace_back("kv_dtype", one_or_list(kv));
  inputs.emplace_back("act_dtype", one_or_list(activations));
  inputs.emplace_back(
      "accumulate",
      std::string(request.precision.accumulate == Accumulate::fp16 ? "fp16" : "fp32"));
  std::vector<std::string> states;
  for (const Model& model : request.models) {
    if (state_size(model).recurrent == 0) continue;
    add_once(states, resolve_precision(model, request.precision).precision.state.name);
  }
  if (!states.empty()) inputs.emplace_back("state_dtype", one_or_list(states));
  if (std::any_of(request.models.begin(), request.models.end(), has_routed_experts)) {
    inputs.emplace_back("experts", value_of(request.experts));
  }
  return inputs;
}

}  // namespace roofline::report
