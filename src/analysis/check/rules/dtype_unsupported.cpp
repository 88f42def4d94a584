// Number formats that the GPU has no unit for, as engines take or refuse them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/check/resolve.hpp"
#include "analysis/check/rules/compute_capability.hpp"
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"

namespace roofline::rules {
namespace {

/// From which compute capability on an engine takes weights of a format.
struct WeightNeed {
  int native = 0;    ///< products in the format's own type
  int unpacked = 0;  ///< unpacked to 16 bits in each product; as `native` where it is not done
};

/// vLLM's Marlin kernels run on 8.x, and on 7.5 since 0.14; SGLang took them over.
int marlin_capability(const ServingPlan& plan) {
  return plan.engine == Engine::vllm && is_at_least(plan.version, "0.14") ? 75 : bf16_capability;
}

std::optional<WeightNeed> need_of(const NumberFormat& format, const ServingPlan& plan) {
  const bool unpacks = plan.engine != Engine::tensorrt_llm;
  if (format.element == MatrixType::fp8) {
    return WeightNeed{fp8_capability, unpacks ? marlin_capability(plan) : fp8_capability};
  }
  if (format.element == MatrixType::fp4 && format.name.starts_with("mxfp4")) {
    return WeightNeed{bf16_capability, bf16_capability};
  }
  if (format.element == MatrixType::fp4) {
    return WeightNeed{fp4_capability, unpacks ? marlin_capability(plan) : fp4_capability};
  }
  if (format.name.starts_with("awq")) return WeightNeed{75, 75};
  return std::nullopt;
}

bool has_peak(const Device& device, MatrixType type) {
  return std::any_of(device.peaks.begin(), device.peaks.end(),
                     [&](const auto& peak) { return peak.first.type == type; });
}

/// The capability where it is known to be too low; "no peak of that type" for other GPUs.
struct Lack {
  std::optional<int> capability;

  [[nodiscard]] std::string text(const Device& device, std::string_view type, int needed) const {
    if (!capability) return fmt::format("{} has no unit for {}", device.name, type);
    return fmt::format("{} has compute capability {}, {} needs {}", device.name,
                       capability_text(*capability), type, capability_text(needed));
  }
};

std::optional<Lack> lack_of(const Device& device, MatrixType type, int needed) {
  if (const std::optional<int> capability = compute_capability(device)) {
    if (*capability < needed) return Lack{capability};
    return std::nullopt;
  }
  if (device.device_class != "gpu" || device.vendor == "NVIDIA" || has_peak(device, type)) {
    return std::nullopt;
  }
  return Lack{};
}

bool asks_for_bf16(const ServingPlan& plan) {
  return plan.dtype.given && (plan.dtype.value == "bfloat16" || plan.dtype.value == "bf16");
}

/// Families whose activations leave the range of fp16: vLLM refuses it.
bool needs_wide_range(const Model& model) {
  constexpr std::array<std::string_view, 4> families{"gemma2", "gemma3", "gemma3_text", "glm4"};
  return std::find(families.begin(), families.end(), model.family) != families.end();
}

std::string other_dtype(const RuleSubject& subject) {
  const ServingPlan& plan = *subject.plan;
  const std::string type = needs_wide_range(subject.serving->server.model) ? "float32" : "float16";
  TriedFixes fixes(subject, [](const EngineMemoryBudget& /*any*/) { return true; });
  fixes.attempt({fmt::format("{} {}", name_of(plan.dtype, setting_names(subject).dtype), type),
                 [type](ServingPlan& changed) { give(changed.dtype, type); }});
  return fixes.text();
}

/// bf16 activations: refused, or quietly computed in fp16.
void check_activations(const RuleSubject& subject, RuleFindings& findings) {
  const Device& device = subject.serving->server.device;
  if (subject.serving->precision.activations.element != MatrixType::bf16) return;
  const std::optional<Lack> lack = lack_of(device, MatrixType::bf16, bf16_capability);
  if (!lack) return;
  const ServingPlan& plan = subject.serving->plan;
  const bool falls_back =
      plan.engine == Engine::sglang ||
      (plan.engine == Engine::vllm && !asks_for_bf16(plan) && is_at_least(plan.version, "0.9"));
  Finding finding;
  finding.place = place_of(subject.plan->dtype, subject);
  finding.subject = "activations";
  finding.uncertain = falls_back || !lack->capability;
  finding.what = fmt::format("bf16 is not computed by {}", device.name);
  finding.why = fmt::format(
      "{}; {} {}", lack->text(device, "bf16", bf16_capability), engine_title(plan.engine),
      falls_back ? "falls back to float16, whose range is smaller" : "refuses to start");
  finding.fix = other_dtype(subject);
  findings.add(std::move(finding));
}

constexpr std::array layer_parts{Part::mixer, Part::mlp, Part::experts, Part::shared_experts};

/// The layers' weights in the format that asks for most.
const NumberFormat* demanding_format(const ResolvedServing& serving) {
  const ParameterCount count = count_parameters(serving.server.model);
  const NumberFormat* most = nullptr;
  int highest = 0;
  for (const Part part : layer_parts) {
    if (count.parts[part] == 0) continue;
    const NumberFormat& format = serving.precision.weights[part];
    const std::optional<WeightNeed> need = need_of(format, serving.plan);
    if (!need || need->native <= highest) continue;
    most = &format;
    highest = need->native;
  }
  return most;
}

void check_weights(const RuleSubject& subject, RuleFindings& findings) {
  const NumberFormat* format = demanding_format(*subject.serving);
  if (format == nullptr) return;
  const ServingPlan& plan = subject.serving->plan;
  const Device& device = subject.serving->server.device;
  const WeightNeed need = need_of(*format, plan).value_or(WeightNeed{});
  const std::optional<Lack> lack = lack_of(device, format->element, need.native);
  if (!lack) return;
  const bool unpacked = lack->capability && *lack->capability >= need.unpacked;
  Finding finding;
  finding.place = subject.plan->quantization.given ? place_of(subject.plan->quantization, subject)
                                                   : place_of(subject.plan->model, subject);
  finding.subject = "weights";
  finding.uncertain = unpacked || !lack->capability;
  finding.what = fmt::format("weights in {} are not computed by {}", format->name, device.name);
  finding.why = fmt::format(
      "{}; {} {}", lack->text(device, format->name, need.native), engine_title(plan.engine),
      unpacked ? "unpacks them to 16 bits in each product: less memory, no more FLOP/s"
               : "refuses to start");
  findings.add(std::move(finding));
}

std::string wide_kv(const RuleSubject& subject) {
  const ServingPlan& plan = *subject.plan;
  if (!plan.kv_dtype.given) return {};
  const std::int64_t length = subject.serving->plan.max_model_len.value;
  const bool fits = subject.memory != nullptr && holds_a_sequence(*subject.memory, length);
  TriedFixes fixes(subject, [fits, length](const EngineMemoryBudget& budget) {
    return !fits || holds_a_sequence(budget, length);
  });
  fixes.attempt({fmt::format("{} auto", name_of(plan.kv_dtype, setting_names(subject).kv_dtype)),
                 [](ServingPlan& changed) { give<std::string>(changed.kv_dtype, "auto"); }});
  return fixes.text();
}

void check_kv(const RuleSubject& subject, RuleFindings& findings) {
  const NumberFormat& format = subject.serving->precision.kv;
  const Device& device = subject.serving->server.device;
  const bool is_fp4 = format.element == MatrixType::fp4;
  if (!is_fp4 && format.element != MatrixType::fp8) return;
  if (kv_elements_per_token(subject.serving->server.model) == 0) return;
  const int needed = is_fp4 ? fp4_capability : fp8_capability;
  const std::optional<Lack> lack = lack_of(device, format.element, needed);
  if (!lack) return;
  Finding finding;
  finding.place = subject.plan->kv_dtype.given ? place_of(subject.plan->kv_dtype, subject)
                                               : place_of(subject.plan->model, subject);
  finding.subject = "kv";
  finding.uncertain = !is_fp4 || !lack->capability;
  finding.what = fmt::format("K/V in {} is not computed by {}", format.name, device.name);
  finding.why = fmt::format("{}; {}", lack->text(device, format.name, needed),
                            is_fp4 ? "no attention kernel takes it there"
                                   : "some attention kernels unpack it, others stop with an error");
  finding.fix = wide_kv(subject);
  findings.add(std::move(finding));
}

}  // namespace

void dtype_unsupported(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr) return findings.skip("its model or GPU is not known");
  if (subject.plan->engine == Engine::llama_cpp) {
    return findings.skip("llama.cpp converts types in its kernels");
  }
  check_activations(subject, findings);
  check_weights(subject, findings);
  check_kv(subject, findings);
}

}  // namespace roofline::rules
