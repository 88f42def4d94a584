// Notes of many points, each once.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace roofline::report {

class SharedNotes {
 public:
  /// Of more than `most` different notes the first ones are kept.
  explicit SharedNotes(std::size_t most = std::numeric_limits<std::size_t>::max()) : most_(most) {}

  void add(const std::string& gpu, const std::vector<std::string>& notes);

  /// In the order in which they came; one that holds for some of the devices only says for which.
  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  struct Entry {
    std::string note;
    std::vector<std::string> gpus;
  };
  std::size_t most_;
  bool left_out_ = false;
  std::vector<Entry> entries_;
  std::set<std::string> gpus_;
};

}  // namespace roofline::report
