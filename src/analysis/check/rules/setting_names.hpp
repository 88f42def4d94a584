// What each engine calls the settings that rules speak of, where a file has not named them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/check/rule.hpp"
#include "spec/serving/own_settings.hpp"

namespace roofline::rules {

/// Empty where an engine has no such setting.
struct SettingNames {
  std::string_view max_model_len;
  std::string_view max_sequences;
  std::string_view batched_tokens;
  std::string_view chunked_prefill;
  std::string_view memory_share;
  std::string_view tensor;
  std::string_view pipeline;
  std::string_view data;
  std::string_view expert;
  std::string_view attention_dp;
  std::string_view dtype;
  std::string_view kv_dtype;
  std::string_view quantization;
};
/// The engine's own names, or those of this project's deployments where the launch is one.
[[nodiscard]] const SettingNames& setting_names(const RuleSubject& subject);

/// "vLLM", as texts call it.
[[nodiscard]] std::string_view engine_title(Engine engine);

/// Digits alone, as they are pasted.
[[nodiscard]] std::string digits(std::int64_t count);

/// "16.00 GiB"; below 0 is 0.
[[nodiscard]] std::string bytes_text(Bytes bytes);

}  // namespace roofline::rules
