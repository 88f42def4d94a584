// From what a workload is called to the step that it is.
#include "roofline/analyze.hpp"

namespace roofline {
namespace {

template <class Kind>
std::vector<Sequences> all_sequences(const Kind& workload) {
  std::vector<Sequences> all{{workload.batch, workload.context}};
  all.insert(all.end(), workload.others.begin(), workload.others.end());
  return all;
}

/// Each sequence computes the token after its cached ones, and `drafts` more.
void add_decoding(const std::vector<Sequences>& sequences, std::int64_t drafts, Step& step) {
  for (const Sequences& alike : sequences) {
    step.groups.push_back({.count = alike.count,
                           .new_tokens = drafts + 1,
                           .cached_tokens = alike.context - 1,
                           .logit_rows = drafts + 1});
  }
}

Step step_of(const Decode& decode) {
  Step step;
  add_decoding(all_sequences(decode), 0, step);
  return step;
}

Step step_of(const Prefill& prefill) {
  Step step;
  step.causal = prefill.causal;
  for (const Sequences& alike : all_sequences(prefill)) {
    const Step one = prefill_step(alike.count, alike.context, prefill.cached);
    step.groups.push_back(one.groups.front());
  }
  return step;
}

Step step_of(const Mixed& mixed) {
  Step step;
  add_decoding(all_sequences(mixed), 0, step);
  step.groups.push_back(
      {.count = 1, .new_tokens = mixed.chunk, .cached_tokens = mixed.position, .logit_rows = 1});
  return step;
}

Step step_of(const Verify& verify) {
  Step step;
  add_decoding(all_sequences(verify), verify.drafts, step);
  return step;
}

/// A kernel on its own is no step.
template <class Kernel>
Step step_of(const Kernel& /*kernel*/) {
  return {};
}

template <class Kernel>
std::vector<Sequences> all_sequences(const Kernel&) requires(!requires(const Kernel& kernel) {
  kernel.others;
}) {
  return {};
}

}  // namespace

Step step_of(const Workload& workload) {
  return std::visit([](const auto& kind) { return step_of(kind); }, workload);
}

std::vector<Sequences> sequences_of(const Workload& workload) {
  return std::visit([](const auto& kind) { return all_sequences(kind); }, workload);
}

bool needs_model(const Workload& workload) {
  return !sequences_of(workload).empty();
}

}  // namespace roofline
