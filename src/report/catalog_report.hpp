// The catalogue's entries as reports: lists, and one entry with all that is known of it.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/check.hpp"
#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/number_format.hpp"

namespace roofline::report {

[[nodiscard]] Report list_devices(const std::vector<Device>& devices);
[[nodiscard]] Report list_models(const std::vector<Model>& models);
[[nodiscard]] Report list_number_formats(const std::vector<NumberFormat>& formats);
[[nodiscard]] Report list_rules(const std::vector<RuleInfo>& rules);

/// `data_source`: "built-in", or the file.
[[nodiscard]] Report show_device(const Device& device, const std::string& data_source);
[[nodiscard]] Report show_model(const Model& model, const std::string& data_source);

}  // namespace roofline::report
