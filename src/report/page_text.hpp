// What every page carries beside the answer, embedded when the library is built.
#pragma once

#include <string_view>

namespace roofline::report {

/// page.css, for a <style> element.
[[nodiscard]] std::string_view page_style();

/// page_ticks.js and page.js, for a <script> element: it has no "</script".
[[nodiscard]] std::string_view page_script();

}  // namespace roofline::report
