// Searches for a context's length. A decode step's FLOP and bytes are affine in the length but for
// windows, where they stop growing, and chunks, at whose start they fall.
#include <algorithm>

#include "analysis/search.hpp"
#include "analysis/solve_parts.hpp"

namespace roofline {
namespace {

/// Lengths from which on the cost grows at another rate, in rising order. The first length is on
/// its own: a state is not read there, and latent attention may take another form.
std::vector<std::int64_t> piece_starts(const Model& model) {
  std::vector<std::int64_t> starts{1, 2};
  for (const LayerGroup& group : model.layers) {
    const auto* attention = std::get_if<Attention>(&group.mixer);
    if (attention != nullptr && attention->window) starts.push_back(*attention->window + 1);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

/// Tokens of a chunk; no family has chunks of two sizes.
std::optional<std::int64_t> chunk_of(const Model& model) {
  for (const LayerGroup& group : model.layers) {
    const auto* attention = std::get_if<Attention>(&group.mixer);
    if (attention != nullptr && attention->chunk) return attention->chunk;
  }
  return std::nullopt;
}

/// The largest value in [low, high] where an affine difference has the sign that `holds` asks for:
/// it does from some value on, or up to one, or everywhere, or nowhere. low - 1 if nowhere.
std::int64_t largest_of_affine(std::int64_t low, std::int64_t high, const HoldsAt& holds) {
  if (low > high) return low - 1;
  if (holds(high)) return high;
  return largest_where(low, high, holds);
}

/// The same in [low, high] of a model with chunks: the difference is affine within a chunk, and so
/// are its values at the starts of all whole chunks, and at their ends.
std::int64_t largest_in_chunks(std::int64_t low, std::int64_t high, std::int64_t chunk,
                               const HoldsAt& holds) {
  const auto start = [&](std::int64_t index) { return index * chunk + 1; };
  const auto end = [&](std::int64_t index) { return (index + 1) * chunk; };
  const std::int64_t last = (high - 1) / chunk;
  const std::int64_t in_last = largest_of_affine(std::max(low, start(last)), high, holds);
  if (in_last >= std::max(low, start(last))) return in_last;
  const std::int64_t first = (low - 1 + chunk - 1) / chunk;
  const std::int64_t found =
      std::max(largest_of_affine(first, last - 1, [&](std::int64_t i) { return holds(start(i)); }),
               largest_of_affine(first, last - 1, [&](std::int64_t i) { return holds(end(i)); }));
  if (found >= first) return largest_of_affine(start(found), end(found), holds);
  const std::int64_t head = std::min(start(first) - 1, start(last) - 1);  // of a chunk in part
  return largest_of_affine(low, head, holds);
}

}  // namespace

std::int64_t longest_within(const Model& model, std::int64_t high, const HoldsAt& holds) {
  if (high < 1) return 0;
  const std::optional<std::int64_t> chunk = chunk_of(model);
  if (!chunk) return largest_where(1, high, holds);
  // The time grows within a chunk, and from the start of one to the start of the next.
  const std::int64_t last = largest_where(
      0, (high - 1) / *chunk, [&](std::int64_t index) { return holds(index * *chunk + 1); });
  if (last < 0) return 0;
  const std::int64_t start = last * *chunk + 1;
  return largest_where(start, std::min(high, start + *chunk - 1), holds);
}

std::int64_t longest_outweighing(const Model& model, std::int64_t high, const HoldsAt& holds) {
  const std::vector<std::int64_t> starts = piece_starts(model);
  const std::optional<std::int64_t> chunk = chunk_of(model);
  std::int64_t end = high;
  for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
    if (*start > end) continue;
    const std::int64_t found = chunk ? largest_in_chunks(*start, end, *chunk, holds)
                                     : largest_of_affine(*start, end, holds);
    if (found >= *start) return found;
    end = *start - 1;
  }
  return 0;
}

}  // namespace roofline
