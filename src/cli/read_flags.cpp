// Groups of flags to devices, models, workloads and precision; every mistake at once.
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

/// One count of a workload's shape.
class Shape {
 public:
  explicit Shape(ErrorCollector& errors) : errors_(errors) {}

  std::int64_t required(const std::string& text, const char* flag, const char* workload) {
    if (text.empty()) {
      errors_.add(
          problem(fmt::format("{} needs {}", workload, flag), {}, fmt::format("{} 128", flag)));
      return 1;
    }
    return optional(text, flag, 1);
  }
  std::int64_t optional(const std::string& text, const char* flag, std::int64_t fallback) {
    std::int64_t count = fallback;
    const bool was_good = good_;
    if (text.empty()) return count;
    good_ = false;
    errors_.collect([&] {
      count = parse_count(text, flag);
      good_ = was_good;
    });
    return count;
  }
  std::vector<std::int64_t> list(const std::vector<std::string>& texts, const char* flag,
                                 std::int64_t fallback) {
    std::vector<std::int64_t> counts;
    for (const std::string& text : texts) {
      errors_.collect([&] {
        for (const std::int64_t count : parse_count_list(text, flag)) counts.push_back(count);
      });
    }
    if (counts.empty()) counts.push_back(fallback);
    return counts;
  }

  /// Nothing was missing or wrong so far.
  [[nodiscard]] bool good() const { return good_; }

 private:
  ErrorCollector& errors_;
  bool good_ = true;
};

struct FlagUse {
  const char* flag;
  bool given;
  std::string_view workloads;  ///< those that take it
};

std::vector<FlagUse> flag_uses(const QuestionFlags& flags) {
  const WorkloadFlags& w = flags.workload;
  const ModelAndDeviceFlags& m = flags.subject;
  return {{"--batch", !w.batches.empty(), "decode prefill attention bare"},
          {"--context", !w.contexts.empty(), "decode prefill bare"},
          {"--m", !w.m.empty(), "matmul"},
          {"--k", !w.k.empty(), "matmul"},
          {"--n", !w.n.empty(), "matmul"},
          {"--heads", !w.heads.empty(), "attention"},
          {"--kv-heads", !w.kv_heads.empty(), "attention bare"},
          {"--head-dim", !w.head_dim.empty(), "attention bare"},
          {"--seq-q", !w.seq_q.empty(), "attention"},
          {"--seq-k", !w.seq_k.empty(), "attention"},
          {w.causal.value_or(true) ? "--causal" : "--no-causal", w.causal.has_value(),
           "prefill attention"},
          {"--experts", !w.experts.empty(), "decode prefill"},
          {"--assume", !m.assume.empty(), "decode prefill"},
          {"--layers", !m.layers.empty(), "bare"},
          {"--params", !m.parameters.empty(), "bare"},
          {"--model", !m.models.empty(), "decode prefill"},
          {"--weight-dtype", !flags.precision.weights.empty(), "decode prefill matmul bare"},
          {"--kv-dtype", !flags.precision.kv.empty(), "decode prefill attention bare"},
          {"--state-dtype", !flags.precision.state.empty(), "decode prefill"},
          {"--memory", !flags.overrides.memory.empty(), "decode prefill"},
          {"--price", !flags.overrides.price.empty(), "decode prefill"}};
}

bool takes(const FlagUse& use, std::string_view kind) {
  return fmt::format(" {} ", use.workloads).find(fmt::format(" {} ", kind)) != std::string::npos;
}

/// How a user says that workload kind.
std::string described(std::string_view kind) {
  return kind == "bare" ? "--params" : fmt::format("--workload {}", kind);
}

/// What to use instead of a flag that the workload does not take.
std::string instead_of(const FlagUse& use, std::string_view kind) {
  const std::string_view flag = use.flag;
  if (kind == "matmul" && flag == "--model") return "--m, --k and --n are the dimensions";
  if (kind == "attention" && flag == "--context") return "--seq-q and --seq-k";
  if (kind == "bare" && takes(use, "decode")) return "leave it out, or use --model NAME";
  const std::string_view first = use.workloads.substr(0, use.workloads.find(' '));
  const std::string_view workload = first == "bare" ? "decode" : first;
  return fmt::format("leave it out, or use {}", described(workload));
}

void refuse_unused(std::string_view kind, const std::vector<FlagUse>& uses,
                   ErrorCollector& errors) {
  for (const FlagUse& use : uses) {
    if (!use.given || takes(use, kind)) continue;
    errors.add(problem(fmt::format("{} does not go with {}", use.flag, described(kind)), {},
                       instead_of(use, kind)));
  }
}

std::string workload_kind(const WorkloadFlags& flags, const ModelAndDeviceFlags& model,
                          ErrorCollector& errors) {
  const std::vector<std::string> known{"decode", "prefill", "matmul", "attention"};
  const std::string kind = flags.workload.empty() ? "decode" : flags.workload;
  if (std::find(known.begin(), known.end(), kind) == known.end()) {
    const bool list = kind.find(',') != std::string::npos;
    errors.add(problem(fmt::format("unknown workload '{}'", kind),
                       list ? "--workload takes one" : "",
                       fmt::format("one of {}", fmt::join(known, ", ")), closest(kind, known)));
    return {};
  }
  return kind == "decode" && !model.parameters.empty() ? "bare" : kind;
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

std::vector<NamedWorkload> read_workloads(const QuestionFlags& question, ErrorCollector& errors) {
  const WorkloadFlags& flags = question.workload;
  const ModelAndDeviceFlags& model = question.subject;
  const std::string kind = workload_kind(flags, model, errors);
  if (kind.empty()) return {};
  refuse_unused(kind, flag_uses(question), errors);
  Shape shape(errors);
  if (kind == "matmul") {
    return {{kind, MatmulShape{shape.required(flags.m, "--m", "matmul"),
                               shape.required(flags.k, "--k", "matmul"),
                               shape.required(flags.n, "--n", "matmul")}}};
  }
  std::vector<NamedWorkload> workloads;
  const auto batches = shape.list(flags.batches, "--batch", Decode{}.batch);
  if (kind == "attention") {
    AttentionShape attention;
    attention.heads = shape.required(flags.heads, "--heads", "attention");
    attention.kv_heads = shape.optional(flags.kv_heads, "--kv-heads", attention.heads);
    attention.head_dim = shape.required(flags.head_dim, "--head-dim", "attention");
    attention.seq_q = shape.required(flags.seq_q, "--seq-q", "attention");
    attention.seq_k = shape.optional(flags.seq_k, "--seq-k", attention.seq_q);
    attention.causal = flags.causal.value_or(false);
    if (shape.good()) errors.collect([&] { validate(attention); });
    for (const std::int64_t batch : batches) {
      attention.batch = batch;
      workloads.push_back({kind, attention});
    }
    return workloads;
  }
  TextbookDecode bare;
  if (kind == "bare") {
    errors.collect([&] { bare.parameters = parse_parameters(model.parameters, "--params"); });
    bare.kv_heads = shape.required(flags.kv_heads, "--kv-heads", "--params");
    bare.head_dim = shape.required(flags.head_dim, "--head-dim", "--params");
    bare.layers = shape.optional(model.layers, "--layers", 1);
  }
  const auto contexts = shape.list(flags.contexts, "--context", Decode{}.context);
  if (batches.size() * contexts.size() > most_points) {
    errors.add(problem(fmt::format("{} batches x {} contexts are too many for one answer",
                                   batches.size(), contexts.size()),
                       fmt::format("they are at most {}", most_points), "shorter lists"));
    return {};
  }
  for (const std::int64_t batch : batches) {
    for (const std::int64_t context : contexts) {
      if (kind == "bare") {
        bare.batch = batch;
        bare.context = context;
        workloads.push_back({"textbook-decode", bare});
      } else if (kind == "decode") {
        workloads.push_back({kind, Decode{batch, context}});
      } else {
        workloads.push_back({kind, Prefill{batch, context, flags.causal.value_or(true)}});
      }
    }
  }
  return workloads;
}

ExpertChoice read_experts(const WorkloadFlags& flags, ErrorCollector& errors) {
  using Kind = ExpertChoice::Kind;
  const std::string& text = flags.experts;
  if (text.empty() || text == "expected") return {};
  if (text == "fewest") return {.kind = Kind::fewest};
  if (text == "all") return {.kind = Kind::all};
  ExpertChoice choice{.kind = Kind::fixed, .count = 1};
  errors.collect([&] {
    if (text.find_first_not_of("0123456789_") != std::string::npos) {
      const std::vector<std::string> words{"expected", "fewest", "all"};
      throw problem(fmt::format("--experts: '{}' is no number of experts", text), {},
                    "expected, fewest, all or a whole number", closest(text, words));
    }
    choice.count = parse_count(text, "--experts");
  });
  return choice;
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
  return overrides;
}

std::vector<std::string> given_workload_flags(const QuestionFlags& flags) {
  constexpr std::array goes_with_spec{"--model",  "--weight-dtype", "--kv-dtype", "--state-dtype",
                                      "--memory", "--price",        "--experts",  "--assume"};
  std::vector<std::string> given;
  if (!flags.workload.workload.empty()) given.emplace_back("--workload");
  for (const FlagUse& use : flag_uses(flags)) {
    const bool allowed = std::find(goes_with_spec.begin(), goes_with_spec.end(),
                                   std::string_view(use.flag)) != goes_with_spec.end();
    if (use.given && !allowed) given.emplace_back(use.flag);
  }
  return given;
}

}  // namespace roofline::cli
