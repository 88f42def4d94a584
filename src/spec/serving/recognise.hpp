// Which form a serving config has, told by its content alone.
#pragma once

#include <optional>

#include "roofline/serving_config.hpp"
#include "spec/serving/config_node.hpp"
#include "spec/serving/source_text.hpp"

namespace roofline {

/// The type that the keys show; none if they show none.
[[nodiscard]] std::optional<ConfigType> type_of_documents(const ConfigDocuments& documents);

/// True if a command of the text starts an engine, or one that is refused by name.
[[nodiscard]] bool is_shell_config(const SourceText& source);

}  // namespace roofline
