// A path to a Model, by what lies there.
#include <filesystem>
#include <system_error>

#include "base/file.hpp"
#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "spec/gguf/gguf_model.hpp"
#include "spec/model_directory.hpp"

namespace roofline {

Model load_model(const std::string& path, const ReadOptions& options) {
  if (path == "-") return read_model(read_file(path), "stdin", options);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return load_model_directory(path, options);
  if (path.ends_with(".gguf")) return gguf::load_gguf(path);
  if (path.ends_with(".safetensors") || path.ends_with(".safetensors.index.json")) {
    throw Error(Diagnostic{.what = "cannot read '" + path + "' alone",
                           .why = "tensors do not say what model they are of",
                           .fix = "name the directory that has config.json beside it"});
  }
  return read_model(read_file(path), path, options);
}

}  // namespace roofline
