// A sweep's loops: what a model on a device needs is made ready once for each combination of
// deployment and formats, then batches and contexts run through them.
#include "roofline/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "analysis/capable_device.hpp"
#include "analysis/evaluator.hpp"
#include "analysis/step_point.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The workload with another first group of sequences.
NamedWorkload with_lengths(NamedWorkload named, std::int64_t batch, std::int64_t context) {
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.others; }) {
          kind.batch = batch;
          kind.context = context;
        }
      },
      named.workload);
  return named;
}

/// The same for the workload's step, in place.
void set_lengths(Step& step, const Workload& workload, std::int64_t batch, std::int64_t context) {
  StepGroup& first = step.groups.front();
  first.count = batch;
  if (std::holds_alternative<Prefill>(workload)) {
    first.new_tokens = context - first.cached_tokens;
  } else {
    first.cached_tokens = context - 1;
  }
}

/// What a model on a device shares among batches and contexts.
struct Combination {
  Deployment deployment;
  Precision precision;
  std::unique_ptr<const Setting> setting;  ///< null where it cannot be run
  std::unique_ptr<Evaluator> evaluator;
  std::string reason;
};

std::string words_of(const Error& error) {
  const Diagnostic& first = error.diagnostics().front();
  return first.why.empty() ? first.what : fmt::format("{}: {}", first.what, first.why);
}

std::vector<Deployment> deployments_of(const SweepRequest& request) {
  std::vector<Deployment> all;
  for (const std::int64_t tensor : request.tensor) {
    for (const std::int64_t pipeline : request.pipeline) {
      for (const std::int64_t expert : request.expert) {
        for (const std::int64_t data : request.data) {
          const Deployment deployment{tensor, pipeline, expert, std::max<std::int64_t>(data, 1)};
          all.push_back(data == 0 ? with_replicas_for_experts(deployment) : deployment);
        }
      }
    }
  }
  return all;
}

std::vector<PrecisionRequest> precisions_of(const SweepRequest& request) {
  std::vector<PrecisionRequest> all;
  for (const auto& weights : request.weights) {
    for (const auto& kv : request.kv) {
      all.push_back(request.precision);
      all.back().weights = weights;
      all.back().kv = kv;
    }
  }
  return all;
}

Combination combine(const SweepRequest& request, const Model& model, const Device& device,
                    const Deployment& deployment, const PrecisionRequest& precision) {
  Combination combination;
  combination.deployment = deployment;
  try {
    combination.precision = resolve_precision(model, precision).precision;
    combination.setting =
        std::make_unique<const Setting>(make_setting(model, device, deployment, precision));
    combination.evaluator = std::make_unique<Evaluator>(*combination.setting, request.experts);
  } catch (const Error& error) {
    combination.reason = words_of(error);
  }
  return combination;
}

std::vector<Combination> combinations_of(const SweepRequest& request, const Model& model,
                                         const Device& device) {
  std::vector<Combination> all;
  const std::vector<PrecisionRequest> precisions = precisions_of(request);
  for (const Deployment& deployment : deployments_of(request)) {
    for (const PrecisionRequest& precision : precisions) {
      all.push_back(combine(request, model, device, deployment, precision));
    }
  }
  return all;
}

std::uint64_t product(std::initializer_list<std::size_t> sizes) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t result = 1;
  for (const std::size_t size : sizes) {
    if (size == 0) return 0;
    result = result > most / size ? most : result * size;
  }
  return result;
}

void require_few_combinations(const SweepRequest& request) {
  const std::uint64_t combinations =
      product({request.tensor.size(), request.pipeline.size(), request.expert.size(),
               request.data.size(), request.weights.size(), request.kv.size()});
  if (combinations <= most_combinations) return;
  throw Error(
      Diagnostic{.what = fmt::format(
                     "{} combinations of deployment and number formats are too many", combinations),
                 .why = fmt::format("they are at most {} in one sweep", most_combinations),
                 .fix = "shorter lists of --tp, --pp, --ep, --dp, --weight-dtype or --kv-dtype"});
}

/// What does not even run on one device that can do everything is the request's mistake, if no
/// choice of formats helps.
void require_runnable(const SweepRequest& request) {
  if (!needs_model(request.workload.workload)) {
    throw Error(Diagnostic{.what = "kernels on their own are not swept",
                           .why = "a sweep runs through steps of models",
                           .fix = "roofline analyze, which takes lists of --gpu and --batch too"});
  }
  const std::int64_t longest = *std::max_element(request.contexts.begin(), request.contexts.end());
  const NamedWorkload workload = with_lengths(request.workload, request.batches.front(), longest);
  std::optional<Error> first;
  for (const PrecisionRequest& precision : precisions_of(request)) {
    try {
      (void)analyze({.models = request.models,
                     .devices = {capable_device()},
                     .workloads = {workload},
                     .precision = precision,
                     .price = {},
                     .experts = request.experts});
      return;
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

/// Runs through batches, contexts and combinations of one model on one device.
class Runner {
 public:
  Runner(const SweepRequest& request, const Model& model, const Device& device)
      : request_(request),
        model_(model),
        device_(device),
        combinations_(combinations_of(request, model, device)),
        step_(step_of(request.workload.workload)) {
    const auto* prefill = std::get_if<Prefill>(&request.workload.workload);
    if (prefill != nullptr) cached_ = prefill->cached;
  }

  void run(const std::function<void(const SweepPoint&)>& visit) {
    for (const std::int64_t batch : request_.batches) {
      for (const std::int64_t context : request_.contexts) {
        for (Combination& combination : combinations_) visit(point(batch, context, combination));
      }
    }
  }

 private:
  SweepPoint point(std::int64_t batch, std::int64_t context, Combination& combination) {
    SweepPoint point{.request = request_,
                     .model = model_,
                     .device = device_,
                     .batch = batch,
                     .context = context,
                     .deployment = combination.deployment,
                     .precision = combination.precision,
                     .reason = combination.reason};
    if (combination.evaluator == nullptr) return point;
    if (context <= cached_) {
      point.reason = "the cached prefix leaves nothing of the prompt to compute";
      return point;
    }
    set_lengths(step_, request_.workload.workload, batch, context);
    point.time = &combination.evaluator->evaluate(step_);
    point.evaluator = combination.evaluator.get();
    point.step = &step_;
    return point;
  }

  const SweepRequest& request_;
  const Model& model_;
  const Device& device_;
  std::vector<Combination> combinations_;
  Step step_;
  std::int64_t cached_ = 0;
};

}  // namespace

AnalyzePoint SweepPoint::analysis() const {
  const NamedWorkload named = with_lengths(request.workload, batch, context);
  if (evaluator != nullptr) {
    return step_point(*evaluator, named, *step,
                      {.price = request.price, .utilization = request.utilization});
  }
  StepAnalysis detail;
  detail.model = model.name;
  detail.deployment = deployment;
  detail.precision = precision;
  AnalyzePoint point;
  point.gpu = device.name;
  point.workload = named;
  point.detail = std::move(detail);
  return point;
}

std::uint64_t point_count(const SweepRequest& request) {
  return product({request.models.size(), request.devices.size(), request.batches.size(),
                  request.contexts.size(), request.tensor.size(), request.pipeline.size(),
                  request.expert.size(), request.data.size(), request.weights.size(),
                  request.kv.size()});
}

void sweep(const SweepRequest& request, const std::function<void(const SweepPoint&)>& visit) {
  require_few_combinations(request);
  require_runnable(request);
  for (const Model& model : request.models) {
    for (const Device& device : request.devices) Runner(request, model, device).run(visit);
  }
}

}  // namespace roofline
