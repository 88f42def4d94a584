#include "cli/output_sink.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
  if (path.empty()) throw OutputError(fmt::format("cannot write to standard output: {}", why));
  throw OutputError(fmt::format("cannot write '{}': {}", path, why));
}

/// The file that is not whole yet, as a signal handler can read it; empty: there is none.
std::array<char, PATH_MAX> unfinished{};

extern "C" void remove_unfinished(int signal) {
  if (unfinished.front() != '\0') (void)unlink(unfinished.data());
  (void)std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
}

/// Whoever stops the program leaves no half file behind.
void remove_when_stopped(const std::string& path) {
  if (path.size() >= unfinished.size()) return;
  unfinished[path.copy(unfinished.data(), path.size())] = '\0';
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, remove_unfinished);
    if (before == SIG_IGN) (void)std::signal(signal, SIG_IGN);
  }
}

}  // namespace

OutputSink::OutputSink(const OutputFlags& output) : path_(output.file == "-" ? "" : output.file) {
  if (!path_.empty()) open();
}

OutputSink::~OutputSink() {
  drop();
}

void OutputSink::open() {
  std::error_code ignored;
  target_ = path_;
  const bool replaces = !fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored);
  if (replaces) {
    // Through a link, the file that it names is replaced and not the link.
    if (fs::is_symlink(path_, ignored)) target_ = fs::weakly_canonical(path_, ignored);
    temporary_ = fmt::format("{}.{}.new", target_.string(), getpid());
  }
  if (replaces) remove_when_stopped(temporary_.string());
  file_ = std::fopen((replaces ? temporary_ : target_).c_str(), "wb");
  if (file_ != nullptr) return;
  temporary_.clear();
  cannot_write(path_, std::strerror(errno));
}

void OutputSink::write(std::string_view text) {
  constexpr std::size_t most_waiting = 64'000;
  constexpr std::chrono::seconds longest_wait(1);
  waiting_ += text;
  const auto now = std::chrono::steady_clock::now();
  if (waiting_.size() >= most_waiting || now - passed_on_ >= longest_wait) pass_on();
}

void OutputSink::pass_on() {
  const bool written = std::fwrite(waiting_.data(), 1, waiting_.size(), file_) == waiting_.size() &&
                       std::fflush(file_) == 0;
  if (!written) {
    const int why = errno;
    if (why == EPIPE && file_ == stdout) std::_Exit(0);  // that is no failure
    cannot_write(path_, std::strerror(why));
  }
  waiting_.clear();
  passed_on_ = std::chrono::steady_clock::now();
}

void OutputSink::close() {
  pass_on();
  if (file_ == stdout) return;
  const bool closed = std::fclose(std::exchange(file_, stdout)) == 0;
  const int why = errno;
  if (!closed) {
    drop();
    cannot_write(path_, std::strerror(why));
  }
  if (temporary_.empty()) return;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) {
    drop();
    cannot_write(path_, error.message());
  }
  unfinished.front() = '\0';
  temporary_.clear();
}

void OutputSink::drop() {
  if (file_ != stdout) (void)std::fclose(std::exchange(file_, stdout));
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
  temporary_.clear();
}

bool OutputSink::to_terminal() const {
  return path_.empty() && isatty(STDOUT_FILENO) == 1;
}

}  // namespace roofline::cli
