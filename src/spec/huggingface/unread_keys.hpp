// What is to be said of a config's keys that its family did not ask for.
#pragma once

#include <optional>
#include <string>

#include "roofline/model.hpp"
#include "spec/huggingface/config.hpp"

namespace roofline::huggingface {

/// Throws for a key of another architecture that is in force (not false, 0 or empty): the answer
/// would be of another model. Keys that neither change sizes nor work are passed over; the rest
/// goes to model.warnings by name.
void judge_unread_keys(const Config& config, Model& model);

/// A key of those not read that decides what the model is; none if there is no such.
[[nodiscard]] std::optional<std::string> structural_key(const Config& config);

}  // namespace roofline::huggingface
