// Groups of flags to devices, models, precision, deployment and limits; every mistake at once.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/closest.hpp"
#include "base/parse.hpp"
#include "cli/flags.hpp"
#include "roofline/spec_file.hpp"

namespace roofline::cli {
namespace {

constexpr std::array default_gpus{"T4", "L4", "A10G", "A100", "H100"};
constexpr const char* default_model = "llama-3.1-8b";

Error problem(std::string what, std::string why, std::string fix,
              std::vector<std::string> suggestions = {}) {
  return Error(Diagnostic{.what = std::move(what),
                          .why = std::move(why),
                          .fix = std::move(fix),
                          .suggestions = std::move(suggestions)});
}

std::vector<std::string> names_in(const std::vector<std::string>& lists, const char* flag) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view name : split_list(list, flag)) names.emplace_back(name);
  }
  return names;
}

/// Adds what is not there yet. Another entry of the same name is told apart by its file.
template <class Entry>
void add_once(std::vector<Found<Entry>>& found, Found<Entry> next) {
  const bool known = std::any_of(found.begin(), found.end(), [&](const Found<Entry>& other) {
    return other.source == next.source &&
           (other.entry.name == next.entry.name || next.source.place != "built-in");
  });
  if (known) return;
  const bool same_name = std::any_of(found.begin(), found.end(), [&](const Found<Entry>& other) {
    return other.entry.name == next.entry.name;
  });
  if (same_name) next.entry.name += fmt::format(" ({})", next.source.place);
  found.push_back(std::move(next));
}

}  // namespace

std::vector<Found<Device>> read_devices(const ModelAndDeviceFlags& flags, const Catalog& catalog,
                                        ErrorCollector& errors) {
  std::vector<Found<Device>> found;
  std::vector<std::string> names(default_gpus.begin(), default_gpus.end());
  if (!flags.gpus.empty()) {
    names.clear();
    errors.collect([&] { names = names_in(flags.gpus, "--gpu"); });
  }
  for (const std::string& name : names) {
    errors.collect([&] {
      if (normalized_name(name) == "all") {
        for (Found<Device>& next : catalog.all_devices()) add_once(found, std::move(next));
        return;
      }
      Found<Device> next;
      next.entry = catalog.device(name, &next.source);
      add_once(found, std::move(next));
    });
  }
  return found;
}

ReadOptions read_options(const std::string& assume) {
  if (!assume.empty() && normalized_name(assume) != "llama") {
    throw problem(fmt::format("--assume: cannot take a model for '{}'", assume),
                  "only Llama's shape is common enough to be assumed", "--assume llama");
  }
  return {.assume = assume.empty() ? "" : "llama"};
}

std::vector<Found<Model>> read_models(const ModelAndDeviceFlags& flags, const Catalog& catalog,
                                      ErrorCollector& errors) {
  std::vector<Found<Model>> found;
  std::vector<std::string> names{default_model};
  if (!flags.models.empty()) {
    names.clear();
    errors.collect([&] { names = names_in(flags.models, "--model"); });
  }
  ReadOptions options;
  errors.collect([&] { options = read_options(flags.assume); });
  for (const std::string& name : names) {
    errors.collect([&] {
      Found<Model> next;
      next.entry = catalog.model(name, options, &next.source);
      add_once(found, std::move(next));
    });
  }
  return found;
}

PrecisionRequest read_precision(const PrecisionFlags& flags, const Catalog& catalog,
                                ErrorCollector& errors) {
  PrecisionRequest request;
  const auto read = [&](const std::string& name, const char* flag,
                        std::optional<NumberFormat>& format) {
    if (name.empty()) return;
    errors.collect([&] {
      try {
        format = catalog.format(name);
      } catch (const Error& error) {
        Diagnostic diagnostic = error.diagnostics().front();
        diagnostic.what = fmt::format("{}: {}", flag, diagnostic.what);
        if (name.find(',') != std::string::npos) diagnostic.why = "it takes one format";
        throw Error(diagnostic);
      }
    });
  };
  read(flags.weights, "--weight-dtype", request.weights);
  read(flags.kv, "--kv-dtype", request.kv);
  read(flags.activations, "--act-dtype", request.activations);
  read(flags.state, "--state-dtype", request.state);
  if (flags.accumulate == "fp16") {
    request.accumulate = Accumulate::fp16;
  } else if (!flags.accumulate.empty() && flags.accumulate != "fp32") {
    errors.add(problem(fmt::format("--accumulate: '{}' is neither fp32 nor fp16", flags.accumulate),
                       {}, "--accumulate fp32"));
  }
  return request;
}

DeviceOverrides read_overrides(const OverrideFlags& flags, ErrorCollector& errors) {
  DeviceOverrides overrides;
  errors.collect([&] {
    for (const std::string& item : names_in(flags.peaks, "--peak")) {
      errors.collect([&] {
        const std::size_t equals = item.find('=');
        const std::string name = item.substr(0, equals);
        const std::optional<PeakKey> key = peak_key(name);
        if (equals == std::string::npos) {
          const std::size_t colon = item.find(':');
          const bool named = colon != std::string::npos && peak_key(item.substr(0, colon));
          throw problem(
              fmt::format("--peak: '{}' does not say of which type", item), {},
              named ? fmt::format("--peak {}={}", item.substr(0, colon), item.substr(colon + 1))
                    : "--peak fp16=989TFLOP/s");
        }
        if (!key) {
          throw problem(fmt::format("--peak: unknown type '{}'", name),
                        fmt::format("types: {}", fmt::join(peak_names(), ", ")), {},
                        closest(name, peak_names()));
        }
        overrides.peaks[*key] = parse_compute(item.substr(equals + 1), "--peak " + name + "=");
      });
    }
  });
  if (!flags.bandwidth.empty()) {
    errors.collect([&] { overrides.bandwidth = parse_bandwidth(flags.bandwidth, "--bandwidth"); });
  }
  if (!flags.memory.empty()) {
    errors.collect([&] {
      overrides.memory = parse_bytes(flags.memory, "--memory");
      if (*overrides.memory == Bytes(0)) {
        throw problem("--memory: a device has more than 0 bytes", {}, "--memory 80GiB");
      }
    });
  }
  if (!flags.link.empty()) {
    errors.collect([&] { overrides.link = parse_bandwidth(flags.link, "--link"); });
  }
  if (!flags.link_latency.empty()) {
    errors.collect(
        [&] { overrides.link_latency = parse_time(flags.link_latency, "--link-latency"); });
  }
  return overrides;
}

Deployment read_deployment(const ParallelFlags& flags, ErrorCollector& errors) {
  Deployment deployment;
  const auto read = [&](const std::vector<std::string>& words, const char* flag,
                        std::int64_t& count) {
    if (words.empty()) return;
    errors.collect([&] {
      const std::string& last = words.back();  // the last one wins, as of every scalar
      if (last.find_first_of(",.") != std::string::npos) {
        throw problem(fmt::format("{}: '{}' is a list", flag, last), "it takes one value here",
                      fmt::format("roofline sweep, with {} {}", flag, last));
      }
      count = parse_count(last, flag);
      constexpr std::int64_t most = 100'000;
      if (count > most) {
        throw problem(fmt::format("{}: {} devices are too many", flag, count),
                      fmt::format("at most {}", most), fmt::format("{} 8", flag));
      }
    });
  };
  read(flags.tensor, "--tp", deployment.tensor);
  read(flags.pipeline, "--pp", deployment.pipeline);
  read(flags.expert, "--ep", deployment.expert);
  read(flags.data, "--dp", deployment.data);
  return flags.data.empty() ? with_replicas_for_experts(deployment) : deployment;
}

double read_utilization(const std::string& text, ErrorCollector& errors) {
  double share = default_utilization;
  if (text.empty()) return share;
  errors.collect([&] {
    ErrorCollector unreadable;
    share = 0;
    unreadable.collect([&] { share = parse_number(text, "--gpu-memory-utilization"); });
    if (share > 0 && share <= 1) return;
    throw problem(fmt::format("--gpu-memory-utilization: '{}' is no share of memory", text),
                  "it is above 0 and at most 1", "--gpu-memory-utilization 0.9");
  });
  return share > 0 && share <= 1 ? share : default_utilization;
}

EngineLimits read_engine_limits(const EngineFlags& flags, ErrorCollector& errors) {
  EngineLimits limits;
  limits.utilization = read_utilization(flags.utilization, errors);
  const auto count = [&](const std::string& text, const char* flag, std::int64_t& value) {
    if (!text.empty()) errors.collect([&] { value = parse_count(text, flag); });
  };
  if (!flags.overhead.empty()) {
    errors.collect([&] { limits.overhead = parse_bytes(flags.overhead, "--memory-overhead"); });
  }
  count(flags.block_size, "--block-size", limits.block_tokens);
  count(flags.batched_tokens, "--max-num-batched-tokens", limits.batched_tokens);
  return limits;
}

}  // namespace roofline::cli
