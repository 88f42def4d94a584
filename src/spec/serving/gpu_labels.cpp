// Tables of the values that node labels have: GPU feature discovery's product names, Google's
// accelerator names and instance types of the large clouds.
#include "spec/serving/gpu_labels.hpp"

#include <algorithm>
#include <array>

#include "base/closest.hpp"

namespace roofline {
namespace {

struct Named {
  std::string_view mark;  ///< as normalized_name has it
  std::string_view gpu;
};

/// Values of product labels and accelerator labels.
constexpr std::array<Named, 48> products{{
    {"a10g", "A10G"},
    {"amd-instinct-mi300x", "MI300X-192GB"},
    {"amd-instinct-mi300x-oam", "MI300X-192GB"},
    {"amd-instinct-mi325x", "MI325X-256GB"},
    {"amd-instinct-mi325x-oam", "MI325X-256GB"},
    {"h100", "H100-SXM5-80GB"},
    {"nvidia-a10", "A10"},
    {"nvidia-a100-40gb-pcie", "A100-PCIe-40GB"},
    {"nvidia-a100-80gb", "A100-SXM-80GB"},
    {"nvidia-a100-80gb-pcie", "A100-PCIe-80GB"},
    {"nvidia-a100-pcie-40gb", "A100-PCIe-40GB"},
    {"nvidia-a100-pcie-80gb", "A100-PCIe-80GB"},
    {"nvidia-a100-sxm-80gb", "A100-SXM-80GB"},
    {"nvidia-a100-sxm4-40gb", "A100-SXM-40GB"},
    {"nvidia-a100-sxm4-80gb", "A100-SXM-80GB"},
    {"nvidia-a10g", "A10G"},
    {"nvidia-a30", "A30"},
    {"nvidia-a40", "A40"},
    {"nvidia-b200", "B200-SXM-180GB"},
    {"nvidia-b300", "B300-SXM-270GB"},
    {"nvidia-gb200", "GB200-186GB"},
    {"nvidia-gh200-480gb", "GH200-96GB"},
    {"nvidia-h100-80gb", "H100-SXM5-80GB"},
    {"nvidia-h100-80gb-hbm3", "H100-SXM5-80GB"},
    {"nvidia-h100-mega-80gb", "H100-SXM5-80GB"},
    {"nvidia-h100-nvl", "H100-NVL-94GB"},
    {"nvidia-h100-pcie", "H100-PCIe-80GB"},
    {"nvidia-h20", "H20-96GB"},
    {"nvidia-h200", "H200-SXM-141GB"},
    {"nvidia-h200-141gb", "H200-SXM-141GB"},
    {"nvidia-h200-nvl", "H200-NVL-141GB"},
    {"nvidia-l4", "L4"},
    {"nvidia-l40", "L40"},
    {"nvidia-l40s", "L40S"},
    {"nvidia-rtx-6000-ada-generation", "RTX-6000-Ada"},
    {"nvidia-rtx-a5000", "RTX-A5000"},
    {"nvidia-rtx-a6000", "RTX-A6000"},
    {"nvidia-rtx-pro-6000", "RTX-PRO-6000-Blackwell-Server"},
    {"nvidia-tesla-a100", "A100-SXM-40GB"},
    {"nvidia-tesla-p100", "P100-PCIe-16GB"},
    {"nvidia-tesla-t4", "T4"},
    {"nvidia-tesla-v100", "V100-SXM2-16GB"},
    {"tesla-p40", "Tesla-P40"},
    {"tesla-t4", "T4"},
    {"tesla-v100-pcie-16gb", "V100-PCIe-16GB"},
    {"tesla-v100-sxm2-16gb", "V100-SXM2-16GB"},
    {"tesla-v100-sxm2-32gb", "V100-SXM2-32GB"},
    {"tesla-v100-sxm2-32gb-ls", "V100-SXM2-32GB"},
}};

/// Families of instances; a value belongs to the longest that it starts with.
constexpr std::array<Named, 38> instances{{
    {"a2-highgpu-", "A100-SXM-40GB"},
    {"a2-megagpu-", "A100-SXM-40GB"},
    {"a2-ultragpu-", "A100-SXM-80GB"},
    {"a3-edgegpu-", "H100-SXM5-80GB"},
    {"a3-highgpu-", "H100-SXM5-80GB"},
    {"a3-megagpu-", "H100-SXM5-80GB"},
    {"a3-ultragpu-", "H200-SXM-141GB"},
    {"a4-highgpu-", "B200-SXM-180GB"},
    {"a4x-highgpu-", "GB200-186GB"},
    {"bm.gpu.a10.", "A10"},
    {"bm.gpu.a100-v2.", "A100-SXM-80GB"},
    {"bm.gpu.b200.", "B200-SXM-180GB"},
    {"bm.gpu.b4.", "A100-SXM-40GB"},
    {"bm.gpu.gm4.", "A100-SXM-80GB"},
    {"bm.gpu.h100.", "H100-SXM5-80GB"},
    {"bm.gpu.h200.", "H200-SXM-141GB"},
    {"bm.gpu.l40s.", "L40S"},
    {"bm.gpu.mi300x.", "MI300X-192GB"},
    {"g2-standard-", "L4"},
    {"g4dn.", "T4"},
    {"g5.", "A10G"},
    {"g6.", "L4"},
    {"g6e.", "L40S"},
    {"gr6.", "L4"},
    {"p3.", "V100-SXM2-16GB"},
    {"p3dn.", "V100-SXM2-32GB"},
    {"p4d.", "A100-SXM-40GB"},
    {"p4de.", "A100-SXM-80GB"},
    {"p5.", "H100-SXM5-80GB"},
    {"p5e.", "H200-SXM-141GB"},
    {"p5en.", "H200-SXM-141GB"},
    {"p6-b200.", "B200-SXM-180GB"},
    {"p6-b300.", "B300-SXM-270GB"},
    {"standard-nc24ads-a100-v4", "A100-PCIe-80GB"},
    {"standard-nc40ads-h100-v5", "H100-NVL-94GB"},
    {"standard-nc80adis-h100-v5", "H100-NVL-94GB"},
    {"standard-nd96isr-h100-v5", "H100-SXM5-80GB"},
    {"vm.gpu.a10.", "A10"},
}};

constexpr std::array<std::string_view, 6> product_labels{
    "amd.com/gpu.product-name", "amd.com/gpu.product",           "cloud.google.com/gke-accelerator",
    "gpu.nvidia.com/model",     "k8s.amazonaws.com/accelerator", "nvidia.com/gpu.product",
};
constexpr std::array<std::string_view, 2> instance_labels{
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

bool is_gpu_label(std::string_view label) {
  return contains(product_labels, label) || contains(instance_labels, label);
}

std::string gpu_of_label(std::string_view label, std::string_view value) {
  std::string name = normalized_name(value);
  if (contains(instance_labels, label)) {
    for (const Named& family : instances) {
      if (name.compare(0, family.mark.size(), family.mark) == 0) return std::string(family.gpu);
    }
    return {};
  }
  // A GPU that is shared in time is the same GPU.
  constexpr std::string_view shared = "-shared";
  if (name.size() > shared.size() &&
      name.compare(name.size() - shared.size(), shared.size(), shared) == 0) {
    name.resize(name.size() - shared.size());
  }
  for (const Named& product : products) {
    if (product.mark == name) return std::string(product.gpu);
  }
  return std::string(value);
}

bool is_gpu_resource(std::string_view resource) {
  constexpr std::array<std::string_view, 5> names{
      "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "nvidia.com/gpu"};
  return contains(names, resource) || resource == "nvidia.com/gpu.shared" ||
         resource.substr(0, 15) == "nvidia.com/mig-";
}

}  // namespace roofline
