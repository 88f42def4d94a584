// The methods of quantisation, one reader each: they fill an Assignment from its object.
#pragma once

#include "spec/huggingface/quantization/assignment.hpp"

namespace roofline::huggingface {

void read_auto_round(Assignment& weights);
void read_awq(Assignment& weights);
void read_bitsandbytes(Assignment& weights);
void read_compressed_tensors(Assignment& weights);
void read_fbgemm_fp8(Assignment& weights);
void read_fp8(Assignment& weights);
void read_gptq(Assignment& weights);
/// MLX's `quantization`: bits and group_size for all, and modules that differ.
void read_mlx(Assignment& weights);
/// Of config.json as of hf_quant_config.json.
void read_modelopt(Assignment& weights);
void read_mxfp4(Assignment& weights);

/// A side of a block or the size of a group: 1 or more weights.
inline constexpr std::int64_t most_group_size = 1'000'000;

}  // namespace roofline::huggingface
