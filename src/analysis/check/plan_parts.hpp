// What the readers of an engine's plan share: values in the engines' grammars, each with its place,
// and tables that say which member of the plan a flag is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/serving_plan.hpp"

namespace roofline {

/// A flag, and what it says of the plan.
struct PlanKey {
  std::string_view name;
  void (*read)(const EngineSetting& setting, ServingPlan& plan);
  /// A flag of the command line may give it instead: variables in it are no error here.
  bool may_be_unresolved = false;
};

/// Reads the settings that `keys` names; of one name the last. Names are the engine's long flags;
/// aliases are found too, unless `own_names`.
void read_settings(const Launch& launch, std::span<const PlanKey> keys, bool own_names,
                   ServingPlan& plan, ErrorCollector& errors);
/// What surrounds the engine: gpu, gpus, require.*, prompt, output, concurrency, price.
void read_surroundings(const Launch& launch, ServingPlan& plan, ErrorCollector& errors);

/// The setting; throws Error if there are variables in it that nothing in the file sets.
const EngineSetting& resolved(const EngineSetting& setting);

/// The last setting of that flag; null if there is none.
[[nodiscard]] const EngineSetting* last_setting(const Launch& launch, std::string_view name);
/// Its value, "" without one.
[[nodiscard]] std::string_view value_of(const EngineSetting* setting);

/// Throws Error at the setting: "max_model_len: 'many' WHAT".
[[noreturn]] void refuse_value(const EngineSetting& setting, std::string_view what, std::string why,
                               std::string_view example);
/// Throws Error at the setting for what cannot be reckoned with: "--rpc: WHAT".
[[noreturn]] void refuse_setting(const EngineSetting& setting, std::string_view what,
                                 std::string fix);

/// The one value. Throws Error for none and for several.
[[nodiscard]] const std::string& one_value(const EngineSetting& setting);
/// True for what the engines take for "not given": "", None, null.
[[nodiscard]] bool is_none(const EngineSetting& setting);

/// Whole numbers as Python's int() and the C library read them, from `least`.
[[nodiscard]] Given<std::int64_t> count_of(const EngineSetting& setting, std::int64_t least = 1);
/// The same; not given for None and null.
[[nodiscard]] Given<std::int64_t> count_or_none(const EngineSetting& setting);
/// 1 to 1,000,000: ways of sharing, whose products stay exact.
[[nodiscard]] Given<std::int64_t> ranks_of(const EngineSetting& setting);
/// vLLM's counts: 32k is 32000, 32K 32768, 25.6k 25600. Not given for None.
[[nodiscard]] Given<std::int64_t> human_count_of(const EngineSetting& setting);
/// Above 0, at most 1.
[[nodiscard]] Given<double> share_of(const EngineSetting& setting);
/// Not given for "auto", None and null: the engine decides.
[[nodiscard]] Given<std::string> word_of(const EngineSetting& setting);
/// A switch, or true, false, on, off, 1, 0.
[[nodiscard]] Given<bool> switch_of(const EngineSetting& setting);
/// A switch that turns the member off.
[[nodiscard]] Given<bool> off_switch_of(const EngineSetting& setting);
/// A number of GiB from 0.
[[nodiscard]] Given<Bytes> gibibytes_of(const EngineSetting& setting);

/// A value that nothing gives.
template <class T>
[[nodiscard]] Given<T> default_of(T value) {
  Given<T> result;
  result.value = value;
  return result;
}
/// A value that a setting gives.
template <class T>
[[nodiscard]] Given<T> given_by(const EngineSetting& setting, T value) {
  Given<T> result;
  result.value = std::move(value);
  result.written = setting.written;
  result.place = setting.place;
  result.given = true;
  return result;
}
/// The value by a reader of the command line's grammar, whose errors are told of the place.
template <class Read>
auto placed(const EngineSetting& setting, Read read) {
  try {
    return given_by(setting, read(one_value(setting), setting.written));
  } catch (const Error& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& one : diagnostics) {
      if (one.where.empty()) one.where = to_string(setting.place);
    }
    throw Error(std::move(diagnostics));
  }
}

/// The setting's name and place, without a value: it leaves the choice to the engine.
template <class T>
[[nodiscard]] Given<T> left_open_by(const EngineSetting& setting) {
  Given<T> result = given_by(setting, T{});
  result.given = false;
  return result;
}

template <class T>
void fill(Given<T>& given, T value) {
  if (!given.given) given.value = std::move(value);
}
/// The engine's defaults that depend on its version alone, where nothing gives a value.
void fill_engine_defaults(ServingPlan& plan);

/// Throws Error unless the replicas of attention divide the tensor ranks that they are in (SGLang).
void check_attention_replicas(const ServingPlan& plan);

void plan_vllm(const Launch& launch, ServingPlan& plan, ErrorCollector& errors);
void plan_sglang(const Launch& launch, ServingPlan& plan, ErrorCollector& errors);
void plan_tensorrt_llm(const Launch& launch, ServingPlan& plan, ErrorCollector& errors);
void plan_llama_cpp(const Launch& launch, ServingPlan& plan, ErrorCollector& errors);
/// This project's own deployments, whatever the engine.
void plan_own_settings(const Launch& launch, ServingPlan& plan, ErrorCollector& errors);

}  // namespace roofline
