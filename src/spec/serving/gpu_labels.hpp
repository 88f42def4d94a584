// Which GPU a cluster's labels stand for.
#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// True for labels of nodes that say the GPU: "nvidia.com/gpu.product",
/// "cloud.google.com/gke-accelerator", "node.kubernetes.io/instance-type" and the like.
[[nodiscard]] bool is_gpu_label(std::string_view label);

/// The catalogue's name for the value of such a label ("Tesla-T4", "nvidia-l4", "p5.48xlarge");
/// empty for an instance type that is not known, else the value itself.
[[nodiscard]] std::string gpu_of_label(std::string_view label, std::string_view value);

/// True for resources that count whole GPUs or other accelerators: "nvidia.com/gpu".
[[nodiscard]] bool is_gpu_resource(std::string_view resource);

}  // namespace roofline
