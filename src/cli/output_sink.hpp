// Where an answer goes, in pieces: standard output, or a file that appears when it is whole.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/session.hpp"

namespace roofline::cli {

/// Text is passed on when there is 64 kB of it, and at least once a second while some is written.
/// A regular file is replaced in one step by close(); anything else (a device, a pipe) is written
/// to. All throw OutputError; a reader of standard output that has seen enough ends the program.
class OutputSink {
 public:
  explicit OutputSink(const OutputFlags& output);
  /// Without close(), what was written to a regular file is dropped.
  ~OutputSink();
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  void write(std::string_view text);
  void close();

  /// True if the answer goes to standard output and that is a terminal.
  [[nodiscard]] bool to_terminal() const;

 private:
  void open();
  void pass_on();
  void drop();

  std::string path_;  ///< as it was given; empty for standard output
  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< empty where the file itself is written to
  std::FILE* file_ = stdout;
  std::string waiting_;
  std::chrono::steady_clock::time_point passed_on_ = std::chrono::steady_clock::now();
};

}  // namespace roofline::cli
