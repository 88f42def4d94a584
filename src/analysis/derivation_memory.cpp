// What a device holds of a model and its sequences, each formula with its numbers.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/derivation_parts.hpp"

namespace roofline::derivation {
namespace {

/// " * ((80 + 4 - 1) // 4) / 80": the share of all layers that the fullest stage has.
std::string stage_numbers(const Model& model, const Deployment& deployment) {
  if (deployment.pipeline == 1) return {};
  const std::int64_t layers = layer_count(model);
  return fmt::format(" * {} / {}", rounded_up(layers, deployment.pipeline), layers);
}

/// `sum`, of which a stage has its share.
std::string staged(const std::string& sum, const Model& model, const Deployment& deployment) {
  if (deployment.pipeline == 1) return sum;
  return fmt::format("({}){}", sum, stage_numbers(model, deployment));
}

const char* stage_symbol(const Deployment& deployment) {
  return deployment.pipeline == 1 ? "" : "; ceil(L / P) of all L layers";
}

std::int64_t ways_of(Part part, const Deployment& deployment) {
  if (part == Part::vectors) return 1;
  return part == Part::experts ? std::max(deployment.tensor, deployment.expert) : deployment.tensor;
}

std::string weight_formula(const Deployment& deployment) {
  std::string formula = "sum over parts of parameters times bytes each";
  if (deployment.tensor > 1) formula += " / G";
  if (deployment.expert > deployment.tensor) formula += ", experts / X";
  if (deployment.tensor > 1) formula += ", vectors whole";
  if (deployment.pipeline == 1) return formula;
  return formula + "; ceil(L / P) of all L layers, and the larger table";
}

void derive_weights(Derivation& d, const Model& model, const StepAnalysis& analysis) {
  const Deployment& deployment = analysis.deployment;
  const ParameterCount count = count_parameters(model);
  Sum parts;
  std::vector<std::string> tables;
  for (const Part part : all_parts) {
    if (count.parts[part] == 0) continue;
    const std::string bytes =
        fmt::format("{} * {}{}", count.parts[part], size(analysis.precision.weights[part]),
                    divided(ways_of(part, deployment)));
    const bool table = part == Part::embedding || part == Part::lm_head;
    if (table && deployment.pipeline > 1) {
      tables.push_back(bytes);
    } else {
      parts.add(bytes);
    }
  }
  std::string numbers = staged(parts.text(), model, deployment);
  if (tables.size() == 1) numbers += " + " + tables.front();
  if (tables.size() == 2) numbers += fmt::format(" + max({}, {})", tables[0], tables[1]);
  d.add("memory: weights", weight_formula(deployment), numbers, analysis.memory.weights.value(),
        "bytes");
}

/// Elements of a layer's cache that a device keeps of one token.
std::string own_elements(const Mixer& mixer, const Deployment& deployment) {
  const std::int64_t elements = kv_elements(mixer);
  const auto* attention = std::get_if<Attention>(&mixer);
  if (attention == nullptr || deployment.tensor == 1) return fmt::format("{}", elements);
  return fmt::format("{} / {} * {}", elements, attention->kv_heads,
                     own_kv_heads(*attention, deployment.tensor));
}

void derive_kv(Derivation& d, const Model& model, const StepAnalysis& analysis) {
  const Deployment& deployment = analysis.deployment;
  Sum kv;
  bool heads = false;
  for (const StepGroup& group : analysis.step.groups) {
    const std::int64_t tokens = group.cached_tokens + group.new_tokens;
    for (const LayerGroup& layer : model.layers) {
      if (kv_elements(layer.mixer) == 0) continue;
      heads = heads || std::holds_alternative<Attention>(layer.mixer);
      kv.add(fmt::format("{} * {} * {} * {} * {}", group.count, size(analysis.precision.kv),
                         layer.count, kept_tokens(layer.mixer, tokens),
                         own_elements(layer.mixer, deployment)));
    }
  }
  if (kv.empty()) return;
  const bool split = heads && deployment.tensor > 1;
  d.add("memory: K/V",
        fmt::format("n c L min(S, W) e{}, e elements a token, over layers{}",
                    split ? " / H_kv ceil(H_kv / G)" : "", stage_symbol(deployment)),
        staged(kv.text(), model, deployment), analysis.memory.kv.value(), "bytes");
}

void derive_state(Derivation& d, const Model& model, const StepAnalysis& analysis) {
  const Deployment& deployment = analysis.deployment;
  const StateSize sizes = state_size(model);
  if (sizes == StateSize()) return;
  Sum state;
  for (const StepGroup& group : analysis.step.groups) {
    state.add(fmt::format("{} * ({} * {} + {} * {}){}", group.count, size(analysis.precision.state),
                          sizes.recurrent, size(analysis.precision.activations), sizes.convolution,
                          divided(deployment.tensor)));
  }
  d.add("memory: state",
        fmt::format("n (recurrent elements times bytes + a convolution elements){}{}",
                    divided(deployment.tensor, "G"), stage_symbol(deployment)),
        staged(state.text(), model, deployment), analysis.memory.state.value(), "bytes");
}

}  // namespace

void derive_memory(Derivation& d, const Model& model, const StepAnalysis& analysis) {
  derive_weights(d, model, analysis);
  derive_kv(d, model, analysis);
  derive_state(d, model, analysis);
  std::string largest;
  for (const Operator& op : analysis.operators) {
    largest += fmt::format("{}{} / {}", largest.empty() ? "" : ", ", number(op.activations.value()),
                           op.layers);
  }
  d.add("memory: activations", "those of one layer's largest operator + a T h",
        fmt::format("max({}) + {} * {} * {}", largest, size(analysis.precision.activations),
                    number(new_tokens(analysis.step)), model.hidden_size),
        analysis.memory.activations.value(), "bytes");
}

}  // namespace roofline::derivation
