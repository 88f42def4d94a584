#include "spec/huggingface/families.hpp"

#include <array>

namespace roofline::huggingface {
namespace {

constexpr std::array families{Family{"RefinedWeb", read_falcon},
                              Family{"RefinedWebModel", read_falcon},
                              Family{"arctic", read_arctic},
                              Family{"bloom", read_bloom},
                              Family{"chatglm", read_chatglm},
                              Family{"cohere", read_cohere},
                              Family{"cohere2", read_cohere2},
                              Family{"dbrx", read_dbrx},
                              Family{"deepseek", read_deepseek},
                              Family{"deepseek_v2", read_deepseek_v2},
                              Family{"deepseek_v3", read_deepseek_v3},
                              Family{"deepseek_v32", read_deepseek_v32},
                              Family{"ernie4_5", read_ernie4_5},
                              Family{"ernie4_5_moe", read_ernie4_5_moe},
                              Family{"exaone", read_exaone},
                              Family{"exaone4", read_exaone4},
                              Family{"falcon", read_falcon},
                              Family{"falcon_mamba", read_mamba},
                              Family{"gemma", read_gemma},
                              Family{"gemma2", read_gemma2},
                              Family{"gemma3", read_gemma3},
                              Family{"gemma3_text", read_gemma3},
                              Family{"gemma3n", read_gemma3n},
                              Family{"gemma3n_text", read_gemma3n},
                              Family{"glm", read_glm},
                              Family{"glm4", read_glm4},
                              Family{"glm4_moe", read_glm4_moe},
                              Family{"gpt2", read_gpt2},
                              Family{"gpt_bigcode", read_gpt_bigcode},
                              Family{"gpt_neox", read_gpt_neox},
                              Family{"gpt_oss", read_gpt_oss},
                              Family{"gptj", read_gptj},
                              Family{"granite", read_granite},
                              Family{"granitemoe", read_granitemoe},
                              Family{"granitemoehybrid", read_granitemoehybrid},
                              Family{"granitemoeshared", read_granitemoe},
                              Family{"hunyuan_v1_dense", read_hunyuan_v1_dense},
                              Family{"hunyuan_v1_moe", read_hunyuan_v1_moe},
                              Family{"internlm2", read_internlm2},
                              Family{"jamba", read_jamba},
                              Family{"kimi_k2", read_deepseek_v3},
                              Family{"llama", read_llama},
                              Family{"llama4", read_llama4},
                              Family{"llama4_text", read_llama4},
                              Family{"mamba", read_mamba},
                              Family{"mamba2", read_mamba2},
                              Family{"minimax", read_minimax},
                              Family{"minimax_m1", read_minimax},
                              Family{"minimax_m2", read_minimax_m2},
                              Family{"minimax_text_01", read_minimax},
                              Family{"ministral3", read_mistral},
                              Family{"mistral", read_mistral},
                              Family{"mistral3", read_mistral},
                              Family{"mixtral", read_mixtral},
                              Family{"mpt", read_mpt},
                              Family{"nemotron", read_nemotron},
                              Family{"nemotron_h", read_nemotron_h},
                              Family{"olmo", read_olmo},
                              Family{"olmo2", read_olmo2},
                              Family{"olmo3", read_olmo3},
                              Family{"olmoe", read_olmoe},
                              Family{"opt", read_opt},
                              Family{"phi", read_phi},
                              Family{"phi3", read_phi3},
                              Family{"phimoe", read_phimoe},
                              Family{"qwen2", read_qwen2},
                              Family{"qwen2_5_vl", read_qwen2},
                              Family{"qwen2_5_vl_text", read_qwen2},
                              Family{"qwen2_moe", read_qwen2_moe},
                              Family{"qwen2_vl", read_qwen2},
                              Family{"qwen2_vl_text", read_qwen2},
                              Family{"qwen3", read_qwen3},
                              Family{"qwen3_5_moe_text", read_qwen3_5_moe},
                              Family{"qwen3_5_text", read_qwen3_5},
                              Family{"qwen3_moe", read_qwen3_moe},
                              Family{"qwen3_next", read_qwen3_next},
                              Family{"qwen3_vl", read_qwen3},
                              Family{"qwen3_vl_moe_text", read_qwen3_moe},
                              Family{"qwen3_vl_text", read_qwen3},
                              Family{"seed_oss", read_seed_oss},
                              Family{"smollm3", read_smollm3},
                              Family{"stablelm", read_stablelm},
                              Family{"starcoder2", read_starcoder2}};

}  // namespace

const Family* find_family(std::string_view model_type) {
  for (const Family& family : families) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families) {
    // Known so that it is refused with the reason: not one that is read.
    if (family.read != read_deepseek_v32) names.emplace_back(family.model_type);
  }
  return names;
}

}  // namespace roofline::huggingface
