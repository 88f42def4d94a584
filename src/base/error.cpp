#include "roofline/error.hpp"

#include <fmt/format.h>

namespace roofline {

const char* Error::what() const noexcept {
  return diagnostics_.empty() ? "error" : diagnostics_.front().what.c_str();
}

void ensure(bool condition, const char* text, const char* file, int line) {
  if (!condition) throw InternalError(fmt::format("{} ({}:{})", text, file, line));
}

void ErrorCollector::add(const Error& error) {
  diagnostics_.insert(diagnostics_.end(), error.diagnostics().begin(), error.diagnostics().end());
}

void ErrorCollector::throw_if_any() const {
  if (!diagnostics_.empty()) throw Error(diagnostics_);
}

}  // namespace roofline
