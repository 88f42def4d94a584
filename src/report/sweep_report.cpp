#include "report/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/format.hpp"
#include "report/analyze_inputs.hpp"
#include "report/analyze_parts.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

/// What a sweep varies, in the order of its loops.
constexpr std::string_view varied[] = {
    "gpu", "model", "workload", "batch", "context_tokens", "contexts",
    "tp",  "pp",    "ep",       "dp",    "weight_dtype",   "kv_dtype"};

std::size_t place_of(std::string_view key) {
  return static_cast<std::size_t>(std::find(std::begin(varied), std::end(varied), key) -
                                  std::begin(varied));
}

bool is_varied(std::string_view key) {
  return place_of(key) < std::size(varied);
}

/// What a point is where it cannot be run.
bool is_known_without_step(std::string_view key) {
  constexpr std::string_view known[] = {"cached_tokens", "chunk_tokens", "position_tokens",
                                        "draft_tokens",  "causal",       "act_dtype"};
  return is_varied(key) || std::find(std::begin(known), std::end(known), key) != std::end(known);
}

/// Of a step, the same in all rows.
bool is_in_title(std::string_view key) {
  return key == "cached_tokens" || key == "chunk_tokens" || key == "position_tokens" ||
         key == "draft_tokens";
}

Column for_text(Column column) {
  if (is_varied(column.key)) column.show = Show::everywhere;
  if (is_in_title(column.key)) column.show = Show::machine;
  if (column.key == "weight_dtype") column.header = "weights";
  if (column.key == "kv_dtype") column.header = "K/V";
  // A table of many lists is wide.
  column.where_room = column.where_room || column.key == "intensity_flop_per_byte" ||
                      column.key == "ridge_flop_per_byte" || column.key == "achievable_flop_per_s";
  return column;
}

/// ", batch 32", ", 3 batches".
std::string counted(const std::vector<std::int64_t>& values, std::string_view one,
                    std::string_view many) {
  const std::set<std::int64_t> different(values.begin(), values.end());
  const auto count = [](auto value) { return format_count(static_cast<double>(value)); };
  if (different.size() == 1) return fmt::format(", {} {}", one, count(*different.begin()));
  return fmt::format(", {} {}", count(different.size()), many);
}

std::string lengths_of(const SweepRequest& request, const AnalyzePoint& point) {
  if (sequences_of(point.workload.workload).size() > 1) return step_text(point);
  return counted(request.batches, "batch", "batches") +
         counted(request.contexts, "context", "contexts") + step_shape_text(point);
}

std::string precisions_of(const SweepRequest& request) {
  std::set<std::string> texts;
  for (const Model& model : request.models) {
    for (const auto& weights : request.weights) {
      for (const auto& kv : request.kv) {
        PrecisionRequest precision = request.precision;
        precision.weights = weights;
        precision.kv = kv;
        ErrorCollector reasons;  // the rows have them
        reasons.collect(
            [&] { texts.insert(precision_text(resolve_precision(model, precision).precision)); });
      }
    }
  }
  return texts.size() == 1 ? *texts.begin() : fmt::format("{} precisions", texts.size());
}

std::string devices_of(const SweepRequest& request) {
  const std::size_t ways =
      request.tensor.size() * request.pipeline.size() * request.expert.size() * request.data.size();
  const std::size_t gpus = request.devices.size();
  const std::string name = gpus == 1 ? request.devices.front().name : fmt::format("{} GPUs", gpus);
  if (ways > 1) return fmt::format("{}, {} deployments", name, ways);
  const std::int64_t data = request.data.front();
  const Deployment only{request.tensor.front(), request.pipeline.front(), request.expert.front(),
                        data == 0 ? request.expert.front() : data};
  const auto count = static_cast<double>(only.devices());
  return (gpus == 1 ? fmt::format("{} x ", format_count(count)) : "") + name + to_string(only);
}

}  // namespace

SweepTable::SweepTable(bool for_reading) {
  const std::vector<PointColumn>& all = point_columns();
  for (std::size_t c = 0; c < all.size(); ++c) order_.push_back(c);
  if (for_reading) {
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return place_of(all[a].column.key) < place_of(all[b].column.key);
    });
    in_title_.assign(std::begin(varied), std::end(varied));
  }
  for (const std::size_t c : order_) {
    columns_.push_back(for_reading ? for_text(all[c].column) : all[c].column);
  }
}

Row SweepTable::row(const SweepPoint& point, const AnalyzePoint& analysis) const {
  const std::vector<PointColumn>& all = point_columns();
  Row row;
  row.reserve(order_.size());
  for (const std::size_t c : order_) {
    const std::string& key = all[c].column.key;
    if (point.time != nullptr || is_known_without_step(key)) {
      row.push_back(all[c].value(analysis));
    } else if (key == "reason") {
      row.emplace_back(std::string(point.reason));
    } else if (key == "fits_text") {
      row.emplace_back(std::string("cannot run"));
    } else {
      row.emplace_back();
    }
  }
  return row;
}

std::string title_of(const SweepRequest& request, const std::string& overrides) {
  AnalyzePoint point;
  point.workload = request.workload;
  const std::string models = request.models.size() == 1
                                 ? request.models.front().name
                                 : fmt::format("{} models", request.models.size());
  const auto* prefill = std::get_if<Prefill>(&request.workload.workload);
  const bool no_mask = prefill != nullptr && !prefill->causal;
  return fmt::format("{} of {} ({}){}{}, on {}{}{}", request.workload.name, models,
                     precisions_of(request), no_mask ? " without causal mask" : "",
                     lengths_of(request, point), devices_of(request),
                     overrides.empty() ? "" : ", with ", overrides);
}

}  // namespace roofline::report
