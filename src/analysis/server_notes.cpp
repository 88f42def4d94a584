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

void note_overhead(Bytes overhead, std::vector<std::string>& notes) {
  if (overhead > Bytes()) return;
  notes.emplace_back(
      "what the engine keeps in memory besides is not taken off (--memory-overhead 2GB)");
}

void note_stages(const Deployment& deployment, std::vector<std::string>& notes) {
  if (deployment.pipeline == 1) return;
  notes.push_back(fmt::format(
      "one step passes the {} stages at a time: as many at once give up to {} times the "
      "throughput",
      deployment.pipeline, deployment.pipeline));
}

void note_latency_left_out(const Network& network, std::vector<std::string>& notes) {
  for (const std::optional<Link>* link : {&network.tensor, &network.expert, &network.pipeline}) {
    if (!*link || (*link)->hop_latency.value_or(Seconds()) == Seconds()) continue;
    notes.emplace_back("the link's latency is part of analyze's serial time, not of floors");
    return;
  }
}

void note_latency_unknown(const Network& network, std::vector<std::string>& notes) {
  for (const std::optional<Link>* link : {&network.tensor, &network.expert, &network.pipeline}) {
    if (!*link || (*link)->hop_latency) continue;
    notes.emplace_back(
        "the link's latency is not known: none is counted (--link-latency 2us for the serial "
        "time)");
    return;
  }
}

void note_price(const Device& device, const Price& price, std::vector<std::string>& notes) {
  std::string origin = price.provider;
  for (const std::string& more : {price.tier, price.as_of}) {
    if (!more.empty()) origin += (origin.empty() ? "" : ", ") + more;
  }
  notes.push_back(fmt::format("{}: {} USD an hour{}{} (--price for another)", device.name,
                              format_exact(price.per_hour.value()), origin.empty() ? "" : ": ",
                              origin));
}

}  // namespace roofline
