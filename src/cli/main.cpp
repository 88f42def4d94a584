// argv to exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "cli/parse_arguments.hpp"
#include "cli/session.hpp"

namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_our_failure = 3;

}  // namespace

int main(int argc, char** argv) {
  using namespace roofline;
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Session session;
  try {
    return cli::run(words, session);
  } catch (const Error& error) {
    cli::print_errors(error.diagnostics(), cli::use_color(session.global.color, STDERR_FILENO));
    return exit_bad_input;
  } catch (const cli::OutputError& error) {
    cli::write_stderr(fmt::format("error: {}\n", error.what()));
  } catch (const std::exception& error) {
    cli::write_stderr(
        fmt::format("internal error: {}\n  please report it with this command: roofline {}\n",
                    error.what(), fmt::join(words, " ")));
  }
  return exit_our_failure;
}
