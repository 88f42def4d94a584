#include "spec/huggingface/state_layers.hpp"

#include <fmt/format.h>

namespace roofline::huggingface {

std::int64_t read_auto_count(Config& config, Keys keys, std::int64_t most, std::int64_t automatic) {
  const auto found = config.find(keys);
  if (found && !(found->is_string() && found->text() == "auto")) return found->count(most);
  if (!found) config.note_default(*keys.begin(), fmt::format("{}", automatic));
  return automatic;
}

std::int64_t automatic_step_rank(const Model& model) {
  constexpr std::int64_t share = 16;
  return (model.hidden_size + share - 1) / share;
}

std::int64_t projection_biases(const Model& model, const Mamba1& mixer) {
  return 2 * mixer.inner + model.hidden_size;
}

std::int64_t projection_biases(const Model& model, const Mamba2& mixer) {
  const std::int64_t inner = mixer.heads * mixer.head_dim;
  const std::int64_t mixed = inner + 2 * mixer.groups * mixer.state;
  return inner + mixed + mixer.heads + model.hidden_size;
}

}  // namespace roofline::huggingface
