// The readers of serving configs, one for each form. Each throws Error for what is no config of
// its form; a file without any engine is said so by read_serving_config.
#pragma once

#include <string>
#include <vector>

#include "roofline/serving_config.hpp"
#include "spec/serving/config_node.hpp"
#include "spec/serving/source_text.hpp"

namespace roofline {

/// What a reader found: launches, and, for the message where there are none, what it saw instead.
struct ReadLaunches {
  std::vector<Launch> launches;
  std::int64_t commands = 0;  ///< containers, services or commands looked at
  /// Engines that cannot be judged, "Ollama at FILE:1:2": named where nothing else is there.
  std::vector<std::string> unsupported;
  std::size_t put_in = 0;  ///< bytes of variables' values in containers, which are bounded
};

/// vLLM's or SGLang's --config.
[[nodiscard]] ReadLaunches read_engine_yaml(Engine engine, const SourceText& source,
                                            const ConfigDocuments& documents);
/// TensorRT-LLM's --extra_llm_api_options.
[[nodiscard]] ReadLaunches read_tensorrt_llm(const SourceText& source,
                                             const ConfigDocuments& documents);
/// config.json beside the engine files that trtllm-build wrote.
[[nodiscard]] ReadLaunches read_tensorrt_llm_build(const SourceText& source,
                                                   const ConfigDocuments& documents);
[[nodiscard]] ReadLaunches read_shell(const SourceText& source);
[[nodiscard]] ReadLaunches read_kubernetes(const SourceText& source,
                                           const ConfigDocuments& documents);
/// servingEngineSpec.modelSpec of vLLM's production-stack chart.
[[nodiscard]] ReadLaunches read_helm_values(const SourceText& source,
                                            const ConfigDocuments& documents);
[[nodiscard]] ReadLaunches read_compose(const SourceText& source, const ConfigDocuments& documents);
/// `deployments` of this project's own file.
[[nodiscard]] ReadLaunches read_project_deployments(const SourceText& source,
                                                    const ConfigDocuments& documents);

}  // namespace roofline
