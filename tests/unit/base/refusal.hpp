// What the tests of the parsers share.
#pragma once

#include "roofline/error.hpp"

namespace roofline {

/// The diagnostic of the error that `parse` throws; an empty one if it throws none.
template <class Parse>
Diagnostic refusal(Parse parse) {
  try {
    (void)parse();
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

}  // namespace roofline
