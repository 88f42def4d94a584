// One launch of a file, judged.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "roofline/check.hpp"
#include "roofline/error.hpp"

namespace roofline {

/// Adds the launch, its findings and why it could not be judged to `file`.
void check_launch(const Launch& launch, const CheckRequest& request, CheckedFile& file);

/// Calls `act`; what it throws as Error goes to `problems`, each once. True if it threw nothing.
template <class Act>
bool attempt(std::vector<Diagnostic>& problems, Act&& act) {
  try {
    std::forward<Act>(act)();
    return true;
  } catch (const Error& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (std::find(problems.begin(), problems.end(), diagnostic) == problems.end()) {
        problems.push_back(diagnostic);
      }
    }
    return false;
  }
}

}  // namespace roofline
