// A container's command, else its image, tells the engine.
#include "spec/serving/containers.hpp"

#include <fmt/format.h>

#include <utility>

namespace roofline {
namespace {

void read_image(const Container& container, const Command& command, ReadLaunches& found) {
  const std::optional<EngineImage> image = engine_of_image(container.image);
  if (image) {
    add_launch(image->engine, container.args, command, found);
    found.launches.back().version = image->version;
  } else if (const auto name = unsupported_image(container.image)) {
    found.unsupported.push_back(fmt::format("{} at {}", *name, to_string(container.image_place)));
  }
}

/// Gives the launches from `first` on what the container says of them.
void finish(const Container& container, std::size_t first, ReadLaunches& found) {
  const std::optional<EngineImage> image = engine_of_image(container.image);
  for (std::size_t i = first; i < found.launches.size(); ++i) {
    Launch& launch = found.launches[i];
    launch.name = container.name;
    if (launch.version.empty() && image && image->engine == launch.engine) {
      launch.version = image->version;
    }
    launch.surroundings.insert(launch.surroundings.end(), container.surroundings.begin(),
                               container.surroundings.end());
    if (launch.place.file.empty()) launch.place = container.place;
  }
}

}  // namespace

void read_container(const SourceText& source, const Container& container, ReadLaunches& found) {
  Command command{.words = container.command, .environment = container.environment};
  command.words.insert(command.words.end(), container.args.begin(), container.args.end());
  const std::size_t launches = found.launches.size();
  const std::size_t unsupported = found.unsupported.size();
  read_command(source, command, found);
  const bool nothing = found.launches.size() == launches && found.unsupported.size() == unsupported;
  if (nothing && container.command.empty()) read_image(container, command, found);
  finish(container, launches, found);
}

EngineSetting surrounding(std::string name, std::string written, std::string value,
                          const Place& place) {
  return {.name = std::move(name),
          .written = std::move(written),
          .values = {std::move(value)},
          .place = place};
}

}  // namespace roofline
