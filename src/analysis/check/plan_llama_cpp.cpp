// The plan of llama-server.
#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "analysis/check/plan_parts.hpp"
#include "base/closest.hpp"
#include "base/parse.hpp"

namespace roofline {
namespace {

void read_model(const EngineSetting& s, ServingPlan& plan) {
  if (!plan.model.given) plan.model = word_of(s);
}

/// "auto", "all" and -1 put as many on the device as there are.
void read_layers(const EngineSetting& s, ServingPlan& plan) {
  const std::string& value = one_value(s);
  if (value == "auto" || value == "all" || value == "-1") return;
  plan.gpu_layers = count_of(s, 0);
}

void refuse_host_weights(const EngineSetting& s, ServingPlan&) {
  if (value_of(&s) == "0" || value_of(&s) == "false") return;
  refuse_setting(s, "weights in the host's memory are not reckoned with, but for whole layers",
                 "--n-gpu-layers N, for N whole layers on the devices");
}

void refuse_host_cache(const EngineSetting& s, ServingPlan&) {
  if (switch_of(s).value) return;
  refuse_setting(s, "a K/V cache in the host's memory is not reckoned with", "leave it out");
}

/// 0 takes the model's length.
void read_cells(const EngineSetting& s, ServingPlan& plan) {
  const Given<std::int64_t> cells = count_of(s, 0);
  if (cells.value > 0) plan.kv_token_limit = cells;
}

/// -1 is automatic: four slots that share the cache.
void read_slots(const EngineSetting& s, ServingPlan& plan) {
  if (value_of(&s) != "-1") plan.max_sequences = ranks_of(s);
}

constexpr std::array keys{
    PlanKey{"ctx-size", read_cells},
    PlanKey{"parallel", read_slots},
    PlanKey{"kv-unified-per-slot",
            [](const EngineSetting& s, ServingPlan& plan) { plan.max_model_len = count_of(s); }},
    PlanKey{"kv-unified",
            [](const EngineSetting& s, ServingPlan&) { static_cast<void>(switch_of(s)); }},
    PlanKey{"model", [](const EngineSetting& s, ServingPlan& plan) { plan.model = word_of(s); },
            true},
    PlanKey{"hf-repo", read_model, true},
    PlanKey{"batch-size",  // never more than this in a step: see finish_steps
            [](const EngineSetting& s, ServingPlan&) { static_cast<void>(count_of(s)); }},
    PlanKey{"ubatch-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.batched_tokens = count_of(s); }},
    PlanKey{"n-gpu-layers", read_layers},
    PlanKey{"cache-type-k",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_dtype = word_of(s); }},
    PlanKey{"cache-type-v",
            [](const EngineSetting& s, ServingPlan& plan) { plan.value_dtype = word_of(s); }},
    PlanKey{"swa-full", [](const EngineSetting& s,
                           ServingPlan& plan) { plan.full_window_cache = switch_of(s); }},
    PlanKey{"cpu-moe", refuse_host_weights},
    PlanKey{"n-cpu-moe", refuse_host_weights},
    PlanKey{"n-cpu-ffn", refuse_host_weights},
    PlanKey{"override-tensor", refuse_host_weights},
    PlanKey{"kv-offload", refuse_host_cache},
    PlanKey{"rpc",
            [](const EngineSetting& s, ServingPlan&) {
              refuse_setting(s, "devices of other hosts are not reckoned with", "leave it out");
            }},
};

/// How slots share the cache's cells, which are kv_token_limit. Where max_model_len is given, it is
/// of --kv-unified-per-slot.
void share_cache(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* unified = last_setting(launch, "kv-unified");
  const bool shared = unified == nullptr ? !plan.max_sequences.given : switch_of(*unified).value;
  const std::int64_t slots = plan.max_sequences.value;
  const Given<std::int64_t> cells = plan.kv_token_limit;
  const Given<std::int64_t> each = plan.max_model_len;
  if (cells.given) {
    plan.max_model_len = cells;
    if (!shared) plan.max_model_len.value = std::max<std::int64_t>(1, cells.value / slots);
    if (each.given && each.value < plan.max_model_len.value) plan.max_model_len = each;
  } else if (each.given) {
    plan.kv_token_limit = each;
    plan.kv_token_limit.value = each.value * slots;
  }
}

std::vector<double> shares_of(const EngineSetting& setting) {
  std::vector<double> shares;
  for (const std::string& value : setting.values) {
    for (const std::string_view item : split_list(value, setting.written)) {
      if (item != "0") shares.push_back(parse_number(item, setting.written));
    }
  }
  return shares;
}

/// Devices that the weights are put on; none where nothing says it.
Given<std::int64_t> devices_of(const Launch& launch, const ServingPlan& plan) {
  if (const EngineSetting* split = last_setting(launch, "tensor-split")) {
    const std::vector<double> shares = shares_of(resolved(*split));
    const bool even = std::all_of(shares.begin(), shares.end(),
                                  [&](double share) { return share == shares.front(); });
    if (!even) {
      refuse_setting(*split, "devices with unequal shares are not reckoned with",
                     "leave it out: equal shares");
    }
    return given_by(*split, std::max<std::int64_t>(1, static_cast<std::int64_t>(shares.size())));
  }
  if (const EngineSetting* devices = last_setting(launch, "device")) {
    const std::string& list = one_value(resolved(*devices));
    if (list != "none") {
      return given_by(*devices, std::int64_t{1} + std::count(list.begin(), list.end(), ','));
    }
  }
  return plan.gpus;
}

void read_split(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* mode = last_setting(launch, "split-mode");
  const std::string_view split =
      mode == nullptr ? "layer" : std::string_view(one_value(resolved(*mode)));
  if (split != "none" && split != "layer" && split != "row" && split != "tensor") {
    refuse_value(*mode, "is no way to split a model", "none, layer, row and tensor are", "layer");
  }
  const Given<std::int64_t> devices = devices_of(launch, plan);
  if (split == "none" || !devices.given || devices.value < 2) return;
  (split == "layer" ? plan.pipeline : plan.tensor) = devices;
}

void read_draft(const Launch& launch, ServingPlan& plan) {
  for (const std::string_view name : {"model-draft", "hf-repo-draft"}) {
    const EngineSetting* model = last_setting(launch, name);
    if (model != nullptr) plan.draft_model = given_by(*model, true);
  }
}

/// "Q4_K_M", "iq4_xs", "F16", "MXFP4": what a GGUF file's name says of its tensors.
bool is_file_type(std::string_view word) {
  const std::string name = normalized_name(word);
  for (const std::string_view wide : {"f16", "bf16", "f32", "mxfp4"}) {
    if (name == wide) return true;
  }
  std::size_t letters = name.find('q');
  if (letters == std::string::npos || letters > 1) return false;
  ++letters;
  return letters < name.size() && name[letters] >= '1' && name[letters] <= '8';
}

/// By the name of the file or the tag behind the repository's; -hf without a tag takes Q4_K_M. It
/// counts where the file itself is not there to be read.
void read_file_type(const Launch& launch, ServingPlan& plan) {
  std::string_view rest = plan.model.value;
  rest.remove_prefix(rest.rfind('/') + 1);
  std::string_view type = last_setting(launch, "hf-repo") == nullptr ? "" : "Q4_K_M";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("-.:"), rest.size());
    if (is_file_type(rest.substr(0, end))) type = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (type.empty()) return;
  plan.quantization = {.value = std::string(type),
                       .written = plan.model.written,
                       .place = plan.model.place,
                       .given = true};
}

/// A step has at most ubatch-size tokens, and no more than batch-size.
void finish_steps(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* batch = last_setting(launch, "batch-size");
  if (batch == nullptr || !batch->unresolved.empty()) return;
  const Given<std::int64_t> most = count_of(*batch);
  if (most.value < plan.batched_tokens.value) plan.batched_tokens = most;
}

}  // namespace

void plan_llama_cpp(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  read_settings(launch, keys, false, plan, errors);
  fill_engine_defaults(plan);
  errors.collect([&] { share_cache(launch, plan); });
  errors.collect([&] { read_split(launch, plan); });
  errors.collect([&] { finish_steps(launch, plan); });
  read_draft(launch, plan);
  read_file_type(launch, plan);
}

}  // namespace roofline
