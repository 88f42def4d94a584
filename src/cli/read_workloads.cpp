// What the workload flags describe; every mistake at once.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/closest.hpp"
#include "base/parse.hpp"
#include "cli/flags.hpp"
#include "roofline/spec_file.hpp"

namespace roofline::cli {
namespace {

Error problem(std::string what, std::string why, std::string fix,
              std::vector<std::string> suggestions = {}) {
  return Error(Diagnostic{.what = std::move(what),
                          .why = std::move(why),
                          .fix = std::move(fix),
                          .suggestions = std::move(suggestions)});
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
  /// A count that may be 0.
  std::int64_t optional_from_0(const std::string& text, const char* flag) {
    std::int64_t count = 0;
    if (!text.empty()) errors_.collect([&] { count = parse_count(text, flag, 0); });
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

constexpr std::string_view steps = "decode prefill mixed verify";

struct FlagUse {
  const char* flag;
  bool given;
  std::string_view workloads;  ///< those that take it
};

std::vector<FlagUse> flag_uses(const QuestionFlags& flags) {
  const WorkloadFlags& w = flags.workload;
  const ModelAndDeviceFlags& m = flags.subject;
  const ParallelFlags& p = flags.parallel;
  return {{"--batch", !w.batches.empty(), "decode prefill mixed verify attention bare"},
          {"--context", !w.contexts.empty(), "decode prefill mixed verify bare"},
          {"--contexts", !w.lengths.empty(), steps},
          {"--cached", !w.cached.empty(), "prefill"},
          {"--chunk", !w.chunk.empty(), "mixed"},
          {"--position", !w.position.empty(), "mixed"},
          {"--drafts", !w.drafts.empty(), "verify"},
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
          {"--experts", !w.experts.empty(), steps},
          {"--assume", !m.assume.empty(), steps},
          {"--layers", !m.layers.empty(), "bare"},
          {"--params", !m.parameters.empty(), "bare"},
          {"--model", !m.models.empty(), steps},
          {"--tp", !p.tensor.empty(), steps},
          {"--pp", !p.pipeline.empty(), steps},
          {"--ep", !p.expert.empty(), steps},
          {"--dp", !p.data.empty(), steps},
          {"--weight-dtype", !flags.precision.weights.empty(),
           "decode prefill mixed verify matmul bare"},
          {"--kv-dtype", !flags.precision.kv.empty(), "decode prefill mixed verify attention bare"},
          {"--state-dtype", !flags.precision.state.empty(), steps},
          {"--memory", !flags.overrides.memory.empty(), steps},
          {"--link", !flags.overrides.link.empty(), steps},
          {"--link-latency", !flags.overrides.link_latency.empty(), steps},
          {"--price", !flags.overrides.price.empty(), steps}};
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
  const std::vector<std::string> known{"decode", "prefill", "mixed",
                                       "verify", "matmul",  "attention"};
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

std::vector<NamedWorkload> read_attention(const WorkloadFlags& flags,
                                          const std::vector<std::int64_t>& batches, Shape& shape,
                                          ErrorCollector& errors) {
  AttentionShape attention;
  attention.heads = shape.required(flags.heads, "--heads", "attention");
  attention.kv_heads = shape.optional(flags.kv_heads, "--kv-heads", attention.heads);
  attention.head_dim = shape.required(flags.head_dim, "--head-dim", "attention");
  attention.seq_q = shape.required(flags.seq_q, "--seq-q", "attention");
  attention.seq_k = shape.optional(flags.seq_k, "--seq-k", attention.seq_q);
  attention.causal = flags.causal.value_or(false);
  if (shape.good()) errors.collect([&] { validate(attention); });
  std::vector<NamedWorkload> workloads;
  for (const std::int64_t batch : batches) {
    attention.batch = batch;
    workloads.push_back({"attention", attention});
  }
  return workloads;
}

/// "512x8" is 8 sequences of 512 tokens, "512" one.
Sequences read_sequences(std::string_view text) {
  const std::size_t cross = text.find('x');
  Sequences sequences;
  sequences.context = parse_count(text.substr(0, cross), "--contexts");
  if (cross != std::string_view::npos) {
    sequences.count = parse_count(text.substr(cross + 1), "--contexts");
  }
  return sequences;
}

/// The sequences of --contexts; none without it.
std::vector<Sequences> read_lengths(const WorkloadFlags& flags, ErrorCollector& errors) {
  std::vector<Sequences> lengths;
  for (const std::string& list : flags.lengths) {
    errors.collect([&] {
      for (const std::string_view item : split_list(list, "--contexts")) {
        lengths.push_back(read_sequences(item));
      }
    });
  }
  constexpr std::size_t most_lengths = 1000;
  if (lengths.size() > most_lengths) {
    errors.add(problem("--contexts: at most 1000 lengths", {}, "give like lengths once: 512x8"));
    lengths.resize(1);
  }
  if (lengths.empty()) return lengths;
  for (const auto& [given, flag] : {std::pair(!flags.batches.empty(), "--batch"),
                                    std::pair(!flags.contexts.empty(), "--context")}) {
    if (!given) continue;
    errors.add(problem(fmt::format("{} does not go with --contexts", flag),
                       "--contexts says how many sequences there are of which length",
                       "leave one of them out"));
  }
  return lengths;
}

/// The parts of a step that all batches and contexts share.
struct StepFlags {
  std::string kind;
  bool causal = true;
  std::int64_t cached = 0;
  std::int64_t chunk = Mixed{}.chunk;
  std::int64_t position = 0;
  std::int64_t drafts = Verify{}.drafts;
};

Workload step_workload(const StepFlags& flags, const Sequences& first,
                       const std::vector<Sequences>& others) {
  if (flags.kind == "decode") return Decode{first.count, first.context, others};
  if (flags.kind == "mixed") {
    return Mixed{first.count, first.context, flags.chunk, flags.position, others};
  }
  if (flags.kind == "verify") return Verify{first.count, first.context, flags.drafts, others};
  return Prefill{first.count, first.context, flags.causal, flags.cached, others};
}

void require_prompts_beyond_cache(const std::vector<NamedWorkload>& workloads,
                                  ErrorCollector& errors) {
  for (const NamedWorkload& named : workloads) {
    const auto* prefill = std::get_if<Prefill>(&named.workload);
    if (prefill == nullptr) continue;
    for (const Sequences& alike : sequences_of(named.workload)) {
      if (alike.context > prefill->cached) continue;
      errors.add(problem(fmt::format("--cached {} leaves nothing of a prompt of {} to compute",
                                     prefill->cached, alike.context),
                         "at least one token is computed, for its logits",
                         fmt::format("--cached {}", alike.context - 1)));
      return;
    }
  }
}

}  // namespace

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
  const auto batches = shape.list(flags.batches, "--batch", Decode{}.batch);
  if (kind == "attention") return read_attention(flags, batches, shape, errors);
  TextbookDecode bare;
  if (kind == "bare") {
    errors.collect([&] { bare.parameters = parse_parameters(model.parameters, "--params"); });
    bare.kv_heads = shape.required(flags.kv_heads, "--kv-heads", "--params");
    bare.head_dim = shape.required(flags.head_dim, "--head-dim", "--params");
    bare.layers = shape.optional(model.layers, "--layers", 1);
  }
  StepFlags step{.kind = kind, .causal = flags.causal.value_or(true)};
  step.cached = shape.optional_from_0(flags.cached, "--cached");
  step.chunk = shape.optional(flags.chunk, "--chunk", step.chunk);
  step.position = shape.optional_from_0(flags.position, "--position");
  step.drafts = shape.optional(flags.drafts, "--drafts", step.drafts);
  const std::vector<Sequences> lengths = read_lengths(flags, errors);
  std::vector<NamedWorkload> workloads;
  if (!lengths.empty()) {
    workloads.push_back(
        {kind, step_workload(step, lengths.front(), {lengths.begin() + 1, lengths.end()})});
    require_prompts_beyond_cache(workloads, errors);
    return workloads;
  }
  const auto contexts = shape.list(flags.contexts, "--context", Decode{}.context);
  if (batches.size() * contexts.size() > most_points) {
    errors.add(problem(fmt::format("{} batches x {} contexts are too many for one answer",
                                   batches.size(), contexts.size()),
                       fmt::format("they are at most {}", most_points),
                       "shorter lists, or roofline sweep"));
    return {};
  }
  for (const std::int64_t batch : batches) {
    for (const std::int64_t context : contexts) {
      if (kind == "bare") {
        bare.batch = batch;
        bare.context = context;
        workloads.push_back({"textbook-decode", bare});
      } else {
        workloads.push_back({kind, step_workload(step, {batch, context}, {})});
      }
    }
  }
  require_prompts_beyond_cache(workloads, errors);
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

std::vector<std::string> given_workload_flags(const QuestionFlags& flags) {
  constexpr std::array goes_with_spec{"--model",  "--weight-dtype", "--kv-dtype", "--state-dtype",
                                      "--memory", "--price",        "--experts",  "--assume",
                                      "--tp",     "--pp",           "--ep",       "--dp",
                                      "--link",   "--link-latency"};
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
