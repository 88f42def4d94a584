// A launch's settings as a plan: what all engines share, and the choice of the engine's reader.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/check/plan_parts.hpp"
#include "analysis/check/resolve.hpp"
#include "base/parse.hpp"
#include "spec/serving/command_line.hpp"
#include "spec/serving/own_settings.hpp"

namespace roofline {
namespace {

/// The engine's long flag of a setting; members of mappings as they are, with "-" for "_".
std::string flag_name(const Launch& launch, const EngineSetting& setting) {
  if (setting.name.find('.') != std::string::npos) return dashed(setting.name);
  const EngineFlag* flag = find_flag(engine_flags(launch.engine), setting.name);
  return flag == nullptr ? setting.name : flag->name;
}

std::string names(const std::vector<std::string>& variables) {
  std::string result;
  for (const std::string& variable : variables) {
    result += fmt::format("{}{}", result.empty() ? "" : ", ", variable);
  }
  return result;
}

/// A variable's name; "$(nproc)" and "$2" are none.
bool can_be_set(std::string_view variable) {
  return !variable.empty() && variable.find_first_of("$`<>() ") == std::string_view::npos;
}

void read_key(const PlanKey& key, const EngineSetting& setting, ServingPlan& plan,
              ErrorCollector& errors) {
  errors.collect([&] { key.read(key.may_be_unresolved ? setting : resolved(setting), plan); });
}

const PlanKey* find_key(std::span<const PlanKey> keys, std::string_view name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const PlanKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

/// "2"; "all" leaves it open; docker's "device=0,1" and quotes around it.
Given<std::int64_t> devices_of(const EngineSetting& setting) {
  std::string text = one_value(setting);
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  constexpr std::string_view list = "device=";
  if (text == "all" || !setting.unresolved.empty()) return left_open_by<std::int64_t>(setting);
  if (text.starts_with(list)) {
    return given_by(setting, std::int64_t{1} + std::count(text.begin(), text.end(), ','));
  }
  return count_of(setting, 0);
}

Given<DollarsPerHour> price_of(const EngineSetting& setting) {
  return placed(setting, parse_price);
}

constexpr std::array surrounding_keys{
    PlanKey{"gpu", [](const EngineSetting& s, ServingPlan& plan) { plan.gpu = word_of(s); }, true},
    PlanKey{"gpus", [](const EngineSetting& s, ServingPlan& plan) { plan.gpus = devices_of(s); },
            true},
    PlanKey{"input-len",
            [](const EngineSetting& s, ServingPlan& plan) { plan.prompt = human_count_of(s); }},
    PlanKey{"output-len",
            [](const EngineSetting& s, ServingPlan& plan) { plan.output = human_count_of(s); }},
    PlanKey{"concurrency", [](const EngineSetting& s,
                              ServingPlan& plan) { plan.concurrency = human_count_of(s); }},
    PlanKey{"price", [](const EngineSetting& s, ServingPlan& plan) { plan.price = price_of(s); }},
};

/// What a variable that nothing sets leaves of a name: the text, for messages, not given.
void keep_as_open(const Launch& launch, ServingPlan& plan) {
  if (const EngineSetting* gpu = launch.find_surrounding("gpu")) {
    if (!gpu->unresolved.empty()) plan.gpu.given = false;
  }
  for (const std::string_view name : {"model", "model-path", "hf-repo"}) {
    const EngineSetting* model = last_setting(launch, name);
    if (model != nullptr && !model->unresolved.empty() && plan.model.place == model->place) {
      plan.model.given = false;
    }
  }
}

/// Ways of sharing are 1, and steps are captured, unless something says otherwise.
ServingPlan empty_plan(const Launch& launch) {
  ServingPlan plan;
  plan.engine = launch.engine;
  plan.version_assumed = launch.version.empty();
  plan.version =
      plan.version_assumed ? std::string(assumed_version(launch.engine)) : launch.version;
  plan.name = launch.name;
  plan.place = launch.place;
  for (Given<std::int64_t>* ways :
       {&plan.tensor, &plan.pipeline, &plan.data, &plan.expert, &plan.context_parallel}) {
    ways->value = 1;
  }
  plan.cuda_graphs.value = true;
  return plan;
}

void read_engine(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  switch (launch.engine) {
    case Engine::vllm:
      return plan_vllm(launch, plan, errors);
    case Engine::sglang:
      return plan_sglang(launch, plan, errors);
    case Engine::tensorrt_llm:
      return plan_tensorrt_llm(launch, plan, errors);
    case Engine::llama_cpp:
      return plan_llama_cpp(launch, plan, errors);
  }
}

}  // namespace

const EngineSetting& resolved(const EngineSetting& setting) {
  if (setting.unresolved.empty()) return setting;
  throw Error(Diagnostic{
      .what = fmt::format("{}: its value is in {}, which nothing in the file sets", setting.written,
                          names(setting.unresolved)),
      .where = to_string(setting.place),
      .why = "what is judged depends on it, and the environment is not read",
      .fix = can_be_set(setting.unresolved.front())
                 ? fmt::format("write the value, or {}=VALUE in the file before it is used",
                               setting.unresolved.front())
                 : std::string("write the value")});
}

std::string_view value_of(const EngineSetting* setting) {
  if (setting == nullptr || setting->values.empty()) return {};
  return setting->values.front();
}

const EngineSetting* last_setting(const Launch& launch, std::string_view name) {
  const auto found =
      std::find_if(launch.settings.rbegin(), launch.settings.rend(),
                   [&](const EngineSetting& one) { return flag_name(launch, one) == name; });
  return found == launch.settings.rend() ? nullptr : &*found;
}

namespace {

/// "max-model-len: {a: 1}": only options that are mappings have members.
void refuse_members(Engine engine, const EngineSetting& setting, std::string_view flag,
                    std::span<const PlanKey> keys) {
  const std::size_t point = flag.find('.');
  const std::string_view whole = flag.substr(0, point);
  if (point == std::string_view::npos || find_key(keys, whole) == nullptr) return;
  const std::vector<EngineFlag>& flags = engine_flags(engine).flags;
  const std::string prefix = fmt::format("{}.", whole);
  const bool has_members = std::any_of(flags.begin(), flags.end(), [&](const EngineFlag& known) {
    return known.name.starts_with(prefix) || (known.mapping && known.name == whole);
  });
  if (has_members) return;
  refuse_setting(setting, "it has one value, not keys", fmt::format("{}: VALUE", whole));
}

}  // namespace

void read_settings(const Launch& launch, std::span<const PlanKey> keys, bool own_names,
                   ServingPlan& plan, ErrorCollector& errors) {
  std::vector<std::string> flags;
  std::map<std::string_view, std::size_t> last;
  for (const EngineSetting& setting : launch.settings) {
    flags.push_back(own_names ? setting.name : flag_name(launch, setting));
  }
  for (std::size_t i = 0; i < flags.size(); ++i) last[flags[i]] = i;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const PlanKey* key = find_key(keys, flags[i]);
    if (key == nullptr) {
      errors.collect([&] { refuse_members(launch.engine, launch.settings[i], flags[i], keys); });
    }
    if (key != nullptr && last[flags[i]] == i) {
      read_key(*key, launch.settings[i], plan, errors);
    }
  }
}

void read_surroundings(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  constexpr std::string_view required = "require.";
  for (const EngineSetting& setting : launch.surroundings) {
    if (setting.name.starts_with(required)) {
      plan.require.push_back(setting);
      plan.require.back().name = setting.name.substr(required.size());
      errors.collect([&] { resolved(setting); });
      continue;
    }
    const PlanKey* key = find_key(surrounding_keys, setting.name);
    if (key != nullptr) read_key(*key, setting, plan, errors);
  }
}

ServingPlan plan_of(const Launch& launch) {
  ServingPlan plan = empty_plan(launch);
  ErrorCollector errors;
  read_surroundings(launch, plan, errors);
  if (has_own_names(launch)) {
    plan_own_settings(launch, plan, errors);
  } else {
    read_engine(launch, plan, errors);
  }
  errors.throw_if_any();
  keep_as_open(launch, plan);
  return plan;
}

}  // namespace roofline
