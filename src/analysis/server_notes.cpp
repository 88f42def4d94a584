#include "analysis/server_notes.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "roofline/memory.hpp"

namespace roofline {

void note_context(const Model& model, std::int64_t context, std::vector<std::string>& notes) {
  if (!model.max_context || context <= *model.max_context) return;
  notes.push_back(fmt::format("context {} is beyond the {} tokens that {} is made for", context,
                              *model.max_context, model.name));
}

void note_memory(const Device& device, std::vector<std::string>& notes) {
  if (!usable_memory(device)) {
    notes.push_back(fmt::format(
        "the memory of {} is not known: whether it holds the sequences is not judged (--memory)",
        device.name));
  } else if (device.capacity_configurable && !device.usable) {
    notes.emplace_back("memory is that of the largest configuration (--memory to set it)");
  }
}

void note_price(const Device& device, const Price& price, std::vector<std::string>& notes) {
  std::string origin = price.provider;
  for (const std::string& more : {price.tier, price.as_of}) {
    if (!more.empty()) origin += (origin.empty() ? "" : ", ") + more;
  }
  notes.push_back(fmt::format("{}: {} USD an hour: {} (--price for another)", device.name,
                              format_exact(price.per_hour.value()), origin));
}

}  // namespace roofline
