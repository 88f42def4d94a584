#include "cli/progress.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "cli/session.hpp"

namespace roofline::cli {

void Progress::advance() {
  ++done_;
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  const auto done = static_cast<double>(done_);
  const auto total = static_cast<double>(total_);
  write_stderr(fmt::format("\r{} of {} points, {} %\033[K", format_count(done), format_count(total),
                           format_fixed(100 * done / total, 0)));
  shown_ = true;
}

void Progress::stop() {
  if (shown_) write_stderr("\r\033[K");
  shown_ = false;
  wanted_ = false;
}

}  // namespace roofline::cli
