// argv to exit code: the only place that catches.
#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <vector>

#include "cli/commands.hpp"
#include "cli/parse_arguments.hpp"
#include "cli/session.hpp"

namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_our_failure = 3;

void ask_for_report(const char* what, int argc, char** argv) {
  fmt::print(stderr, "internal error: {}\n  please report it with this command:", what);
  for (int i = 0; i < argc; ++i) fmt::print(stderr, " {}", argv[i]);
  fmt::print(stderr, "\n");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace roofline;
  cli::Session session;
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    return cli::run(words, session);
  } catch (const Error& error) {
    cli::print_errors(error.diagnostics(), cli::use_color(session.global.color, STDERR_FILENO));
    return exit_bad_input;
  } catch (const cli::OutputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  } catch (const std::exception& error) {
    ask_for_report(error.what(), argc, argv);
  }
  return exit_our_failure;
}
