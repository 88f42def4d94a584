#include "analysis/improvements.hpp"

#include <algorithm>
#include <array>

#include "analysis/eight_bits.hpp"

namespace roofline {
namespace {

constexpr double factor = 2;

constexpr std::array layer_parts{Part::mixer, Part::mlp, Part::shared_experts, Part::experts};

/// The layers' matrices in 8 bits, with the activations that they have: products run as before.
Precision with_8_bit_weights(const Model& model, Precision precision) {
  const ParameterCount count = count_parameters(model);
  for (const Part part : layer_parts) {
    if (count.parts[part] > 0 && is_wide(precision.weights[part])) {
      precision.weights[part] = eight_bits();
    }
  }
  return precision;
}

Precision with_8_bit_kv(const Model& model, Precision precision) {
  if (kv_elements_per_token(model) > 0 && is_wide(precision.kv)) precision.kv = eight_bits();
  return precision;
}

Workload with_twice_the_batch(Workload workload) {
  std::visit(
      [](auto& kind) {
        if constexpr (requires { kind.others; }) {
          kind.batch *= 2;
          for (Sequences& alike : kind.others) alike.count *= 2;
        }
      },
      workload);
  return workload;
}

/// Evaluates a step as it is and with one change at a time.
class Trial {
 public:
  Trial(const Setting& setting, const AnalyzeRequest& request, const AnalyzePoint& point)
      : setting_(setting), request_(request), point_(point) {}

  void with_device(Change change, const Device& device, const Rates& rates,
                   const Network& network) {
    run(change,
        {setting_.model, device, setting_.deployment, setting_.precision, rates, network, {}},
        point_.workload.workload);
  }

  void with_precision(Change change, const Precision& precision) {
    if (precision == setting_.precision) return;
    const Rates rates =
        choose_rates(setting_.device, setting_.model, precision, request_.precision.accumulate);
    run(change,
        {setting_.model,
         setting_.device,
         setting_.deployment,
         precision,
         rates,
         setting_.network,
         {}},
        point_.workload.workload);
  }

  void with_workload(Change change, const Workload& workload) { run(change, setting_, workload); }

  [[nodiscard]] std::vector<Improvement> ranked() {
    std::stable_sort(found_.begin(), found_.end(), [](const Improvement& a, const Improvement& b) {
      return a.speedup > b.speedup;
    });
    return std::move(found_);
  }

 private:
  void run(Change change, const Setting& setting, const Workload& workload) {
    const Step step = step_of(workload);
    Evaluator evaluator(setting, request_.experts);
    const StepTime& time = evaluator.evaluate(step);
    const double sequences = change == Change::batch_twice ? factor : 1;
    Improvement improvement{.change = change,
                            .speedup = sequences * (point_.roofline_time / time.roofline),
                            .roofline = time.roofline,
                            .fits = {}};
    if (const auto usable = usable_memory(setting.device, request_.utilization)) {
      improvement.fits = evaluator.memory().total() <= *usable;
    }
    found_.push_back(improvement);
  }

  const Setting& setting_;
  const AnalyzeRequest& request_;
  const AnalyzePoint& point_;
  std::vector<Improvement> found_;
};

Rates with_twice_the_peak(Rates rates) {
  for (const Part part : all_parts) rates.weights[part].peak = rates.weights[part].peak * factor;
  rates.cache.peak = rates.cache.peak * factor;
  rates.state.peak = rates.state.peak * factor;
  return rates;
}

Network with_twice_the_link(Network network) {
  for (std::optional<Link>* link : {&network.tensor, &network.expert, &network.pipeline}) {
    if (*link) (*link)->per_direction = (*link)->per_direction * factor;
  }
  return network;
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::peak_twice:
      return "twice the peak";
    case Change::bandwidth_twice:
      return "twice the bandwidth";
    case Change::link_twice:
      return "twice the link";
    case Change::weights_8_bit:
      return "8-bit weights";
    case Change::kv_8_bit:
      return "8-bit K/V";
    case Change::batch_twice:
      break;
  }
  return "twice the batch";
}

std::vector<Improvement> find_improvements(const Setting& setting, const AnalyzeRequest& request,
                                           const AnalyzePoint& point) {
  Trial trial(setting, request, point);
  const Device& device = setting.device;
  Device faster_memory = device;
  faster_memory.bandwidth = device.bandwidth * factor;
  trial.with_device(Change::peak_twice, device, with_twice_the_peak(setting.rates),
                    setting.network);
  trial.with_device(Change::bandwidth_twice, faster_memory, setting.rates, setting.network);
  const auto* step = std::get_if<StepAnalysis>(&point.detail);
  if (step != nullptr && step->time.load.bytes() > Bytes()) {
    trial.with_device(Change::link_twice, device, setting.rates,
                      with_twice_the_link(setting.network));
  }
  trial.with_precision(Change::weights_8_bit, with_8_bit_weights(setting.model, setting.precision));
  trial.with_precision(Change::kv_8_bit, with_8_bit_kv(setting.model, setting.precision));
  trial.with_workload(Change::batch_twice, with_twice_the_batch(point.workload.workload));
  return trial.ranked();
}

std::vector<Improvement> find_improvements(const AnalyzePoint& kernel) {
  const auto with = [&](Change change, Seconds compute, Seconds memory) {
    const Seconds time = std::max(compute, memory);
    return Improvement{change, kernel.roofline_time / time, time, {}};
  };
  std::vector<Improvement> found{
      with(Change::peak_twice, kernel.compute_time / factor, kernel.memory_time),
      with(Change::bandwidth_twice, kernel.compute_time, kernel.memory_time / factor)};
  if (found[1].speedup > found[0].speedup) std::swap(found[0], found[1]);
  return found;
}

}  // namespace roofline
