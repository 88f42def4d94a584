// Any bytes as model.safetensors.index.json: names of files beside it, or an Error.
#include <cstdint>
#include <string_view>

#include "roofline/error.hpp"
#include "spec/safetensors/shard_index.hpp"

using namespace roofline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto index =
        safetensors::read_shard_index({reinterpret_cast<const char*>(data), size}, "f");
    ensure(!index.shards.empty(), "an index names files");
    ensure(index.tensors >= static_cast<std::int64_t>(index.shards.size()), "files hold tensors");
    for (const std::string& shard : index.shards) {
      ensure(shard.find('/') == std::string::npos && shard != "..", "a file lies beside its index");
    }
  } catch (const Error&) {
  }
  return 0;
}
