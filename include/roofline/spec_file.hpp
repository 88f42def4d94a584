// A spec file: devices, models and workloads to evaluate as a full product
// (data/schema/spec.schema.json). data/textbook/textbook.json is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"

namespace roofline {

struct SpecFile {
  std::string description;
  std::vector<Device> devices;
  std::vector<Model> models;
  std::vector<NamedWorkload> workloads;
};

/// Reads a spec file; names in it are looked up in `catalog`. A list of batches or contexts stands
/// for one workload each. Throws Error.
[[nodiscard]] SpecFile read_spec_file(std::string_view text, const std::string& file,
                                      const Catalog& catalog);

/// Throws Error unless the heads and, for causal attention, the sequence lengths fit together.
void validate(const AttentionShape& shape);

}  // namespace roofline
