// A file's bytes, mapped into memory for reading: only the pages that are looked at are read, so a
// file of any size opens at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

class MappedFile {
 public:
  /// Throws Error for what is not there, no regular file, empty, or cannot be read.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Valid as long as this object lives, or the one that it was moved to.
  [[nodiscard]] std::string_view bytes() const;

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace roofline
