// As many GPUs are asked for as the engine's ranks need: neither fewer nor more.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"

namespace roofline::rules {
namespace {

/// None for what is no number of nodes or ranks, too.
std::optional<std::int64_t> count_of(const Launch& launch, std::string_view name) {
  constexpr std::int64_t most = 1'000'000;
  const EngineSetting* setting = launch.find(name);
  if (setting == nullptr || setting->values.empty()) return std::nullopt;
  const std::string& text = setting->values.back();
  std::int64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count < 1 || count > most ? std::nullopt : std::optional(count);
}

struct Ways {
  std::int64_t tensor;
  std::int64_t pipeline;
  std::int64_t data;  ///< on this node
  std::int64_t nodes;

  /// Of one node.
  [[nodiscard]] std::int64_t devices() const {
    return (tensor * pipeline * data + nodes - 1) / nodes;
  }
};

Ways ways_of(const Launch& launch, const ServingPlan& plan) {
  const auto at_least_1 = [](std::int64_t count) { return std::max<std::int64_t>(1, count); };
  Ways ways{.tensor = at_least_1(plan.tensor.value),
            .pipeline = at_least_1(plan.pipeline.value),
            .data = at_least_1(plan.data.value),
            .nodes = count_of(launch, "nnodes").value_or(1)};
  // SGLang's data-parallel attention is within the tensor-parallel ranks.
  if (plan.engine == Engine::sglang && plan.attention_dp.value) ways.data = 1;
  if (const auto local = count_of(launch, "data-parallel-size-local")) ways.data = *local;
  return ways;
}

bool spans_nodes(const Launch& launch) {
  const EngineSetting* backend = launch.find("distributed-executor-backend");
  return backend != nullptr && !backend->values.empty() && backend->values.back() == "ray";
}

std::string product_text(const Ways& ways) {
  std::string text = fmt::format("tp {}", ways.tensor);
  if (ways.pipeline > 1) text += fmt::format(" x pp {}", ways.pipeline);
  if (ways.data > 1) text += fmt::format(" x dp {}", ways.data);
  if (ways.nodes > 1) text += fmt::format(" over {} nodes", ways.nodes);
  return text;
}

}  // namespace

void gpu_count_mismatch(const RuleSubject& subject, RuleFindings& findings) {
  const ServingPlan& plan = *subject.plan;
  if (!plan.gpus.given) return findings.skip("nothing says how many GPUs there are");
  if (plan.engine == Engine::llama_cpp) {
    return findings.skip("llama.cpp spreads layers over every GPU that it sees");
  }
  const Ways ways = ways_of(*subject.launch, plan);
  const std::int64_t needed = ways.devices();
  const std::int64_t asked = plan.gpus.value;
  if (needed == asked) return;
  const std::string name = name_of(plan.gpus, "gpus");
  Finding finding;
  finding.place = place_of(plan.gpus, subject);
  finding.subject = "gpus";
  finding.uncertain = needed < asked || spans_nodes(*subject.launch);
  finding.what = fmt::format("{} {} is asked for, {} needs {}", name, digits(asked),
                             product_text(ways), digits(needed));
  finding.why = needed > asked ? fmt::format("{} does not start its ranks without a GPU each",
                                             engine_title(plan.engine))
                               : fmt::format("{} of the GPUs stand idle", digits(asked - needed));
  finding.fix = fmt::format("{} {}", name, digits(needed));
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
