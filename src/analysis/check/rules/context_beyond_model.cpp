// Longer sequences are allowed than the model was made for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "base/closest.hpp"

namespace roofline::rules {
namespace {

constexpr std::array<std::string_view, 2> switches{"VLLM_ALLOW_LONG_MAX_MODEL_LEN",
                                                   "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"};
/// Settings that replace the config's positions or their scaling.
constexpr std::array<std::string_view, 8> overrides{
    "rope-scaling", "rope-theta",    "hf-overrides",   "json-model-override-args",
    "rope-scale",   "yarn-orig-ctx", "rope-freq-base", "rope-freq-scale"};

bool is_override(const EngineSetting& setting) {
  return std::any_of(overrides.begin(), overrides.end(), [&](std::string_view name) {
    return setting.name == name || setting.name.starts_with(std::string(name) + ".");
  });
}

bool is_switch(const EngineSetting& setting) {
  return std::any_of(switches.begin(), switches.end(), [&](std::string_view name) {
    return normalized_name(setting.name) == normalized_name(name) &&
           (setting.values.empty() ||
            (setting.values.back() != "0" && setting.values.back() != "false"));
  });
}

bool is_allowed(const Launch& launch) {
  return std::any_of(launch.settings.begin(), launch.settings.end(),
                     [](const EngineSetting& s) { return is_override(s) || is_switch(s); }) ||
         std::any_of(launch.surroundings.begin(), launch.surroundings.end(), is_switch);
}

std::string_view reason(Engine engine) {
  switch (engine) {
    case Engine::vllm:
      return "vLLM refuses to start unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 or the positions are "
             "scaled";
    case Engine::sglang:
      return "SGLang refuses to start unless SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1";
    case Engine::tensorrt_llm:
    case Engine::llama_cpp:
      break;
  }
  return "the model has not seen such positions: its answers get worse beyond them";
}

}  // namespace

void context_beyond_model(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr) return findings.skip("its model or GPU is not known");
  const ServingPlan& plan = *subject.plan;
  const Model& model = subject.serving->server.model;
  if (!model.max_context) return findings.skip("the model's context is not known");
  if (!plan.max_model_len.given) return findings.skip("the length is the model's own");
  const std::int64_t length = subject.serving->plan.max_model_len.value;
  if (length <= *model.max_context) return;
  if (is_allowed(*subject.launch)) return findings.skip("longer positions are asked for");
  const std::string name = name_of(plan.max_model_len, setting_names(subject).max_model_len);
  const bool refused = plan.engine == Engine::vllm || plan.engine == Engine::sglang;
  Finding finding;
  finding.place = place_of(plan.max_model_len, subject);
  finding.subject = "max-model-len";
  finding.uncertain = !refused;
  finding.what = fmt::format("{} {} is beyond the {} positions of {}", name, digits(length),
                             digits(*model.max_context), model.name);
  finding.why = reason(plan.engine);
  finding.fix =
      fmt::format("{} {}", name, digits(*model.max_context * sharing_slots(subject.serving->plan)));
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
