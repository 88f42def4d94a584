#include "roofline/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofline {

const char* Error::what() const noexcept {
  return diagnostics_.empty() ? "error" : diagnostics_.front().what.c_str();
}

void ensure(bool condition, const char* text, const char* file, int line) {
  if (!condition) throw InternalError(fmt::format("{} ({}:{})", text, file, line));
}

void ErrorCollector::add(const Error& error) {
  for (const Diagnostic& next : error.diagnostics()) {
    const bool known =
        std::find(diagnostics_.begin(), diagnostics_.end(), next) != diagnostics_.end();
    if (!known) diagnostics_.push_back(next);
  }
}

void ErrorCollector::throw_if_any() const {
  if (!diagnostics_.empty()) throw Error(diagnostics_);
}

}  // namespace roofline
