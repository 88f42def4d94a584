#include "analysis/check/rules/compute_capability.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace roofline::rules {
namespace {

/// A word of Device::architecture, most telling first.
struct Generation {
  std::string_view word;
  int capability;
};
constexpr std::array<Generation, 20> generations{{{"GP100", 60},
                                                  {"Pascal", 61},
                                                  {"Volta", 70},
                                                  {"Turing", 75},
                                                  {"GA100", 80},
                                                  {"GA10B", 87},
                                                  {"Ampere", 86},
                                                  {"Ada", 89},
                                                  {"Grace Hopper", 90},
                                                  {"Hopper", 90},
                                                  {"Blackwell Ultra", 103},
                                                  {"GB100", 100},
                                                  {"GB10B", 110},
                                                  {"GB202", 120},
                                                  {"GB203", 120},
                                                  {"GB205", 120},
                                                  {"GB206", 120},
                                                  {"GB207", 120},
                                                  {"GB10)", 121},
                                                  {"Blackwell", 100}}};

}  // namespace

std::optional<int> compute_capability(const Device& device) {
  if (device.vendor != "NVIDIA") return std::nullopt;
  for (const Generation& generation : generations) {
    if (device.architecture.find(generation.word) != std::string::npos) {
      return generation.capability;
    }
  }
  return std::nullopt;
}

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

}  // namespace roofline::rules
