// How far a long answer is: one line on a terminal's standard error, rewritten and then erased.
#pragma once

#include <chrono>
#include <cstdint>

namespace roofline::cli {

/// Shows nothing within the first second, and nothing at all unless it is wanted.
class Progress {
 public:
  Progress(bool wanted, std::uint64_t total) : wanted_(wanted), total_(total) {}
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more is done.
  void advance();
  /// Erases the line and shows no more.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  bool shown_ = false;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace roofline::cli
