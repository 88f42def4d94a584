#include "spec/gguf/architectures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace roofline::gguf {
namespace {

struct Refused {
  std::string_view architecture;
  std::string_view why;
};

constexpr std::string_view encoder = "it is an encoder: it does not generate";
constexpr std::string_view diffusion = "a diffusion model does not generate token by token";
constexpr std::string_view rwkv = "RWKV's time mixing is not supported";
constexpr std::string_view indexer = "its sparse attention chooses tokens by an indexer";

constexpr std::array refused{
    Refused{"clip",
            "it holds a vision or audio projector, no language model: name the model's "
            "own file"},
    Refused{"arwkv7", rwkv},
    Refused{"bert", encoder},
    Refused{"deepseek32", indexer},
    Refused{"deepseek4", indexer},
    Refused{"diffusion-gemma", diffusion},
    Refused{"dream", diffusion},
    Refused{"eurobert", encoder},
    Refused{"falcon-h1", "its blocks have attention and a state space side by side"},
    Refused{"gemma-embedding", encoder},
    Refused{"gemma4", "its attention differs in head size from block to block"},
    Refused{"glm-dsa", indexer},
    Refused{"jina-bert-v2", encoder},
    Refused{"jina-bert-v3", encoder},
    Refused{"kimi-linear", "Kimi delta attention is not supported"},
    Refused{"lfm2", "short convolutions are not supported"},
    Refused{"lfm2moe", "short convolutions are not supported"},
    Refused{"llada", diffusion},
    Refused{"llada-moe", diffusion},
    Refused{"modern-bert", encoder},
    Refused{"neo-bert", encoder},
    Refused{"nomic-bert", encoder},
    Refused{"nomic-bert-moe", encoder},
    Refused{"plamo2", "its state-space blocks have shapes of their own"},
    Refused{"rnd1", diffusion},
    Refused{"rwkv6", rwkv},
    Refused{"rwkv6qwen2", rwkv},
    Refused{"rwkv7", rwkv},
    Refused{"t5", "encoder and decoder together are not supported"},
    Refused{"t5encoder", encoder},
    Refused{"wavtokenizer-dec", "it generates sound"},
};

constexpr std::array<std::string_view, 86> known_decoders{
    "afmoe",         "apertus",        "arcee",        "arctic",        "baichuan",    "bailingmoe",
    "bailingmoe2",   "bitnet",         "bloom",        "chameleon",     "chatglm",     "codeshell",
    "cohere2",       "command-r",      "dbrx",         "deci",          "deepseek",    "deepseek2",
    "dots1",         "ernie4_5",       "ernie4_5-moe", "exaone",        "exaone-moe",  "exaone4",
    "falcon",        "gemma",          "gemma2",       "gemma3",        "gemma3n",     "glm4",
    "glm4moe",       "gpt-oss",        "gpt2",         "gptj",          "gptneox",     "granite",
    "granitehybrid", "granitemoe",     "grok",         "hunyuan-dense", "hunyuan-moe", "internlm2",
    "jais",          "jamba",          "llama",        "llama4",        "mamba",       "mamba2",
    "minicpm",       "minicpm3",       "minimax-m2",   "mistral3",      "mpt",         "nemotron",
    "nemotron_h",    "nemotron_h_moe", "olmo",         "olmo2",         "olmoe",       "openelm",
    "orion",         "phi2",           "phi3",         "phimoe",        "plamo",       "plamo3",
    "plm",           "qwen",           "qwen2",        "qwen2moe",      "qwen2vl",     "qwen3",
    "qwen35",        "qwen35moe",      "qwen3moe",     "qwen3next",     "qwen3vl",     "qwen3vlmoe",
    "refact",        "seed_oss",       "smallthinker", "smollm3",       "stablelm",    "starcoder",
    "starcoder2",    "xverse"};

}  // namespace

void refuse_unsupported(const Metadata& metadata) {
  const auto type = metadata.general_text("general.type");
  if (type && *type != "model") {
    metadata.fail(fmt::format("the file holds no model but a '{}'", printable(*type)),
                  "general.type says so", "name the model's own file");
  }
  const auto* found = std::find_if(refused.begin(), refused.end(), [&](const Refused& candidate) {
    return candidate.architecture == metadata.architecture();
  });
  if (found != refused.end()) {
    metadata.fail(fmt::format("the architecture '{}' is not supported", metadata.architecture()),
                  std::string(found->why));
  }
}

bool is_known_decoder(std::string_view architecture) {
  return std::find(known_decoders.begin(), known_decoders.end(), architecture) !=
         known_decoders.end();
}

}  // namespace roofline::gguf
