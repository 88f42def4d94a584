// KServe's kinds, whose commands stand in templates elsewhere: what they say is turned into the
// settings that those templates make of it.
#pragma once

#include <string>

#include "spec/serving/pods.hpp"

namespace roofline {

/// InferenceService: a model with its args for the huggingface runtime, or containers.
void read_inference_service(const SourceText& source, const ConfigNode& document,
                            const std::string& name, ReadLaunches& found);

/// LLMInferenceService: spec.model, spec.parallelism and VLLM_ADDITIONAL_ARGS.
void read_llm_inference_service(const SourceText& source, const ConfigNode& document,
                                const std::string& name, ReadLaunches& found);

}  // namespace roofline
