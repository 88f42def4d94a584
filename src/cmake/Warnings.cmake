# roofline_warnings: for our own sources, not for tests' macros or generated code.
add_library(roofline_warnings INTERFACE)
target_compile_options(roofline_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor
  -Wcast-align -Wimplicit-fallthrough)
# g++ 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
target_compile_options(roofline_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(ROOFLINE_WERROR)
  target_compile_options(roofline_warnings INTERFACE -Werror)
endif()
