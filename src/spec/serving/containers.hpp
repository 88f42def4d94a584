// Containers: of pods, of compose services, of a chart. What they run, and on which GPUs.
#pragma once

#include <string>
#include <vector>

#include "spec/serving/config_node.hpp"
#include "spec/serving/placed_commands.hpp"

namespace roofline {

struct Container {
  std::string name;  ///< that its launch gets
  std::string image;
  Place image_place;
  std::vector<CommandWord> command;  ///< replaces the image's own
  std::vector<CommandWord> args;
  std::vector<EnvironmentEntry> environment;
  std::vector<EngineSetting> surroundings;
  Place place;
};

/// Adds the launches of the container's command, or of its image where it has none.
void read_container(const SourceText& source, const Container& container, ReadLaunches& found);

/// The surrounding "gpus" or "gpu".
[[nodiscard]] EngineSetting surrounding(std::string name, std::string written, std::string value,
                                        const Place& place);

}  // namespace roofline
