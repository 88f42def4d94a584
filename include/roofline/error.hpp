// What the library throws: bad input as Error (one or several diagnostics), our own mistakes as
// InternalError; the kernels alone throw std::invalid_argument. "The answer is no" is never an
// exception, it is part of a result.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace roofline {

/// One thing that is wrong with the input, in the words a user reads.
struct Diagnostic {
  std::string what{};                      ///< one line, the offending text in quotes
  std::string where{};                     ///< "FILE:LINE:COL" or "FILE", empty for a flag
  std::string why{};                       ///< empty where it is obvious
  std::string fix{};                       ///< a command or value that works
  std::vector<std::string> suggestions{};  ///< "did you mean", nearest first
  std::string list_command{};              ///< prints all valid names

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Bad input: everything that is wrong with it, at once.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic) : diagnostics_{std::move(diagnostic)} {}
  explicit Error(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {}

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// The first diagnostic's `what`.
  [[nodiscard]] const char* what() const noexcept override;

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A mistake of this program, never of its input.
class InternalError : public std::exception {
 public:
  explicit InternalError(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Throws InternalError with `text` and the caller's place unless `condition` holds.
void ensure(bool condition, const char* text, const char* file = __builtin_FILE(),
            int line = __builtin_LINE());

/// Runs several readers and throws what they threw as one Error.
class ErrorCollector {
 public:
  /// Calls `read`; an Error that it throws is kept instead of passed on.
  template <class Read>
  void collect(Read&& read) {
    try {
      std::forward<Read>(read)();
    } catch (const Error& error) {
      add(error);
    }
  }
  /// What is known already is not added again.
  void add(const Error& error);
  [[nodiscard]] bool empty() const { return diagnostics_.empty(); }
  /// Throws one Error with all that was collected, if anything was.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace roofline
