// The families that are read: model_type and the function that knows its keys and defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/model.hpp"
#include "spec/huggingface/config.hpp"

namespace roofline::huggingface {

struct Family {
  std::string_view model_type;
  Model (*read)(Config& config);
};

/// Null for an unknown one.
[[nodiscard]] const Family* find_family(std::string_view model_type);
[[nodiscard]] std::vector<std::string> family_names();

[[nodiscard]] Model read_arctic(Config& config);
[[nodiscard]] Model read_bloom(Config& config);
[[nodiscard]] Model read_chatglm(Config& config);
[[nodiscard]] Model read_cohere(Config& config);
[[nodiscard]] Model read_cohere2(Config& config);
[[nodiscard]] Model read_dbrx(Config& config);
[[nodiscard]] Model read_deepseek(Config& config);
[[nodiscard]] Model read_deepseek_v2(Config& config);
[[nodiscard]] Model read_deepseek_v3(Config& config);
[[nodiscard]] Model read_deepseek_v32(Config& config);
[[nodiscard]] Model read_ernie4_5(Config& config);
[[nodiscard]] Model read_ernie4_5_moe(Config& config);
[[nodiscard]] Model read_exaone(Config& config);
[[nodiscard]] Model read_exaone4(Config& config);
[[nodiscard]] Model read_falcon(Config& config);
[[nodiscard]] Model read_gemma(Config& config);
[[nodiscard]] Model read_gemma2(Config& config);
[[nodiscard]] Model read_gemma3(Config& config);
[[nodiscard]] Model read_gemma3n(Config& config);
[[nodiscard]] Model read_glm(Config& config);
[[nodiscard]] Model read_glm4(Config& config);
[[nodiscard]] Model read_glm4_moe(Config& config);
[[nodiscard]] Model read_gpt2(Config& config);
[[nodiscard]] Model read_gpt_bigcode(Config& config);
[[nodiscard]] Model read_gpt_neox(Config& config);
[[nodiscard]] Model read_gpt_oss(Config& config);
[[nodiscard]] Model read_gptj(Config& config);
[[nodiscard]] Model read_granite(Config& config);
[[nodiscard]] Model read_granitemoe(Config& config);
[[nodiscard]] Model read_granitemoehybrid(Config& config);
[[nodiscard]] Model read_hunyuan_v1_dense(Config& config);
[[nodiscard]] Model read_hunyuan_v1_moe(Config& config);
[[nodiscard]] Model read_internlm2(Config& config);
[[nodiscard]] Model read_jamba(Config& config);
[[nodiscard]] Model read_llama(Config& config);
[[nodiscard]] Model read_llama4(Config& config);
[[nodiscard]] Model read_mamba(Config& config);
[[nodiscard]] Model read_mamba2(Config& config);
[[nodiscard]] Model read_minimax(Config& config);
[[nodiscard]] Model read_minimax_m2(Config& config);
[[nodiscard]] Model read_mistral(Config& config);
[[nodiscard]] Model read_mixtral(Config& config);
[[nodiscard]] Model read_mpt(Config& config);
[[nodiscard]] Model read_nemotron(Config& config);
[[nodiscard]] Model read_nemotron_h(Config& config);
[[nodiscard]] Model read_olmo(Config& config);
[[nodiscard]] Model read_olmo2(Config& config);
[[nodiscard]] Model read_olmo3(Config& config);
[[nodiscard]] Model read_olmoe(Config& config);
[[nodiscard]] Model read_opt(Config& config);
[[nodiscard]] Model read_phi(Config& config);
[[nodiscard]] Model read_phi3(Config& config);
[[nodiscard]] Model read_phimoe(Config& config);
[[nodiscard]] Model read_qwen2(Config& config);
[[nodiscard]] Model read_qwen2_moe(Config& config);
[[nodiscard]] Model read_qwen3(Config& config);
[[nodiscard]] Model read_qwen3_5(Config& config);
[[nodiscard]] Model read_qwen3_5_moe(Config& config);
[[nodiscard]] Model read_qwen3_moe(Config& config);
[[nodiscard]] Model read_qwen3_next(Config& config);
[[nodiscard]] Model read_seed_oss(Config& config);
[[nodiscard]] Model read_smollm3(Config& config);
[[nodiscard]] Model read_stablelm(Config& config);
[[nodiscard]] Model read_starcoder2(Config& config);

}  // namespace roofline::huggingface
