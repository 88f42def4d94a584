// Containers of pods. $(VAR) is put in as the kubelet does it, before any shell sees the text.
#include "spec/serving/pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <utility>

#include "spec/serving/gpu_labels.hpp"
#include "spec/serving/scalar_settings.hpp"
#include "spec/serving/shell_source.hpp"

namespace roofline {
namespace {

/// The environment of a container, and texts with its $(VAR) put in.
class Environment {
 public:
  explicit Environment(ReadLaunches& found) : found_(found) {}

  void add(EnvironmentEntry entry) {
    last_.insert_or_assign(entry.name, entries_.size());
    entries_.push_back(std::move(entry));
  }

  /// `text` with $(VAR) of what was added put in and $$ as $; adds names that are not there.
  [[nodiscard]] std::string expanded(std::string_view text, const Place& place,
                                     std::vector<std::string>& unresolved) {
    std::string result;
    std::size_t close = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view two = text.substr(i, 2);
      // Looked for once: a text may be full of "$(".
      if (two == "$(" && close <= i) close = text.find(')', i);
      if (two == "$(" && close != std::string_view::npos) {
        put_in(text.substr(i, close + 1 - i), place, result, unresolved);
        i = close;
      } else {
        result += text[i];
        i += two == "$$" ? 1 : 0;
      }
    }
    return result;
  }

  [[nodiscard]] std::vector<EnvironmentEntry> take() { return std::move(entries_); }

 private:
  /// The value of "$(VAR)", or the variable as it stands.
  void put_in(std::string_view variable, const Place& place, std::string& result,
              std::vector<std::string>& unresolved) {
    const std::string_view name = variable.substr(2, variable.size() - 3);
    const auto found = last_.find(name);
    if (found == last_.end()) {
      result += variable;
      add_unresolved(unresolved, name);
      return;
    }
    const EnvironmentEntry& entry = entries_[found->second];
    spend(entry.value.size(), place);
    result += entry.value;
    add_unresolved(unresolved, entry.unresolved);
  }

  void spend(std::size_t bytes, const Place& place) {
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    found_.put_in += bytes;
    if (found_.put_in <= most_bytes) return;
    throw Error(Diagnostic{.what = "the variables of environments take more than 16 MiB",
                           .where = to_string(place),
                           .why = "variables that contain each other grow without end",
                           .fix = "write the values"});
  }

  ReadLaunches& found_;
  std::vector<EnvironmentEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> last_;  // of each name, in the entries
};

/// `value`s, with $(VAR) of earlier ones put in; what is taken from elsewhere (`valueFrom`) is left
/// out, so that its uses are unresolved.
Environment environment_of(const ConfigNode& container, ReadLaunches& found) {
  Environment environment(found);
  const ConfigNode* list = container.find("env");
  if (list == nullptr) return environment;
  for (const ConfigNode& item : list->items) {
    const ConfigNode* value = item.find("value");
    const std::string name = scalar_text(item.find("name"));
    if (value == nullptr || !value->is_scalar() || name.empty()) continue;
    EnvironmentEntry entry{.name = name, .value = {}, .place = value->place};
    entry.value = environment.expanded(scalar_text(value), value->place, entry.unresolved);
    environment.add(std::move(entry));
  }
  return environment;
}

void expand_words(std::vector<CommandWord>& words, Environment& environment) {
  for (CommandWord& next : words) {
    // A script behind `sh -c` is split from the text as it stands, with the same variables.
    PlacedWord& word = next.word;
    if (word.text.find('$') == std::string::npos) continue;
    word.text = environment.expanded(word.text, word.place, word.unresolved);
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

/// "gpus" of a mapping of resources (limits before requests), times `pods`.
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

Container container_of(const SourceText& source, const PodSpec& pod, const ConfigNode& container,
                       ReadLaunches& found) {
  Container result;
  result.name = pod.name;
  result.place = container.place;
  if (const ConfigNode* image = container.find("image"); image != nullptr && image->is_scalar()) {
    result.image = image->text;
    result.image_place = image->place;
    result.place = image->place;
  }
  Environment environment = environment_of(container, found);
  result.command = words_of(source, container.find("command"));
  result.args = words_of(source, container.find("args"));
  expand_words(result.command, environment);
  expand_words(result.args, environment);
  result.environment = environment.take();
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
    read_container(source, container_of(source, pod, container, found), found);
    add_remarks(container, first, found);
    names.resize(found.launches.size() - before, scalar_text(container.find("name")));
  }
  if (names.size() < 2) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) found.launches[before + i].name += "/" + names[i];
  }
}

}  // namespace roofline
