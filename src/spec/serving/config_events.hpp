// The two parsers that feed a ConfigBuilder.
#pragma once

#include <vector>

#include "spec/serving/config_builder.hpp"
#include "spec/serving/source_text.hpp"

namespace roofline {

/// Of valid JSON.
void read_json_events(const SourceText& source, ConfigBuilder& builder);

/// All documents of a YAML text; `remarks` get the values that surprise. Throws Error for what is
/// no YAML, for templates and for tags that no engine's reader knows.
void read_yaml_events(const SourceText& source, ConfigBuilder& builder,
                      std::vector<ConfigRemark>& remarks);

}  // namespace roofline
