// Containers of pods. $(VAR) is put in as the kubelet does it, before any shell sees the text.
#include "spec/serving/pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "spec/serving/gpu_labels.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

const EnvironmentEntry* last_entry(const std::vector<EnvironmentEntry>& environment,
                                   std::string_view name) {
  const auto found =
      std::find_if(environment.rbegin(), environment.rend(),
                   [&](const EnvironmentEntry& entry) { return entry.name == name; });
  return found == environment.rend() ? nullptr : &*found;
}

void expand_words(std::vector<CommandWord>& words,
                  const std::vector<EnvironmentEntry>& environment) {
  for (CommandWord& next : words) {
    // A script behind `sh -c` is split from the text as it stands, with the same variables.
    if (next.word.text.find('$') == std::string::npos) continue;
    next.word.text = expanded(next.word.text, environment, next.word.unresolved);
  }
}

ConfigRemark number_remark(const ConfigNode& item) {
  return {.rule = "yaml-surprise",
          .place = item.place,
          .what = fmt::format("{} is no text but a {}", item.written,
                              item.kind == NodeKind::number ? "number" : "boolean"),
          .why = "Kubernetes takes only texts in command and args, and refuses the object",
          .fix = fmt::format("\"{}\"", item.written)};
}

void add_remarks(const ConfigNode& container, std::size_t first, ReadLaunches& found) {
  for (const std::string_view key : {"command", "args"}) {
    const ConfigNode* list = container.find(key);
    if (list == nullptr) continue;
    for (const ConfigNode& item : list->items) {
      const bool wrong = item.kind == NodeKind::number || item.kind == NodeKind::boolean;
      for (std::size_t i = first; wrong && i < found.launches.size(); ++i) {
        found.launches[i].remarks.push_back(number_remark(item));
      }
    }
  }
}

std::string times(const std::string& count, std::int64_t pods) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), value);
  const bool whole = error == std::errc() && end == count.data() + count.size();
  if (!whole || pods == 1 || value < 0 || value > 1'000'000) return count;
  return fmt::format("{}", value * std::min<std::int64_t>(pods, 1'000'000));
}

}  // namespace

std::string expanded(std::string_view text, const std::vector<EnvironmentEntry>& environment,
                     std::vector<std::string>& unresolved) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "$$") {
      result += '$';
      ++i;
      continue;
    }
    const std::size_t end = text.substr(i, 2) == "$(" ? text.find(')', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      result += text[i];
      continue;
    }
    const std::string_view name = text.substr(i + 2, end - i - 2);
    if (const EnvironmentEntry* entry = last_entry(environment, name)) {
      result += entry->value;
      unresolved.insert(unresolved.end(), entry->unresolved.begin(), entry->unresolved.end());
    } else {
      result += text.substr(i, end + 1 - i);
      unresolved.emplace_back(name);
    }
    i = end;
  }
  return result;
}

std::vector<EnvironmentEntry> environment_of(const ConfigNode& container) {
  std::vector<EnvironmentEntry> environment;
  const ConfigNode* list = container.find("env");
  if (list == nullptr) return environment;
  for (const ConfigNode& item : list->items) {
    const ConfigNode* value = item.find("value");
    const std::string name = scalar_text(item.find("name"));
    if (value == nullptr || !value->is_scalar() || name.empty()) continue;
    EnvironmentEntry entry{.name = name, .value = {}, .place = value->place};
    entry.value = expanded(scalar_text(value), environment, entry.unresolved);
    environment.push_back(std::move(entry));
  }
  return environment;
}

void add_gpu_count(const ConfigNode* resources, std::int64_t pods,
                   std::vector<EngineSetting>& surroundings) {
  if (resources == nullptr) return;
  for (const std::string_view kind : {"limits", "requests"}) {
    const ConfigNode* amounts = resources->find(kind);
    if (amounts == nullptr) continue;
    for (const ConfigNode::Member& amount : amounts->members) {
      if (!is_gpu_resource(amount.key) || !amount.value.is_scalar()) continue;
      surroundings.push_back(
          surrounding("gpus", amount.key, times(amount.value.text, pods), amount.value.place));
      // A slice of a GPU is none of those whose memory is known.
      if (amount.key.find("/mig-") != std::string::npos) {
        surroundings.push_back(surrounding("gpu", amount.key, amount.key, amount.place));
      }
      return;
    }
  }
}

namespace {

void add_gpu_label(std::string_view label, const ConfigNode& value,
                   std::vector<EngineSetting>& surroundings) {
  if (!is_gpu_label(label) || !value.is_scalar()) return;
  std::string gpu = gpu_of_label(label, value.text);
  if (gpu.empty()) return;
  const EngineSetting setting = surrounding("gpu", std::string(label), std::move(gpu), value.place);
  const bool is_instance = label.find("instance-type") != std::string_view::npos;
  const auto known = std::find_if(surroundings.begin(), surroundings.end(),
                                  [](const EngineSetting& next) { return next.name == "gpu"; });
  // A product's label says more than an instance's type, a slice more than both.
  if (known == surroundings.end()) {
    surroundings.push_back(setting);
  } else if (!is_instance && known->written.find("/mig-") == std::string::npos) {
    *known = setting;
  }
}

}  // namespace

void add_gpu_of_terms(const ConfigNode* terms, std::vector<EngineSetting>& surroundings) {
  if (terms == nullptr) return;
  for (const ConfigNode& term : terms->items) {
    const ConfigNode* expressions = term.find("matchExpressions");
    if (expressions == nullptr) continue;
    for (const ConfigNode& expression : expressions->items) {
      const ConfigNode* values = expression.find("values");
      const bool one = values != nullptr && values->items.size() == 1;
      if (!one || scalar_text(expression.find("operator")) != "In") continue;
      add_gpu_label(scalar_text(expression.find("key")), values->items.front(), surroundings);
    }
  }
}

void add_gpu_type(const ConfigNode& pod, std::vector<EngineSetting>& surroundings) {
  if (const ConfigNode* selector = pod.find("nodeSelector")) {
    for (const ConfigNode::Member& label : selector->members) {
      add_gpu_label(label.key, label.value, surroundings);
    }
  }
  add_gpu_of_terms(
      pod.find_path({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                     "nodeSelectorTerms"}),
      surroundings);
}

Container container_of(const SourceText& source, const PodSpec& pod, const ConfigNode& container) {
  Container result;
  result.name = pod.name;
  result.place = container.place;
  if (const ConfigNode* image = container.find("image"); image != nullptr && image->is_scalar()) {
    result.image = image->text;
    result.image_place = image->place;
    result.place = image->place;
  }
  result.environment = environment_of(container);
  result.command = words_of(source, container.find("command"));
  result.args = words_of(source, container.find("args"));
  expand_words(result.command, result.environment);
  expand_words(result.args, result.environment);
  add_gpu_count(container.find("resources"), pod.pods, result.surroundings);
  if (pod.spec != nullptr) add_gpu_type(*pod.spec, result.surroundings);
  return result;
}

void read_pod(const SourceText& source, const PodSpec& pod, ReadLaunches& found) {
  const ConfigNode* containers = pod.spec == nullptr ? nullptr : pod.spec->find("containers");
  if (containers == nullptr) return;
  const std::size_t before = found.launches.size();
  std::vector<std::string> names;  // of the container of each launch
  for (const ConfigNode& container : containers->items) {
    if (!container.is_mapping()) continue;
    const std::size_t first = found.launches.size();
    read_container(source, container_of(source, pod, container), found);
    add_remarks(container, first, found);
    names.resize(found.launches.size() - before, scalar_text(container.find("name")));
  }
  if (names.size() < 2) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) found.launches[before + i].name += "/" + names[i];
  }
}

}  // namespace roofline
