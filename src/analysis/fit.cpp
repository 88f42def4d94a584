#include "roofline/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/capacity.hpp"
#include "analysis/eight_bits.hpp"
#include "analysis/fewest_devices.hpp"
#include "analysis/server_notes.hpp"
#include "base/number.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

void require_capacity(const Device& device) {
  if (usable_memory(device)) return;
  throw Error(Diagnostic{.what = fmt::format("the memory of {} is not known", device.name),
                         .why = "its entry has no capacity",
                         .fix = "--memory 80GB"});
}

/// The first term with which the sum passes `usable`.
MemoryTerm binding_term(const FitResult& result) {
  const std::array terms{std::pair{MemoryTerm::weights, result.need.weights},
                         std::pair{MemoryTerm::activations, result.need.activations},
                         std::pair{MemoryTerm::state, result.need.state},
                         std::pair{MemoryTerm::kv, result.need.kv}};
  Bytes sum = result.verdict == FitVerdict::does_not_fit ? Bytes() : result.engine.total();
  for (const auto& [term, bytes] : terms) {
    sum += bytes;
    if (sum > result.usable) return term;
  }
  return result.need.state > result.need.kv ? MemoryTerm::state : MemoryTerm::kv;
}

FitVerdict verdict_of(const FitResult& result) {
  if (result.most_need() <= result.usable) return FitVerdict::fits;
  return result.least_need() <= result.usable ? FitVerdict::uncertain : FitVerdict::does_not_fit;
}

/// Whole blocks of K/V in what the other terms leave, over all replicas.
std::optional<CountRange> kv_tokens(const FitRequest& request, const FitResult& result) {
  if (!(result.need.kv > Bytes())) return std::nullopt;
  const std::int64_t replicas = request.server.deployment.data;
  const std::int64_t block = request.server.limits.block_tokens;
  const std::int64_t sequences = (request.batch + replicas - 1) / replicas;
  const std::int64_t blocks = (request.context + block - 1) / block;
  const Bytes block_bytes = result.need.kv / (number(sequences) * number(blocks));
  const Bytes free = result.usable - (result.need.total() - result.need.kv);
  const auto tokens = [&](Bytes left) {
    const double whole = std::max(0.0, left / block_bytes);
    return static_cast<std::int64_t>(whole) * block * replicas;
  };
  return CountRange{tokens(free - result.engine.total()), tokens(free)};
}

/// The changes of precision with which it fits for certain; both only where neither is enough.
std::vector<FitRemedy> find_remedies(const FitRequest& request, const Precision& precision) {
  const auto change = [&](FitRemedy::Kind kind, std::vector<FitRemedy>& found) {
    FitRequest changed = request;
    PrecisionRequest& formats = changed.server.precision;
    if (kind != FitRemedy::Kind::weights_8_bit) formats.kv = eight_bits();
    if (kind != FitRemedy::Kind::kv_8_bit) formats.weights = eight_bits();
    const std::optional<Bytes> need = need_if_it_fits(changed, true);
    if (need) found.push_back({kind, *need});
  };
  std::vector<FitRemedy> found;
  if (is_wide(precision.kv)) change(FitRemedy::Kind::kv_8_bit, found);
  change(FitRemedy::Kind::weights_8_bit, found);
  if (found.empty()) change(FitRemedy::Kind::both_8_bit, found);
  return found;
}

/// Notes on rates and links are about time, and left out.
std::vector<std::string> notes_of(const FitRequest& request, const FitResult& result) {
  std::vector<std::string> notes = request.server.model.left_out;
  const auto append = [&](const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  append(request.server.model.warnings);
  append(resolve_precision(request.server.model, request.server.precision).notes);
  note_context(request.server.model, request.context, notes);
  note_memory(request.server.device, notes);
  if (result.engine.context > Bytes()) {
    notes.emplace_back(
        "engines differ in what they take besides (--memory-overhead 2GB to say what yours takes)");
  }
  return notes;
}

}  // namespace

std::string_view to_string(FitVerdict verdict) {
  switch (verdict) {
    case FitVerdict::fits:
      return "fits";
    case FitVerdict::uncertain:
      return "uncertain";
    case FitVerdict::does_not_fit:
      break;
  }
  return "does-not-fit";
}

std::string_view to_string(MemoryTerm term) {
  switch (term) {
    case MemoryTerm::weights:
      return "weights";
    case MemoryTerm::activations:
      return "activations";
    case MemoryTerm::state:
      return "state";
    case MemoryTerm::kv:
      break;
  }
  return "kv";
}

FitResult fit(const FitRequest& request) {
  const Server& server = request.server;
  ErrorCollector errors;
  errors.collect([&] { require_choices({&server.model, 1}, server.precision, server.experts); });
  errors.collect([&] { require_capacity(server.device); });
  std::optional<Setting> setting;
  errors.collect([&] {
    setting.emplace(make_setting(server.model, server.device, server.deployment, server.precision));
  });
  errors.throw_if_any();
  Capacity capacity(*setting, server.limits);
  FitResult result;
  result.precision = setting->precision;
  result.need = capacity.need(request.batch, request.context);
  result.engine = engine_memory(*setting, request.overhead_known);
  result.usable = *capacity.usable();
  result.verdict = verdict_of(result);
  result.binds = binding_term(result);
  result.kv_tokens = kv_tokens(request, result);
  const Bytes engine = result.engine.total();
  result.sequences = {*capacity.most_sequences(request.context, engine),
                      *capacity.most_sequences(request.context)};
  result.context = {*capacity.longest(request.batch, engine), *capacity.longest(request.batch)};
  result.any_length = result.context.high == longest_counted;
  result.max_context = server.model.max_context;
  result.fewest = fewest_devices(request, true);
  result.fewest_at_best = fewest_devices(request, false);
  if (result.verdict != FitVerdict::fits) {
    result.remedies = find_remedies(request, result.precision);
  }
  result.notes = notes_of(request, result);
  return result;
}

}  // namespace roofline
